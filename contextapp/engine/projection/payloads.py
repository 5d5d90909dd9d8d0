"""Reads fields of payloads whose writers promise nothing: a missing or mistyped field is empty. Never raises, never changes
an event."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from contextapp.engine.events import Event, Payload
from contextapp.engine.observations.text import clean, head

ID_CHARS = 200
_NOTHING: Payload = {}


def payload_of(event: Event) -> Payload:
    payload = event.payload
    return payload if type(payload) is dict or isinstance(payload, Mapping) else _NOTHING


def is_erased(event: Event) -> bool:
    return payload_of(event).get("erased") is True


def text_of(payload: Payload, name: str) -> str:
    """The field as text: a string as it is, a list of content blocks joined, another value as canonical JSON."""
    return as_text(payload.get(name))


def as_text(value: object) -> str:
    if isinstance(value, str):
        return clean(value)
    if value is None:
        return ""
    if isinstance(value, list | tuple):
        return "\n".join(part for part in (_block_text(block) for block in value) if part)
    return canonical(value)


def _block_text(block: object) -> str:
    if isinstance(block, Mapping):
        if isinstance(block.get("text"), str):
            return clean(block["text"])
        if block.get("type") in ("image", "document", "file", "image_url"):
            return f"[{block['type']}]"
    return block if isinstance(block, str) else canonical(block)


def canonical(value: object) -> str:
    """Canonical JSON text; what JSON can't say is written by its type name."""
    try:
        return _encode(value)
    except (TypeError, ValueError, RecursionError):
        return f"<{type(value).__name__}>"


def _foreign(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else f"<{type(value).__name__}>"


_encode = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=_foreign).encode


def short(text: str, limit: int) -> str:
    """A preview for the state: no NUL, no surrogates, at most `limit` characters."""
    text = clean(text).replace("\0", "\ufffd")
    return text if len(text) <= limit else head(text, limit - 1) + "…"


def id_of(payload: Payload, name: str) -> str:
    """An identifier; one that is too long keeps its start and gets a hash, so that two never fall together."""
    value = payload.get(name)
    if type(value) is str and len(value) <= ID_CHARS and value.isascii() and "\0" not in value:
        return value
    if value is None or isinstance(value, list | tuple | Mapping):
        return ""
    text = clean(str(value)).replace("\0", "\ufffd")
    if len(text) <= ID_CHARS:
        return text
    return f"{text[:150]}#{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def whole(payload: Payload, name: str) -> int | None:
    value = payload.get(name)
    if value is None or isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, float) and not value.is_integer():
        return None
    return int(value)


def flag(payload: Payload, name: str) -> bool:
    return payload.get(name) is True


def mapping_of(payload: Payload, name: str) -> Payload:
    value = payload.get(name)
    return value if value is not None and isinstance(value, Mapping) else _NOTHING


def list_of(payload: Payload, name: str) -> list[Any]:
    value = payload.get(name)
    return list(value) if isinstance(value, list | tuple) else []


def arguments_of(payload: Payload) -> Payload:
    """The input of a tool call; JSON text is read, other text is kept under `input`."""
    value = payload.get("input")
    if type(value) is dict or isinstance(value, Mapping):
        return value
    if isinstance(value, str) and value.strip():
        try:
            read = json.loads(value)
        except (ValueError, RecursionError):
            read = None
        return read if isinstance(read, dict) else {"input": clean(value)}
    return _NOTHING


def visible(event: Event) -> bool:
    return event.visibility == "model"
