"""One event as a transcript message: results, denials, user messages, and media in words. Joins and pairs nothing."""

from __future__ import annotations

from collections.abc import Mapping

from contextapp.engine.events import Event
from contextapp.engine.observations.text import number, size
from contextapp.engine.projection.atoms import Message, ToolCall
from contextapp.engine.projection.payloads import flag, id_of, list_of, mapping_of, payload_of, text_of, whole

MOST_CHARS = 500_000_000  # a writer may claim any number; tokens reckoned from it have to fit a ledger's row


def user_message(event: Event) -> Message:
    payload = payload_of(event)
    text = text_of(payload, "text")
    total = _total_chars(payload)
    return Message(
        role="user",
        text=text,
        first_seq=event.seq,
        last_seq=event.seq,
        artifact=text_of(mapping_of(payload, "artifact"), "sha256"),
        size_chars=total if total > len(text) else 0,
        media=media_of(event),
        message_id=id_of(payload, "message_id"),
    )


def result_message(event: Event, call: ToolCall, *, cleared: bool = False) -> Message:
    """The answer to `call`; one that the harness cleared says so and names the event that holds it."""
    kept = event.derived.get("result")
    if kept is None or kept[:2] != (call, cleared):
        kept = event.derived["result"] = (call, cleared, _result(event, call, cleared=cleared))
    found: Message = kept[2]
    return found


def _result(event: Event, call: ToolCall, *, cleared: bool) -> Message:
    payload = payload_of(event)
    text = text_of(payload, "content")
    artifact = mapping_of(payload, "artifact")
    total = _total_chars(payload)
    if cleared and text:
        total = max(total, len(text))
        marker = f"[Old tool result cleared: {number(total)} characters. Event {event.seq} holds it.]"
        text = marker if len(marker) < len(text) else text
    return Message(
        role="tool",
        text=text,
        first_seq=event.seq,
        last_seq=event.seq,
        call_id=call.call_id,
        call_seq=call.seq,
        tool_name=call.name,
        is_error=flag(payload, "is_error"),
        pending=flag(payload, "pending"),
        artifact=text_of(artifact, "sha256"),
        size_chars=total if total > len(text) else 0,
        media=media_of(event),
    )


def _total_chars(payload: Mapping[str, object]) -> int:
    """Of the whole content, where the event holds a part and the rest is an artifact; 0 when it does not say."""
    said = whole(mapping_of(payload, "cut"), "total_chars") or whole(mapping_of(payload, "artifact"), "size_bytes") or 0
    return min(said, MOST_CHARS)


def denial_message(event: Event, call: ToolCall) -> Message:
    payload = payload_of(event)
    return Message(
        role="tool",
        text=denial_text(event),
        first_seq=event.seq,
        last_seq=event.seq,
        call_id=call.call_id or id_of(payload, "call_id"),
        call_seq=call.seq,
        tool_name=call.name,
        is_error=True,
        denied=True,
    )


def denial_text(event: Event) -> str:
    """That the call was denied, by whom and why."""
    payload = payload_of(event)
    by = {"person": " by the user", "rule": " by a rule", "mode": " by the permission mode"}.get(
        text_of(payload, "by"), ""
    )
    reason = text_of(payload, "reason").strip()
    return f"Denied{by}: {reason}" if reason else f"Denied{by}. No reason was given. Do not repeat the call."


def media_of(event: Event) -> tuple[str, ...]:
    """Pictures and files that came with a message: type, size and the start of their hash, never their bytes."""
    described = []
    for item in list_of(payload_of(event), "media")[:50]:
        if isinstance(item, Mapping):
            words = [text_of(item, "media_type") or "media"]
            bytes_long = whole(item, "size_bytes")
            if bytes_long is not None:
                words.append(size(max(0, bytes_long)))
            digest = text_of(item, "sha256")
            if digest:
                words.append(f"{digest[:8]}…")
            described.append(" ".join(words))
    return tuple(described)
