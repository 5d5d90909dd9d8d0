"""Paths that the API does not have: a problem like any other, and only for a valid key."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest
from django.urls import register_converter
from django.urls.converters import PathConverter
from ninja import Router

from contextapp.api.access import not_found
from contextapp.api.keys import KeyAuth
from contextapp.api.problems import Problem

router = Router()


class AnyPath(PathConverter):
    """Django's own stops at a line break, and what it leaves would be answered by a page."""

    regex = r"[\s\S]+"


register_converter(AnyPath, "any_path")


@router.api_operation(
    ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"],
    "/{any_path:rest}",
    auth=KeyAuth(None, is_json=False),
    include_in_schema=False,
)
def unknown_path(request: HttpRequest, rest: str) -> None:
    """An id that is no UUID is answered like a UUID that nobody ever gave."""
    noun, _, below = rest.partition("/")
    name = below.partition("/")[0]
    if noun == "sessions" and name and not _is_uuid(name):
        raise not_found(name)
    raise Problem(404, "unknown_path", f"/api/v1/{rest[:200]} is not an operation of this API; see docs/api.md")


def _is_uuid(text: str) -> bool:
    try:
        return str(UUID(text)) == text
    except ValueError:
        return False
