"""Artifacts: large content put under its SHA-256, and read again whole or in part. Never changed, never shown inline."""

from __future__ import annotations

import re
from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from ninja import Router, Status

from contextapp.accounts import permissions
from contextapp.api import bodies
from contextapp.api.access import session_of
from contextapp.api.keys import KeyAuth, key_of
from contextapp.api.problems import READ_PROBLEMS, WRITE_PROBLEMS, Problem, ProblemOut
from contextapp.api.schemas import ArtifactOut
from contextapp.eventlog import errors
from contextapp.eventlog import selectors as log
from contextapp.eventlog import services as log_services

router = Router(tags=["artifacts"])

PATH = "/sessions/{uuid:session_id}/artifacts/{sha256}"
_DIGEST = re.compile(r"[0-9a-f]{64}")
_MEDIA_TYPE = re.compile(r"[a-z0-9!#$&^_.+-]{1,60}/[a-z0-9!#$&^_.+-]{1,60}")
_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")
UNNAMED = "application/octet-stream"
_BYTES: dict[str, Any] = {"content": {"*/*": {"schema": {"type": "string", "format": "binary"}}}}  # OpenAPI
_READ: dict[str, Any] = {  # OpenAPI
    "responses": {200: {"description": "The bytes", **_BYTES}, 206: {"description": "The wanted part", **_BYTES}}
}


@router.put(
    PATH,
    operation_id="put_artifact",
    summary="Put an artifact",
    auth=KeyAuth("event.append", is_json=False),
    response={200: ArtifactOut, 201: ArtifactOut, **WRITE_PROBLEMS},
    openapi_extra={"requestBody": {"required": True, **_BYTES}},
)
def put_artifact(request: HttpRequest, session_id: UUID, sha256: str) -> Status[ArtifactOut]:
    """The body is the content, of any media type. 201: new to this session; 200: it was there. Events name it as `artifact`."""
    session = session_of(key_of(request), session_id)
    if not _DIGEST.fullmatch(sha256):
        detail = f"{sha256[:70]!r} is no SHA-256; give 64 lower-case hex digits"
        raise Problem(422, "invalid_field", detail, field="sha256")
    body = _body(request)
    media_type = (request.content_type or UNNAMED).lower()
    if not _MEDIA_TYPE.fullmatch(media_type) or len(media_type) > 100:
        media_type = UNNAMED
    try:
        is_new = log_services.put_artifact(
            session_id=session.id, digest=bytes.fromhex(sha256), media_type=media_type, body=body
        )
    except errors.ArtifactRefused as error:
        raise Problem(422, "artifact_refused", str(error), field=error.field) from error
    except errors.SessionErased as error:
        raise Problem(409, "session_erased", str(error)) from error
    kept = log.get_artifact(session.id, sha256)
    first = kept.media_type if kept else media_type  # that of the first put stays
    reference: dict[str, Any] = {"sha256": sha256, "size_bytes": len(body), "media_type": first}
    return Status(201 if is_new else 200, ArtifactOut(**reference, reference=reference))


@router.get(
    PATH,
    operation_id="get_artifact",
    summary="Read an artifact, or a part of it",
    auth=KeyAuth(permissions.READ),
    response={**READ_PROBLEMS, 416: ProblemOut},
    openapi_extra=_READ,
)
def get_artifact(request: HttpRequest, session_id: UUID, sha256: str) -> HttpResponse:
    """Of this session only. One `Range: bytes=` is answered 206 with that part."""
    return _answer(request, session_id, sha256)


@router.api_operation(
    ["HEAD"],
    PATH,
    operation_id="head_artifact",
    summary="Ask whether an artifact is there, and how large",
    auth=KeyAuth(permissions.READ),
    response={**READ_PROBLEMS, 416: ProblemOut},
    openapi_extra={"responses": {200: {"description": "It is there"}, 206: {"description": "The part is there"}}},
)
def head_artifact(request: HttpRequest, session_id: UUID, sha256: str) -> HttpResponse:
    """The headers of the answer to GET."""
    return _answer(request, session_id, sha256)


def _body(request: HttpRequest) -> bytes:
    """Complete, bounded, and as it is: an encoded body would have another hash."""
    limit = settings.API_ARTIFACT_LIMIT_BYTES
    declared = bodies.declared_length(request, limit=limit, code="artifact_too_large", way="split it")
    encoding = request.headers.get("Content-Encoding", "identity")
    if encoding != "identity":
        raise Problem(415, "encoded_body", f"Content-Encoding is {encoding[:40]!r}; send the body as it is")
    return bodies.whole(request, declared=declared)


def _answer(request: HttpRequest, session_id: UUID, sha256: str) -> HttpResponse:
    session = session_of(key_of(request), session_id)
    found = log.get_artifact(session.id, sha256) if _DIGEST.fullmatch(sha256) else None
    if found is None:
        raise Problem(404, "artifact_not_found", f"this session has no artifact {sha256[:70]}")
    body = bytes(found.body)
    part = _part(request.headers.get("Range", ""), len(body))
    response = HttpResponse(body[part.start : part.stop] if part is not None else body, content_type=found.media_type)
    if part is not None:
        response.status_code = 206
        response["Content-Range"] = f"bytes {part.start}-{part.stop - 1}/{len(body)}"
    response["Content-Length"] = str(len(response.content))
    response["Accept-Ranges"] = "bytes"
    response["ETag"] = f'"{sha256}"'
    response["Content-Disposition"] = f'attachment; filename="{sha256[:16]}"'
    response["X-Content-Type-Options"] = "nosniff"
    return response


def _part(wanted: str, size: int) -> range | None:
    """The bytes that are wanted; None: all. What is not one range of bytes is ignored, as RFC 9110 allows."""
    found = _RANGE.fullmatch(wanted.strip())
    if found is None or not (found[1] or found[2]):
        return None
    if not found[1]:
        start, stop = max(size - int(found[2]), 0), size
    else:
        start = int(found[1])
        if found[2] and int(found[2]) < start:
            return None
        stop = min(int(found[2]) + 1, size) if found[2] else size
    if start >= stop:
        raise Problem(
            416, "range_not_satisfiable", f"the artifact has {size} bytes, not {wanted[:60]}", size_bytes=size
        )
    return range(start, stop)
