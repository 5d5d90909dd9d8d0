"""Long base64 and binary bytes in a result: shown by type, size and hash. Never decodes more than it needs to name the type."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re

from contextapp.engine.observations.text import clean, size

MIN_CHARS = 512
_RUN = re.compile(
    rf"(?:data:(?P<type>[\w.+-]+/[\w.+-]+)(?:;[\w=.-]+)*;base64,)?(?P<body>[A-Za-z0-9+/_-]{{{MIN_CHARS},}}={{0,2}}"
    r"|(?:[A-Za-z0-9+/]{60,76}\r?\n){8,}[A-Za-z0-9+/]*={0,2})"
)
_MAGIC = (
    (b"\x89PNG", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"RIFF", "image/webp"),
    (b"%PDF", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
    (b"\x7fELF", "application/x-executable"),
)
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f\ufffd]")


def without_binary(content: str) -> tuple[str, int]:
    """The content with each long base64 run in words, and how many there were."""
    count = 0

    def described(match: re.Match[str]) -> str:
        nonlocal count
        body = match["body"]
        if not match["type"] and not _looks_encoded(body):
            return match[0]
        count += 1
        return _describe(match["type"] or "", body)

    return _RUN.sub(described, content), count


def _looks_encoded(body: str) -> bool:
    """Base64 mixes cases and digits; a ruler of dashes, a long word or a hex dump does not."""
    sample = body[:400]
    kinds = (any(c.islower() for c in sample), any(c.isupper() for c in sample), any(c.isdigit() for c in sample))
    return all(kinds) and len(set(sample)) >= 24


def _describe(media_type: str, body: str) -> str:
    joined = "".join(body.split())
    padded = joined.translate(str.maketrans("-_", "+/")).rstrip("=")
    digest = hashlib.sha256(joined.encode()).hexdigest()[:16]
    start = padded[:64]
    try:
        magic = base64.b64decode(start[: len(start) // 4 * 4])
    except (binascii.Error, ValueError):
        magic = b""
    sniffed = next((name for mark, name in _MAGIC if magic.startswith(mark)), "")
    return f"[base64 {media_type or sniffed or 'binary'}, {size(len(padded) * 3 // 4)}, sha256 of the text {digest}]"


def is_binary(content: str) -> bool:
    """Mostly bytes that no terminal shows as text."""
    sample = content[:4_000]
    return len(sample) >= 64 and len(_CONTROLS.findall(clean(sample))) * 10 > len(sample)


def describe_binary(content: str) -> str:
    body = clean(content).encode()
    kind = next((name for mark, name in _MAGIC if content.encode("latin-1", "ignore").startswith(mark)), "binary")
    return f"[{kind} content, {size(len(body))}, sha256 {hashlib.sha256(body).hexdigest()[:16]}]"
