"""How long a login lasts, and from which address a visitor comes. Knows no password and decides nothing else."""

from __future__ import annotations

import time
from collections.abc import Callable

from django.conf import settings
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse

STARTED, SEEN = "login_started", "login_seen"
NOTE_SECONDS = 60  # a login's last sign of life is written at most so often


class LoginAgeMiddleware:
    """Ends logins that are idle for too long or simply too old. What a page asks for by itself is no sign of life."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if settings.SESSION_COOKIE_NAME in request.COOKIES and request.user.is_authenticated:
            now = int(time.time())
            started, seen = request.session.get(STARTED, now), request.session.get(SEEN, now)
            if (
                now - started > settings.LOGIN_LIFETIME.total_seconds()
                or now - seen > settings.LOGIN_IDLE.total_seconds()
            ):
                logout(request)
            elif STARTED not in request.session or (now - seen > NOTE_SECONDS and not _is_poll(request)):
                request.session[STARTED], request.session[SEEN] = started, now
        return self.get_response(request)


def client_address(request: HttpRequest) -> str | None:
    """The address of the connection; behind our proxy, the last one of X-Forwarded-For, which the proxy itself wrote."""
    if settings.BEHIND_PROXY:
        forwarded = request.headers.get("X-Forwarded-For", "").rpartition(",")[2].strip()
        if forwarded:
            return forwarded
    return request.META.get("REMOTE_ADDR")


def _is_poll(request: HttpRequest) -> bool:
    return request.headers.get("HX-Request") == "true"
