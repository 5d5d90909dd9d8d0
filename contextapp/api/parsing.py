"""Reads a request body strictly: declared as JSON, complete, UTF-8, bounded in size and depth, no value that JSON has not.
A batch of events may come as NDJSON instead, one event per line.

What passes is handed on as it was written: number literals and duplicate-free objects, not an interpretation of them.
"""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest
from ninja.parser import Parser
from ninja.types import DictStrAny

from contextapp.api import bodies
from contextapp.api.problems import Problem
from contextapp.evidence import canonical

JSON, LINES = "application/json", "application/x-ndjson"
_WAY = "send smaller batches"


class StrictParser(Parser):
    def parse_body(self, request: HttpRequest) -> DictStrAny:
        body = bodies.unpacked(request, limit=settings.API_BODY_LIMIT_BYTES, way=_WAY)
        if not body:
            raise Problem(422, "empty_body", "the body is empty; send a JSON object")
        if request.content_type == LINES:
            return {"events": _lines(body)}
        content = decode(body, limit_depth=settings.API_JSON_DEPTH_LIMIT)
        if not isinstance(content, dict):
            raise Problem(422, "not_an_object", f"the body is a JSON {_kind(content)}; send an object")
        return content


def check_head(request: HttpRequest, *, takes_lines: bool = False) -> None:
    """What can be refused before the body is read as JSON; by its head alone before a byte of it is read."""
    if request.method not in ("POST", "PUT", "PATCH"):
        return
    declared = bodies.declared_length(request, limit=settings.API_BODY_LIMIT_BYTES, way=_WAY)
    taken = (JSON, LINES) if takes_lines else (JSON,)
    if request.content_type not in taken:
        shown = (request.content_type or "")[:80]
        raise Problem(415, "not_json", f"Content-Type is {shown!r}; send {' or '.join(taken)}")
    charset = (request.content_params or {}).get("charset", "utf-8").lower()
    if charset not in ("utf-8", "utf8"):
        raise Problem(415, "not_utf8", f"charset is {charset[:40]!r}; send UTF-8")
    bodies.check_encoding(request)
    if not bodies.whole(request, declared=declared):
        raise Problem(422, "empty_body", "the body is empty; send a JSON object")


def largest_encoded(request: HttpRequest) -> int:
    """No value of the body has more canonical bytes: an escape writes at most six for two, twelve for four."""
    packed = request.headers.get("Content-Encoding") is not None
    return 3 * (settings.API_BODY_LIMIT_BYTES if packed else len(request.body))


def _lines(body: bytes) -> list[object]:
    """One event per line (NDJSON); empty lines count for nothing."""
    lines = [line for line in body.split(b"\n") if line.strip()]
    if len(lines) > settings.API_BATCH_LIMIT:
        detail = f"the batch has {len(lines)} events, the limit is {settings.API_BATCH_LIMIT}; {_WAY}"
        raise Problem(422, "invalid_field", detail, field="events")
    return [_line(index, line) for index, line in enumerate(lines)]


def _line(index: int, line: bytes) -> object:
    try:
        return decode(line, limit_depth=settings.API_JSON_DEPTH_LIMIT)
    except Problem as problem:
        raise Problem(problem.status, problem.code, problem.detail, index=index) from problem


def decode(body: bytes, *, limit_depth: int) -> object:
    try:
        return canonical.decode(body, depth_limit=limit_depth)
    except canonical.NotCanonical as error:
        raise Problem(422, "bad_json", str(error)) from error


def _kind(content: object) -> str:
    kinds = {list: "array", str: "string", bool: "boolean", type(None): "null"}
    return kinds.get(type(content), "number")
