"""One event as a person reads it: a title and a preview of its text. Pure; text stays untrusted and is never cut silently."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from contextapp.contexts.values import PREVIEW_CHARS, EventPiece, Preview
from contextapp.engine import events as kinds
from contextapp.engine.events import Event, Payload
from contextapp.engine.observations.families import call_label
from contextapp.engine.observations.text import first_line, head, size
from contextapp.engine.projection.payloads import (
    arguments_of,
    canonical,
    is_erased,
    list_of,
    mapping_of,
    payload_of,
    text_of,
    whole,
)

SUMMARY_CHARS = 160


def preview(text: str, limit: int = PREVIEW_CHARS) -> Preview:
    return Preview(head(text, limit), len(text))


def stored_preview(payload: Payload, text: str) -> Preview:
    """Of a text of this event. Where the log keeps the whole as an artifact, its true size is not that of `text`."""
    shown = preview(text)
    total = whole(mapping_of(payload, "cut"), "total_chars") if artifact_of(payload) else None
    return shown if total is None else Preview(shown.text, max(total, shown.total_chars))


def piece_of(event: Event) -> EventPiece:
    title, text = title_of(event), body_of(event)
    return EventPiece(
        seq=event.seq,
        type=event.type,
        title=title,
        body=stored_preview(payload_of(event), text),
        occurred_at=event.occurred_at,
        artifact_sha256=artifact_of(payload_of(event)),
    )


def body_of(event: Event) -> str:
    """What the event says; for types without text of their own, their payload as JSON."""
    payload = payload_of(event)
    match event.type:
        case _ if is_erased(event):
            return ""
        case kinds.USER_MESSAGE | kinds.MODEL_DELTA | kinds.MODEL_MESSAGE | kinds.MODEL_THINKING:
            return text_of(payload, "text")
        case kinds.INSTRUCTIONS_LOADED | kinds.RESOURCE_INCLUDED | kinds.CONSTRAINT_ADDED:
            return text_of(payload, "text")
        case kinds.TOOL_REQUESTED:
            return arguments_text(payload)
        case kinds.TOOL_COMPLETED:
            return text_of(payload, "content")
        case kinds.SESSION_COMPACTED:
            return text_of(payload, "summary")
        case kinds.PERMISSION_RESOLVED:
            return text_of(payload, "reason")
        case kinds.TOOLS_AVAILABLE:
            return "\n".join(_tool_line(tool) for tool in list_of(payload, "tools"))
        case _:
            return canonical(payload) if payload else ""


def title_of(event: Event) -> str:
    """A few words that tell this event from its neighbours: tool, file, level."""
    payload = payload_of(event)
    match event.type:
        case kinds.TOOL_REQUESTED:
            return call_label(text_of(payload, "name"), arguments_of(payload), SUMMARY_CHARS)
        case kinds.INSTRUCTIONS_LOADED:
            place = text_of(payload, "path") or text_of(payload, "name") or text_of(payload, "id")
            return ": ".join(part for part in (text_of(payload, "level"), place) if part)
        case kinds.RESOURCE_INCLUDED:
            return text_of(payload, "title") or text_of(payload, "path") or text_of(payload, "kind")
        case kinds.RETRIEVAL_COMPLETED:
            return first_line(text_of(payload, "query"), SUMMARY_CHARS)
        case kinds.TOOL_COMPLETED | kinds.PERMISSION_RESOLVED:
            return text_of(payload, "name") or text_of(payload, "decision")
        case kinds.FILE_CHANGED:
            return text_of(payload, "path")
        case _:
            return ""


def compaction_words(payload: Payload) -> str:
    """What set it off, which events it covers, and the window before and after as the transcript says."""
    covers = list_of(payload, "covers")
    before, after = whole(payload, "before_tokens"), whole(payload, "after_tokens")
    words = [text_of(payload, "trigger") or text_of(payload, "by")]
    if len(covers) == 2:
        words.append(_("events %(first)s-%(last)s") % {"first": covers[0], "last": covers[1]})
    if before is not None and after is not None:
        words.append(_("%(before)s → %(after)s tok") % {"before": f"{before:,}", "after": f"{after:,}"})
    elif before is not None:
        words.append(_("%(before)s tok before") % {"before": f"{before:,}"})
    return " · ".join(word for word in words if word)


def about(payload: Payload) -> str:
    """What a call is about, without its tool's name: the command, the file, the pattern."""
    name = text_of(payload, "name")
    return call_label(name, arguments_of(payload), SUMMARY_CHARS).removeprefix(name).strip()


def arguments_text(payload: Payload) -> str:
    """One argument per line; several lines of one argument stay lines."""
    lines = []
    for name, value in arguments_of(payload).items():
        text = value if isinstance(value, str) else canonical(value)
        lines.append(f"{name}: {text}" if "\n" not in text else f"{name}:\n{text}")
    return "\n".join(lines)


def artifact_of(payload: Payload) -> str:
    return text_of(mapping_of(payload, "artifact"), "sha256")


def media_of(payload: Payload) -> tuple[str, ...]:
    return tuple(_media_line(entry) for entry in list_of(payload, "media") if isinstance(entry, Mapping))


def range_of(payload: Payload) -> tuple[int, int, int] | None:
    """(first line, last line, lines in all) of a partial read; 0 for what is not recorded."""
    found = mapping_of(payload, "read_range")
    if not found:
        return None
    return (whole(found, "first_line") or 0, whole(found, "last_line") or 0, whole(found, "total_lines") or 0)


def _media_line(entry: Mapping[str, Any]) -> str:
    bytes_ = whole(entry, "size_bytes")
    parts = [text_of(entry, "media_type") or "media", size(bytes_) if bytes_ else "", text_of(entry, "sha256")[:12]]
    return " ".join(part for part in parts if part)


def _tool_line(tool: object) -> str:
    if not isinstance(tool, Mapping):
        return str(tool)
    description = first_line(text_of(tool, "description"), SUMMARY_CHARS)
    return ": ".join(part for part in (text_of(tool, "name"), description) if part)
