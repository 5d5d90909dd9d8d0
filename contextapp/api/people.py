"""Who is calling where only a person may: the login session with its CSRF token. A key is told so, and never decides."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from ninja.utils import check_csrf

from contextapp.api.keys import KeyAuth
from contextapp.api.parsing import check_head
from contextapp.api.problems import Problem


class PersonAuth(KeyAuth):
    """The action is one of people alone; the role is checked against the record's own project."""

    def __call__(self, request: HttpRequest) -> Any:  # the person, or None
        if request.headers.get("Authorization"):
            return super().__call__(request)
        if not request.user.is_authenticated:
            return None
        if check_csrf(request) is not None:
            raise Problem(403, "csrf_failed", "send the login session's CSRF token as the header X-CSRFToken")
        check_head(request, takes_lines=False)
        return request.user

    def authenticate(self, request: HttpRequest, token: str) -> Any:  # never anybody: a key is refused
        from_key = KeyAuth(None, is_json=False).authenticate(request, token)
        if from_key is None:
            return None
        raise Problem(403, "person_needed", "a key never decides on memory; a person does, in their own login session")
