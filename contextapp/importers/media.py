"""Pictures and documents inside a transcript: what and how large. The bytes ride along as base64; nothing is stored here."""

from __future__ import annotations

import base64
import binascii
import hashlib
import struct
from typing import Any

from contextapp.importers.contract import Json


def from_base64(data: str, media_type: str) -> Json:
    """The payload entry of one medium; of data that is not base64 only the length is kept."""
    try:
        body = base64.b64decode("".join(data.split()), validate=True)
    except (binascii.Error, ValueError):
        return {"media_type": media_type, "size_bytes": len(data)}
    entry: Json = {
        "media_type": media_type,
        "size_bytes": len(body),
        "sha256": hashlib.sha256(body).hexdigest(),
        "data_base64": base64.b64encode(body).decode("ascii"),
    }
    if size := dimensions(body):
        entry["width"], entry["height"] = size
    return entry


def from_url(url: str, media_type: str) -> Json:
    """`data:` addresses carry the bytes; others are kept as the reference they are."""
    head, comma, data = url.partition(",")
    if head.startswith("data:") and comma and head.endswith(";base64"):
        return from_base64(data, head.removeprefix("data:").removesuffix(";base64") or media_type)
    return {"media_type": media_type, "url": url}


def from_anthropic(block: Json) -> Json:
    """An image or document block: `source` is base64, a URL or a file id."""
    kind = {"image": "image/unknown", "document": "application/octet-stream"}.get(str(block.get("type")), "unknown")
    source: Any = block.get("source")
    if not isinstance(source, dict):
        return {"media_type": kind, "size_bytes": 0}
    named = source.get("media_type")
    media_type = named if isinstance(named, str) else kind
    if isinstance(source.get("data"), str):
        if source.get("type") == "text":
            body = source["data"].encode("utf-8", errors="replace")
            return from_base64(base64.b64encode(body).decode("ascii"), media_type)
        return from_base64(source["data"], media_type)
    reference = source.get("url") or source.get("file_id")
    return {"media_type": media_type, "url": reference if isinstance(reference, str) else ""}


def dimensions(body: bytes) -> tuple[int, int] | None:
    """Width and height from the header of a PNG, GIF, JPEG or WebP."""
    if body[:8] == b"\x89PNG\r\n\x1a\n" and len(body) >= 24:
        width, height = struct.unpack(">II", body[16:24])
        return width, height
    if body[:6] in (b"GIF87a", b"GIF89a") and len(body) >= 10:
        width, height = struct.unpack("<HH", body[6:10])
        return width, height
    if body[:4] == b"RIFF" and body[12:16] == b"VP8X" and len(body) >= 30:
        return 1 + int.from_bytes(body[24:27], "little"), 1 + int.from_bytes(body[27:30], "little")
    return _jpeg_dimensions(body) if body[:2] == b"\xff\xd8" else None


def _jpeg_dimensions(body: bytes) -> tuple[int, int] | None:
    place = 2
    while place + 9 < len(body) and body[place] == 0xFF:
        marker, length = body[place + 1], int.from_bytes(body[place + 2 : place + 4], "big")
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", body[place + 5 : place + 9])
            return width, height
        place += 2 + length
    return None
