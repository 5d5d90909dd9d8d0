"""Events of a page folded into what a person reads: words, thinking, calls with their results. Pure; reads nothing besides.

A call and its result are one item when both are on the page; deltas of one message are one item; the rest keeps its order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from django.utils.translation import gettext as _

from contextapp.contexts.pieces import (
    about,
    arguments_text,
    artifact_of,
    body_of,
    compaction_words,
    media_of,
    preview,
    range_of,
    stored_preview,
    title_of,
)
from contextapp.contexts.values import CallItem, TranscriptItem
from contextapp.engine import events as kinds
from contextapp.engine.events import Event, Payload
from contextapp.engine.projection.payloads import flag, id_of, is_erased, payload_of, text_of, whole

PLAIN = {
    kinds.USER_MESSAGE: "user",
    kinds.MODEL_THINKING: "thinking",
    kinds.MODEL_MESSAGE: "assistant",
    kinds.MODEL_DELTA: "assistant",
    kinds.SESSION_COMPACTED: "compaction",
    kinds.RESOURCE_INCLUDED: "resource",
    kinds.INSTRUCTIONS_LOADED: "instructions",
    kinds.TOOLS_AVAILABLE: "tools",
    kinds.CONSTRAINT_ADDED: "constraint",
    kinds.RETRIEVAL_COMPLETED: "retrieval",
}


class Conversation:
    """Collects items in log order. `step_of` tells which model call wrote an event."""

    def __init__(self, step_of: Callable[[int], int | None], known_tokens: Callable[[str], int | None]) -> None:
        self._step_of = step_of
        self._known_tokens = known_tokens
        self._items: list[TranscriptItem] = []
        self._calls: dict[str, int] = {}  # call id -> place of its item
        self._deltas: dict[str, list[str]] = {}  # message id -> texts of the item at the end

    def feed(self, event: Event) -> None:
        if is_erased(event):
            self._redacted(event)
        elif event.type == kinds.TOOL_REQUESTED:
            self._called(event)
        elif event.type == kinds.TOOL_COMPLETED:
            self._completed(event)
        elif event.type == kinds.PERMISSION_RESOLVED:
            self._resolved(event)
        elif event.type == kinds.TURN_COMPLETED:
            self._ended(event)
        elif event.type == kinds.MODEL_DELTA and self._continues(event):
            self._extend(event)
        elif event.type in PLAIN:
            self._plain(event)
        elif not event.is_known or event.type == kinds.IMPORT_UNKNOWN:
            title = text_of(payload_of(event), "record_type") or event.type
            self._add(event, "unknown", title, body_of(event))

    def items(self) -> tuple[TranscriptItem, ...]:
        return tuple(self._items)

    def _add(self, event: Event, kind: str, title: str, text: str, call: CallItem | None = None) -> None:
        self._items.append(
            TranscriptItem(
                kind=kind,
                seq=event.seq,
                last_seq=event.seq,
                step=self._step_of(event.seq),
                title=title,
                body=stored_preview(payload_of(event), text),
                call=call,
                media=media_of(payload_of(event)),
                occurred_at=event.occurred_at,
                tokens=self._known_tokens(text) if text else None,
            )
        )

    def _plain(self, event: Event) -> None:
        payload = payload_of(event)
        kind, title, text = PLAIN[event.type], title_of(event), body_of(event)
        if payload.get("error_status") is not None:
            kind, title = "error", str(payload["error_status"])
        if event.type == kinds.SESSION_COMPACTED:
            title = compaction_words(payload)
        if not (text.strip() or title or media_of(payload)):
            return
        self._add(event, kind, title, text)
        self._deltas = {id_of(payload, "message_id"): [text]} if event.type == kinds.MODEL_DELTA else {}

    def _continues(self, event: Event) -> bool:
        last = self._items[-1] if self._items else None
        return last is not None and last.kind == "assistant" and id_of(payload_of(event), "message_id") in self._deltas

    def _extend(self, event: Event) -> None:
        texts = self._deltas[id_of(payload_of(event), "message_id")]
        texts.append(body_of(event))
        text = "".join(texts)
        self._items[-1] = replace(
            self._items[-1], last_seq=event.seq, body=preview(text), tokens=self._known_tokens(text)
        )

    def _called(self, event: Event) -> None:
        payload = payload_of(event)
        call = CallItem(
            call_id=id_of(payload, "call_id"),
            name=text_of(payload, "name"),
            summary=about(payload),
            arguments=preview(arguments_text(payload)),
            result=None,
            result_seq=0,
            is_error=False,
            exit_code=None,
            is_denied=False,
            denial_reason="",
            is_pending=False,
            artifact_sha256="",
            read_range="",
        )
        self._calls[call.call_id] = len(self._items)
        self._add(event, "call", title_of(event), "", call)

    def _completed(self, event: Event) -> None:
        payload = payload_of(event)
        place = self._calls.get(id_of(payload, "call_id"))
        text = text_of(payload, "content")
        found = self._items[place].call if place is not None else None
        if place is None or found is None or (found.result is not None and not found.is_pending):
            self._add(event, "result", text_of(payload, "name"), text)
            return
        call = replace(
            found,
            result=stored_preview(payload, text),
            result_seq=event.seq,
            is_error=flag(payload, "is_error"),
            exit_code=whole(payload, "exit_code"),
            is_pending=flag(payload, "pending"),
            artifact_sha256=artifact_of(payload),
            read_range=_range_words(payload),
        )
        item = self._items[place]
        self._items[place] = replace(
            item, last_seq=event.seq, call=call, media=item.media + media_of(payload), tokens=self._known_tokens(text)
        )

    def _resolved(self, event: Event) -> None:
        payload = payload_of(event)
        if payload.get("decision") != "denied":
            return
        place = self._calls.get(id_of(payload, "call_id"))
        found = self._items[place].call if place is not None else None
        if place is None or found is None:
            self._add(event, "denial", text_of(payload, "by"), body_of(event))
            return
        call = replace(found, is_denied=True, denial_reason=text_of(payload, "reason"))
        self._items[place] = replace(self._items[place], call=call)

    def _ended(self, event: Event) -> None:
        payload = payload_of(event)
        if payload.get("stop_reason") == "error":
            self._add(event, "error", text_of(payload, "error_code") or "error", "")

    def _redacted(self, event: Event) -> None:
        last = self._items[-1] if self._items else None
        if last is not None and last.kind == "redacted" and last.last_seq == event.seq - 1:
            self._items[-1] = replace(last, last_seq=event.seq)
        else:
            self._items.append(
                TranscriptItem("redacted", event.seq, event.seq, None, "", preview(""), occurred_at=event.occurred_at)
            )


def converse(
    events: Iterable[Event], step_of: Callable[[int], int | None], known_tokens: Callable[[str], int | None]
) -> tuple[TranscriptItem, ...]:
    conversation = Conversation(step_of, known_tokens)
    for event in events:
        conversation.feed(event)
    return conversation.items()


def _range_words(payload: Payload) -> str:
    found = range_of(payload)
    if found is None:
        return ""
    first, last, total = found
    values = {"first": f"{first:,}", "last": f"{last:,}", "total": f"{total:,}"}
    return _("lines %(first)s-%(last)s of %(total)s") % values if total else _("lines %(first)s-%(last)s") % values
