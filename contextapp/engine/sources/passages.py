"""What users and models said, as sources: words that can be excerpted, arguments that can be clipped. Which of them stand
in the request is decided elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

from contextapp.engine.observations import families
from contextapp.engine.observations.binary import without_binary
from contextapp.engine.observations.text import head, number, short_title, tail
from contextapp.engine.projection.atoms import Message, ToolCall
from contextapp.engine.reasons import Reason
from contextapp.engine.sources.results import Setting, arguments_of, reason_by_age
from contextapp.engine.sources.source import EXCERPT, OLD, Form, Place, Source
from contextapp.engine.values import Action, Bucket, Mode, Trust

USER_EXCERPT_CHARS = 2_000
ANSWER_EXCERPT_CHARS = 600


def user(message: Message, place: Place) -> Source:
    """Their words, whole; a picture or file pasted among them as base64 is told by type, size and hash."""
    spoken, encoded = without_binary(message.text)
    text = _with_media(spoken, message.media)
    return Source(
        id=f"event:{message.first_seq}",
        kind="user_message",
        bucket=Bucket.TRANSCRIPT,
        rank=place.rank,
        trust=Trust.TRUSTED,
        reason=Reason.USER_MESSAGE,
        form=_words(text, encoded, message),
        part="transcript",
        title=short_title(text),
        events=(message.first_seq, message.last_seq),
        pinned=place.is_pinned,
        is_anchor=place.is_anchor,
        whole=message.text if encoded else "",
        recorded_of=message.size_chars,
        group=place.group,
        ends=place.ends,
        ladder=((EXCERPT, cache(_cut(text, USER_EXCERPT_CHARS))),),
    )


def assistant(message: Message, place: Place, setting: Setting) -> Source:
    spoken, calls = message.text, message.calls
    thought = message.thinking if setting.policy.keep_thinking else ""
    text = f"[thinking]\n{thought}\n[/thinking]\n{spoken}".rstrip() if thought else spoken
    limit = setting.policy.limits.old_argument_chars
    is_thinking = bool(thought) and not spoken.strip() and not calls
    return Source(
        id=f"event:{message.first_seq}",
        kind="thinking" if is_thinking else "assistant_message",
        bucket=Bucket.TRANSCRIPT,
        rank=place.rank,
        trust=Trust.FACT,
        reason=reason_by_age(place),
        form=_said(text, calls, setting),
        role="assistant",
        part="transcript",
        title=short_title(", ".join(map(_label, calls)) or spoken or thought),
        events=(message.first_seq, message.last_seq),
        pinned=place.is_pinned,
        is_anchor=place.is_anchor,
        group=place.group,
        ends=place.ends,
        ladder=()
        if is_thinking
        else (
            (OLD, cache(lambda: _clipped(spoken, calls, limit, setting, thought))),
            (EXCERPT, cache(lambda: _clipped(_excerpt(spoken, ANSWER_EXCERPT_CHARS), calls, limit, setting, thought))),
        ),
    )


def _label(call: ToolCall) -> str:
    return families.call_label(call.name, arguments_of(call))


def summary_id(message: Message) -> str:
    return f"summary:{message.first_seq}-{message.last_seq}"


def summary(message: Message, trust: Trust, place: Place) -> Source:
    return Source(
        id=summary_id(message),
        kind="summary",
        bucket=Bucket.TRANSCRIPT,
        rank=place.rank,
        trust=trust,
        reason=Reason.COMPACTION_SUMMARY,
        form=Form(message.text, Mode.SUMMARY, Action.SUMMARIZE),
        part="summary",
        title=f"summary of events {message.first_seq} to {message.last_seq}",
        events=(message.first_seq, message.last_seq),
        pinned=place.is_pinned,
        is_anchor=place.is_anchor,
        group=place.group,
        ends=place.ends,
        fence_label=f"summary of events {message.first_seq} to {message.last_seq}",
        ladder=((EXCERPT, cache(_cut(message.text, USER_EXCERPT_CHARS))),),
    )


def _with_media(text: str, media: tuple[str, ...]) -> str:
    return "\n".join([*([text] if text else []), *(f"[{item}]" for item in media)])


def _words(text: str, encoded: int, message: Message) -> Form:
    if encoded:
        told = f"{number(encoded)} encoded files told by type, size and hash"
        return Form(text, Mode.EXCERPT, Action.TRUNCATE, Reason.MEDIA_REFERENCE, told)
    reason = Reason.MEDIA_REFERENCE if message.media else None
    if message.size_chars:
        told = f"{number(len(message.text))} of {number(message.size_chars)} characters were recorded here"
        return Form(text, Mode.EXCERPT, Action.TRUNCATE, reason, told)
    return Form(text, reason=reason)


def _said(text: str, calls: tuple[ToolCall, ...], setting: Setting) -> Form:
    if setting.supports_tools:
        return Form(text, calls=tuple((call.call_id, call.name, call.arguments or "{}") for call in calls))
    return Form("\n".join([*([text] if text else []), *(f"[called {call.name} {call.arguments}]" for call in calls)]))


def _clipped(text: str, calls: tuple[ToolCall, ...], limit: int, setting: Setting, thought: str) -> Form:
    """Without its thinking, which goes first, and with long texts cut."""
    shorter = tuple(ToolCall(call.call_id, call.name, _clip(call, limit), call.seq) for call in calls)
    said = _said(text, shorter, setting)
    if thought and shorter == calls:
        reason, detail = Reason.THINKING_DROPPED, f"without {number(len(thought))} characters of thinking"
    else:
        reason, detail = Reason.OLD_ARGUMENT_CLIPPED, f"texts over {number(limit)} characters"
    return Form(said.text, Mode.EXCERPT, Action.TRUNCATE, reason, detail, said.calls)


def _clip(call: ToolCall, limit: int) -> str:
    """The arguments with long texts cut: still one JSON object, with the same fields."""
    if len(call.arguments) <= limit:
        return call.arguments
    return json.dumps(_clip_value(arguments_of(call), limit), sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def _clip_value(value: Any, limit: int) -> Any:  # any JSON value
    if isinstance(value, str):
        return _excerpt(value, limit)
    if isinstance(value, dict):
        return {key: _clip_value(inner, limit) for key, inner in value.items()}
    if isinstance(value, list):
        return [_clip_value(inner, limit) for inner in value]
    return value


def _excerpt(text: str, limit: int) -> str:
    """Start and end with what is missing between them; the text itself where that would not be shorter."""
    start, end = head(text, limit * 4 // 5), tail(text, limit // 5)
    made = f"{start}\n[… {number(len(start) + len(end))} of {number(len(text))} characters shown …]\n{end}"
    return made if len(made) < len(text) else text


def _cut(text: str, limit: int) -> Callable[[], Form | None]:
    def make() -> Form | None:
        shown = _excerpt(text, limit)
        if shown == text:
            return None
        return Form(shown, Mode.EXCERPT, Action.TRUNCATE, Reason.BUCKET_BUDGET, f"of {number(len(text))} characters")

    return make
