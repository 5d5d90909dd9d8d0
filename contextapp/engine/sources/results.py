"""Tool results as sources: reduced by the rule of their family, quoted in a fence, with the shorter forms an old or stale
one may take. Decides neither age nor place.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from contextapp.engine import observations
from contextapp.engine.observations import Observation, families
from contextapp.engine.policy import Policy
from contextapp.engine.projection.atoms import Message, ToolCall
from contextapp.engine.reasons import Reason
from contextapp.engine.sources.permission import any_denied
from contextapp.engine.sources.source import OLD, RANK_OLDER, REFERENCE, STALE, Form, Place, Rung, Source
from contextapp.engine.values import Action, Bucket, Mode, Trust

Arguments = Mapping[str, Any]  # what a model wrote as JSON


@dataclass(frozen=True, slots=True)
class Setting:
    """What the form of a message depends on besides itself."""

    policy: Policy
    workspace_root: str
    supports_tools: bool

    @property
    def key(self) -> str:
        """The same text for settings that make the same forms."""
        policy = self.policy
        parts = (policy.limits, policy.deny_paths, policy.keep_thinking, self.workspace_root, self.supports_tools)
        return repr(parts)


def result(
    message: Message, call: ToolCall | None, stale_by: int, stale_ends: int, place: Place, setting: Setting
) -> Source:
    """A tool message. It is quoted unless it is a denial, which is our own sentence. stale_by: the call that made the result
    out of date, and stale_ends the weight where that call's atom ends; 0: none did."""
    form, ladder, label, family = _forms(message, call, stale_by, setting)
    is_denial = message.denied and message.text.startswith("Denied") and "\n" not in message.text
    is_latest = message.first_seq == place.latest_seq
    reason = Reason.LATEST_OBSERVATION if is_latest else reason_by_age(place)
    return Source(
        id=f"event:{message.first_seq}",
        kind="denial" if message.denied else "tool_result",
        bucket=Bucket.TRANSCRIPT,
        rank=place.rank,
        trust=Trust.FACT if is_denial else Trust.UNTRUSTED,
        reason=Reason.DENIAL if message.denied else reason,
        form=form,
        role="tool" if setting.supports_tools else "user",
        part="transcript",
        title=label,
        events=(message.first_seq, message.last_seq),
        pinned=place.is_pinned,
        compressible=bool(ladder),
        family=family,
        fence_label="" if is_denial else f"result of {label}",
        whole=message.text,
        recorded_of=message.size_chars,
        ladder=ladder,
        call_id=message.call_id if setting.supports_tools else "",
        group=place.group,
        ends=place.ends,
        stale_ends=stale_ends,
    )


def waiting(call: ToolCall, place: Place, setting: Setting, *, for_approval: bool) -> Source:
    """What stands in for a result that has not come: providers accept no call without one."""
    what = "its approval" if for_approval else "its result"
    return Source(
        id=f"waiting:{call.seq}",
        kind="tool_result",
        bucket=Bucket.TRANSCRIPT,
        rank=place.rank,
        trust=Trust.FACT,
        reason=Reason.OPEN_CALL,
        form=Form(f"No result yet: {call.name or 'this call'} (event {call.seq}) still waits for {what}."),
        role="tool" if setting.supports_tools else "user",
        part="transcript",
        title=families.call_label(call.name, arguments_of(call)),
        events=(call.seq, call.seq),
        pinned=True,
        compressible=False,
        call_id=call.call_id if setting.supports_tools else "",
        group=place.group,
        ends=place.ends,
    )


def reason_by_age(place: Place) -> Reason:
    if place.is_open:
        return Reason.OPEN_CALL
    return Reason.OLDER_HISTORY if place.rank == RANK_OLDER else Reason.RECENT_TAIL


def arguments_of(call: ToolCall | None) -> Arguments:
    if call is None:
        return {}
    try:
        read = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return {}
    return read if isinstance(read, dict) else {}


def _forms(
    message: Message, call: ToolCall | None, stale_by: int, setting: Setting
) -> tuple[Form, tuple[Rung, ...], str, str]:
    """The fullest form the result may have, the ladder below it, what the call was in a few words, and its family."""
    arguments = arguments_of(call)
    label = families.call_label(message.tool_name, arguments)
    if any_denied(_paths(arguments), setting.policy, setting.workspace_root):
        withheld = "[withheld: the policy does not let the model see this path]"
        return Form(withheld, Mode.REFERENCE, Action.REFERENCE, Reason.NOT_PERMITTED), (), label, ""
    if message.denied:
        return Form(message.text), (), label, ""
    limits = setting.policy.limits
    where = f"artifact {message.artifact[:12]}" if message.artifact else f"event {message.first_seq}"
    made = observations.reduce(
        message.tool_name, arguments, message.text, is_error=message.is_error, limits=limits, artifact=where
    )
    old = observations.reference(made, limits=limits, artifact=where)
    ladder: list[Rung] = [(STALE, cache(lambda: _stale(made, stale_by, where)))] if stale_by else []
    if old is not made:
        ladder.append((OLD, cache(lambda: _form(old, message, setting))))
    ladder.append((REFERENCE, cache(lambda: _pointer(made, message, where))))
    return _form(made, message, setting), tuple(ladder), label, made.kind


def _paths(arguments: Arguments) -> tuple[str, ...]:
    return families.paths_of(arguments) or families.path_of_command(families.command_of(arguments))


def _form(made: Observation, message: Message, setting: Setting) -> Form:
    parts = [made.text] if made.text.strip() else []
    parts += [f"[{item}]" for item in message.media]
    if message.pending:
        parts.append("[this result is not final yet]")
    text = "\n".join(parts) or "(no output)"
    if not setting.supports_tools:
        text = f"Result of {made.summary}:\n{text}"
    if made.reason is None:
        is_cut = message.size_chars > len(message.text)
        detail = f"{len(message.text)} of {message.size_chars} characters were recorded here" if is_cut else ""
        return Form(text, reason=Reason.MEDIA_REFERENCE if message.media else None, detail=detail)
    is_reference = made.reason == Reason.OLD_RESULT_REFERENCE
    mode, action = (Mode.REFERENCE, Action.REFERENCE) if is_reference else (Mode.EXCERPT, Action.TRUNCATE)
    return Form(text, mode, action, made.reason, f"{made.shown} of {made.total} {made.unit} shown")


def _pointer(made: Observation, message: Message, where: str) -> Form:
    """The last form before nothing: what it was and where it is."""
    size = f"{max(len(message.text), message.size_chars):,} characters"
    note = f"[{made.summary}; {size}, not shown: too many results at once; ask for {where}]"
    return Form(note, Mode.REFERENCE, Action.REFERENCE, Reason.BUCKET_BUDGET, f"0 of {size} shown")


def _stale(made: Observation, stale_by: int, where: str) -> Form:
    note = f"[{made.summary}: out of date, read or changed again at event {stale_by}; {where} holds what it said]"
    return Form(note, Mode.REFERENCE, Action.REFERENCE, Reason.STALE, f"superseded by event {stale_by}")
