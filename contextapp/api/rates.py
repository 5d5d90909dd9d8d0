"""How much a key and its project may ask: refused before the body is read, with the seconds until the next try. Notes its use too."""

from __future__ import annotations

from typing import Any

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
