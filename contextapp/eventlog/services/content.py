"""Moves what is too large for an event into attachments: media given as base64, and very long texts. Loses nothing."""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from contextapp.eventlog.errors import DraftRefused
from contextapp.eventlog.masking.payloads import mask_text
from contextapp.eventlog.masking.scan import BUILT_IN, Scanner
from contextapp.evidence import canonical

TEXT_LIMIT_BYTES = 256 * 1024
HEAD_CHARS = 64 * 1024
TAIL_CHARS = 16 * 1024
_TEXT_MEDIA = re.compile(r"text/.*|image/svg\+xml|application/(json|xml|javascript|x-ndjson|yaml)")
# A cut before one of these would take a sign apart: marks that combine, joiners, variation selectors, skin tones.
_CONTINUES = re.compile("[\u0300-\u036f\u0483-\u0489\u0e31-\u0e4e\u1ab0-\u1aff\u200c\u200d\u20d0-\u20ff\udc00-\udfff\ufe00-\ufe0f\U0001f3fb-\U0001f3ff\n]")  # fmt: skip  # noqa: E501  one class of characters
_JOINS = ("\u200d", "\r")


@dataclass(frozen=True, slots=True)
class Attachment:
    sha256: bytes
    media_type: str
    body: bytes

    def reference(self) -> dict[str, Any]:
        return {"sha256": self.sha256.hex(), "size_bytes": len(self.body), "media_type": self.media_type}


def move_media(
    index: int, payload: dict[str, Any], attachments: list[Attachment], scanner: Scanner = BUILT_IN
) -> dict[str, Any]:
    """`media[].data_base64` becomes an attachment; the entry keeps its hash and size."""
    media = payload.get("media")
    if not isinstance(media, list) or not any(isinstance(entry, dict) and "data_base64" in entry for entry in media):
        return payload
    return {
        **payload,
        "media": [_moved(index, place, entry, attachments, scanner) for place, entry in enumerate(media)],
    }


def move_text(payload: dict[str, Any], attachments: list[Attachment]) -> dict[str, Any]:
    """A `content` or `text` over 256 KB is kept whole as the JSON string it is; the event shows its start and end."""
    for name in ("content", "text"):
        text = payload.get(name)
        if isinstance(text, str) and len(text) * 4 > TEXT_LIMIT_BYTES:
            if len(text.encode("utf-8", "surrogatepass")) <= TEXT_LIMIT_BYTES:
                continue
            kept = _attach("application/json", canonical.encode(text), attachments)
            head, tail = text[: _boundary(text, HEAD_CHARS)], text[_boundary(text, len(text) - TAIL_CHARS) :]
            shown = len(head) + len(tail)
            gap = (
                f"\n[… {len(text) - shown} of {len(text)} characters are in the artifact {kept.sha256.hex()[:12]} …]\n"
            )
            cut = {"shown_chars": shown, "total_chars": len(text), "head_chars": len(head)}
            return {**payload, name: head + gap + tail, "artifact": kept.reference(), "cut": cut}
    return payload


def _moved(
    index: int, place: int, entry: Any, attachments: list[Attachment], scanner: Scanner
) -> Any:  # Any: the writer's JSON
    if not isinstance(entry, dict) or "data_base64" not in entry:
        return entry
    field = f"payload/media/{place}/data_base64"
    encoded = entry["data_base64"]
    if not isinstance(encoded, str):
        raise DraftRefused(index, field, f"base64 text is needed, not {type(encoded).__name__}")
    try:
        body = base64.b64decode("".join(encoded.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise DraftRefused(index, field, "not valid base64") from error
    media_type = str(entry.get("media_type") or "application/octet-stream")[:100]
    kept = _attach(media_type, _masked_body(media_type, body, scanner), attachments)
    return {**{name: value for name, value in entry.items() if name != "data_base64"}, **kept.reference()}


def _masked_body(media_type: str, body: bytes, scanner: Scanner) -> bytes:
    if not _TEXT_MEDIA.fullmatch(media_type.partition(";")[0].strip().lower()):
        return body
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        return body  # not text, whatever its media type says
    return mask_text(text, scanner).encode("utf-8")


def _attach(media_type: str, body: bytes, attachments: list[Attachment]) -> Attachment:
    made = Attachment(sha256(body).digest(), media_type, body)
    attachments.append(made)
    return made


def _boundary(text: str, position: int) -> int:
    """The nearest place at or before `position` where a cut takes no sign apart."""
    lowest = max(position - 64, 1)
    while position > lowest and (_CONTINUES.match(text, position) or text[position - 1] in _JOINS):
        position -= 1
    return position
