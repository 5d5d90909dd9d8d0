"""Who is calling: an API key in the Authorization header, and whether its scopes allow the operation. Cookies count for
nothing."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpRequest
from ninja.security import HttpBearer

from contextapp.accounts import selectors as accounts
from contextapp.api.parsing import check_head
from contextapp.api.problems import Problem


class KeyAuth(HttpBearer):
    """One per operation, with the scope it needs. The body is looked at only after the key is known."""

    def __init__(self, scope: str) -> None:
        super().__init__()
        self.scope = scope

    def authenticate(self, request: HttpRequest, token: str) -> Any:  # the key; doors don't name models
        key = accounts.key_for(token)
        if key is None:
            return None
        if self.scope not in key.scopes:
            raise Problem(
                403,
                "scope_missing",
                f"this key may {', '.join(key.scopes)}; this operation needs the scope {self.scope!r}",
            )
        check_head(request)
        return key


def actor(request: HttpRequest) -> str:
    return f"key:{request.auth.key_id}"  # type: ignore[attr-defined]  # set by KeyAuth on every operation


def key_of(request: HttpRequest) -> Any:  # the key; doors don't name models
    return request.auth  # type: ignore[attr-defined]  # set by KeyAuth on every operation


def key_uuid(request: HttpRequest) -> UUID:
    return key_of(request).id
