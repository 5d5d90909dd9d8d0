"""How much a key and its project may ask: refused before the body is read, with the time until the next try. Notes its use."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from contextapp.accounts import services
from contextapp.api.problems import Problem

_WAYS = {
    "requests": "send larger batches, or ask the operator to raise API_REQUESTS_PER_MINUTE",
    "events": "slow down, or ask an admin of the project to raise its limit",
}


def admit(key: Any) -> None:  # the key; doors don't name models
    services.note_key_use(key=key)
    reached = services.admit_request(key=key)
    if reached is None:
        return
    whose = "this key" if reached.what == "requests" else "this project"
    detail = f"{whose} had its {reached.limit} {reached.what} of this minute; {_WAYS[reached.what]}"
    raise Problem(429, "rate_limited", detail, retry_after=reached.retry_after_seconds)


def remember(request: HttpRequest, key: Any) -> None:  # the key; doors don't name models
    """Whose request it is, from the moment the key is known: what refuses it may be its scope already."""
    request.contextapp_key = key  # type: ignore[attr-defined]  # the request carries it to the handler of problems


def note_refusal(request: HttpRequest, problem: Problem) -> None:
    """Counts a problem for the key that got it; one without a key counts for nobody."""
    key = getattr(request, "contextapp_key", None)
    if key is not None:
        services.note_refusal(key=key, code=problem.code, is_storage_well=problem.status < 500)
