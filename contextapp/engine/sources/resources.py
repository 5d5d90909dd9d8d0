"""Resources that a user or the policy included explicitly. What a harness adds by itself stays out, and the ledger says so."""

from __future__ import annotations

from collections.abc import Callable

from contextapp.engine.events import Event
from contextapp.engine.inputs import BuildInputs
from contextapp.engine.observations.binary import without_binary
from contextapp.engine.observations.text import head, number, tail
from contextapp.engine.policy import Policy
from contextapp.engine.projection.payloads import is_erased, payload_of, text_of, visible
from contextapp.engine.reasons import Reason
from contextapp.engine.sources.named import named_events
from contextapp.engine.sources.permission import any_denied, matches
from contextapp.engine.sources.source import EXCERPT, RANK_RESOURCES, REFERENCE, Form, Source
from contextapp.engine.values import Action, Bucket, Mode, Trust

INCLUDERS = frozenset({"user", "policy"})


def collect(inputs: BuildInputs, policy: Policy) -> tuple[Source, ...]:
    """One source per resource, in the order of the log; its text is quoted, whoever included it."""
    return tuple(_source(event, inputs, policy) for event in named_events(inputs, inputs.state.resource_seqs))


def _source(event: Event, inputs: BuildInputs, policy: Policy) -> Source:
    payload = payload_of(event)
    path = text_of(payload, "path")
    title = text_of(payload, "title") or path or text_of(payload, "id") or f"event {event.seq}"
    whole = text_of(payload, "text")
    text, encoded = without_binary(whole)
    return Source(
        id=f"resource:{event.seq}",
        kind="resource",
        bucket=Bucket.MCP_RESOURCES,
        rank=RANK_RESOURCES,
        trust=Trust.UNTRUSTED,
        reason=Reason.EXPLICIT_RESOURCE,
        form=Form(text, Mode.EXCERPT, Action.TRUNCATE, Reason.MEDIA_REFERENCE) if encoded else Form(text),
        part="resources",
        title=title,
        events=(event.seq, event.seq),
        fence_label=f"resource {title}",
        whole=whole,
        ladder=(
            (EXCERPT, _excerpt(text, policy.limits.result_chars)),
            (EXCERPT, _excerpt(text, policy.limits.result_chars // 4)),
            (REFERENCE, lambda: _reference(title, text)),
        ),
        refusal=_refusal(event, path, text, inputs, policy),
    )


def _refusal(event: Event, path: str, text: str, inputs: BuildInputs, policy: Policy) -> Reason | None:
    if is_erased(event):
        return Reason.ERASED
    payload, root = payload_of(event), inputs.workspace_root
    names = [name for name in (path, text_of(payload, "title"), text_of(payload, "id")) if name]
    if not visible(event) or any_denied(names, policy, root):
        return Reason.NOT_PERMITTED
    is_asked_for = text_of(payload, "by") in INCLUDERS
    if not is_asked_for and not any(matches(name, policy.include_resources, root) for name in names):
        return Reason.NOT_INCLUDED
    return None if text.strip() else Reason.EMPTY


def _excerpt(text: str, limit: int) -> Callable[[], Form | None]:
    def make() -> Form | None:
        if len(text) <= limit:
            return None
        start, end = head(text, limit * 4 // 5), tail(text, limit // 5)
        shown = f"{number(len(start) + len(end))} of {number(len(text))} characters shown"
        return Form(f"{start}\n[… {shown} …]\n{end}", Mode.EXCERPT, Action.TRUNCATE, Reason.BUCKET_BUDGET, shown)

    return make


def _reference(title: str, text: str) -> Form:
    note = f"[{title}: {number(len(text))} characters, not shown; ask for it by name]"
    return Form(
        note, Mode.REFERENCE, Action.REFERENCE, Reason.BUCKET_BUDGET, f"0 of {number(len(text))} characters shown"
    )
