"""Paths that the API does not have: a problem like any other, and only for a valid key."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import Router

from contextapp.api.keys import KeyAuth
from contextapp.api.problems import Problem

router = Router()


@router.api_operation(
    ["GET", "POST", "PUT", "PATCH", "DELETE"], "/{path:rest}", auth=KeyAuth(None), include_in_schema=False
)
def unknown_path(request: HttpRequest, rest: str) -> None:
    raise Problem(404, "unknown_path", f"/api/v1/{rest[:200]} is not an operation of this API; see docs/api.md")
