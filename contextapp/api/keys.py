"""Who is calling: an API key in the Authorization header, and whether it may do this. Cookies count for nothing."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from ninja.security import HttpBearer

from contextapp.accounts import permissions
from contextapp.accounts.selectors import key_for
from contextapp.api import rates
from contextapp.api.parsing import check_head
from contextapp.api.problems import Problem


class KeyAuth(HttpBearer):
    """One per operation, with the action of `accounts.permissions` it is (None: any key). The key comes before the body."""

    def __init__(self, action: str | None, *, is_json: bool = True, takes_lines: bool = False) -> None:
        """`is_json` False: the operation takes no body, or reads one of any type by itself. `takes_lines`: NDJSON too."""
        super().__init__()
        self.action = action
        self.is_json = is_json
        self.takes_lines = takes_lines

    def authenticate(self, request: HttpRequest, token: str) -> Any:  # the key; doors don't name models
        key = key_for(token)
        if key is None:
            return None
        rates.remember(request, key)
        if self.action is not None and not permissions.key_may(key.scopes, self.action):
            scopes = [scope for scope, actions in permissions.SCOPE_PERMITS.items() if self.action in actions]
            detail = f"this key may {', '.join(key.scopes)}; {self.action} needs one of: {', '.join(scopes)}"
            raise Problem(403, "scope_missing", detail)
        rates.admit(key)
        if self.is_json:
            check_head(request, takes_lines=self.takes_lines)
        return key


def key_of(request: HttpRequest) -> Any:  # the key; doors don't name models
    return request.auth  # type: ignore[attr-defined]  # set by KeyAuth on every operation


def actor(request: HttpRequest) -> str:
    return f"key:{key_of(request).key_id}"
