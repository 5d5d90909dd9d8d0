"""Reads a request body strictly: declared as JSON, complete, UTF-8, bounded in size and depth, no value that JSON has not.

What passes is handed on as it was written: number literals and duplicate-free objects, not an interpretation of them.
"""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest
from ninja.parser import Parser
from ninja.types import DictStrAny

from contextapp.api.problems import Problem
from contextapp.evidence import canonical


class StrictParser(Parser):
    def parse_body(self, request: HttpRequest) -> DictStrAny:
        content = decode(request.body, limit_depth=settings.API_JSON_DEPTH_LIMIT)
        if not isinstance(content, dict):
            raise Problem(422, "not_an_object", f"the body is a JSON {_kind(content)}; send an object")
        return content


def check_head(request: HttpRequest) -> None:
    """What can be refused before a byte of the body is read."""
    if request.method not in ("POST", "PUT", "PATCH"):
        return
    declared = request.META.get("CONTENT_LENGTH") or ""
    if not declared.isdecimal():
        raise Problem(411, "length_required", "send a Content-Length; chunked bodies are not taken")
    limit = settings.API_BODY_LIMIT_BYTES
    if int(declared) > limit:
        raise Problem(
            413, "body_too_large", f"the body has {declared} bytes, the limit is {limit}; send smaller batches"
        )
    if request.content_type != "application/json":
        raise Problem(415, "not_json", f"Content-Type is {request.content_type!r}; send application/json")
    charset = (request.content_params or {}).get("charset", "utf-8").lower()
    if charset not in ("utf-8", "utf8"):
        raise Problem(415, "not_utf8", f"charset is {charset!r}; send UTF-8")
    encoding = request.headers.get("Content-Encoding", "identity")
    if encoding != "identity":
        raise Problem(415, "encoded_body", f"Content-Encoding is {encoding!r}; send the body as it is")
    if len(request.body) != int(declared):
        raise Problem(400, "body_incomplete", f"{len(request.body)} of {declared} bytes arrived; send it again")
    if not request.body:
        raise Problem(422, "empty_body", "the body is empty; send a JSON object")


def decode(body: bytes, *, limit_depth: int) -> object:
    try:
        return canonical.decode(body, depth_limit=limit_depth)
    except canonical.NotCanonical as error:
        raise Problem(422, "bad_json", str(error)) from error


def _kind(content: object) -> str:
    kinds = {list: "array", str: "string", bool: "boolean", type(None): "null"}
    return kinds.get(type(content), "number")
