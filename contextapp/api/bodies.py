"""The bytes of a body: bounded before they are read and while they are unpacked, complete, and what their digest says.

Reads no content: media types and JSON are the doors' own.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
import zlib

from django.http import HttpRequest

from contextapp.api.problems import Problem

_DIGEST = re.compile(r"\s*([a-z0-9-]{1,20})\s*=\s*:([A-Za-z0-9+/=]{0,200}):\s*")
_KNOWN = {"sha-256": hashlib.sha256, "sha-512": hashlib.sha512}


def declared_length(request: HttpRequest, *, limit: int, code: str = "body_too_large", way: str) -> int:
    """What the head says, refused over `limit` before a byte is read. `way` names the way out."""
    declared = request.META.get("CONTENT_LENGTH") or ""
    if not (declared.isascii() and declared.isdecimal()):
        raise Problem(411, "length_required", "send a Content-Length; chunked bodies are not taken")
    if len(declared) > 18 or int(declared) > limit:
        raise Problem(413, code, f"the body has {declared[:40]} bytes, the limit is {limit}; {way}")
    return int(declared)


def check_encoding(request: HttpRequest) -> None:
    encoding = _encoding(request)
    if encoding not in ("identity", "gzip"):
        raise Problem(415, "encoded_body", f"Content-Encoding is {encoding[:40]!r}; send gzip or none")


def whole(request: HttpRequest, *, declared: int) -> bytes:
    """The body as it was sent: all of it, and with the digest that `Content-Digest` (RFC 9530) gives."""
    body = request.body
    if len(body) != declared:
        raise Problem(400, "body_incomplete", f"{len(body)} of {declared} bytes arrived; send it again")
    given = request.headers.get("Content-Digest")
    if given is not None:
        _check_digest(given, body)
    return body


def unpacked(request: HttpRequest, *, limit: int, way: str) -> bytes:
    """The content of a body that is whole: unpacked if it is gzip, and never more of it than `limit`."""
    body = request.body
    if _encoding(request) == "identity":
        return body
    unpacker = zlib.decompressobj(wbits=31)
    try:
        content = unpacker.decompress(body, limit + 1)
    except zlib.error as error:
        raise Problem(400, "bad_gzip", f"the body is no gzip: {error}") from error
    if len(content) > limit:
        raise Problem(413, "body_too_large", f"unpacked, the body has more than {limit} bytes; {way}")
    if not unpacker.eof or unpacker.unused_data:
        raise Problem(400, "bad_gzip", "the gzip body is not whole, or something follows it")
    return content


def _encoding(request: HttpRequest) -> str:
    return request.headers.get("Content-Encoding", "identity").strip().lower()


def _check_digest(given: str, body: bytes) -> None:
    """Each digest of a kind that we know has to be right; of other kinds nothing is known (RFC 9530, section 2)."""
    for member in given[:1000].split(","):
        read = _DIGEST.fullmatch(member)
        if read is None:
            raise Problem(400, "bad_digest", f"Content-Digest is {given[:80]!r}; write sha-256=:BASE64:")
        kind, text = read.groups()
        if kind not in _KNOWN:
            continue
        try:
            expected = base64.b64decode(text, validate=True)
        except binascii.Error as error:
            raise Problem(400, "bad_digest", f"the {kind} digest {text[:90]!r} is no base64") from error
        found = _KNOWN[kind](body).digest()
        if found != expected:
            shown = base64.b64encode(found).decode()
            raise Problem(400, "digest_mismatch", f"the body that arrived has {kind}=:{shown}:; send it again")
