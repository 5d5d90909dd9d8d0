"""Parameters of a page's address, read strictly: what is not a number in range is a 400 that says so, never a guess."""

from __future__ import annotations

from django.core.exceptions import BadRequest
from django.http import HttpRequest

LARGEST = 2**62  # beneath what the database takes for a number


def integer(request: HttpRequest, name: str) -> int | None:
    """The number in `?name=`, None without it."""
    text = request.GET.get(name, "")
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and int(text[:20]) <= LARGEST):
        raise BadRequest(f"{name}={text[:40]!r} is not a number between 0 and {LARGEST}; leave it out of the address")
    return int(text)


def integer_of(text: str) -> int | None:
    """The number in a field of a form, None for anything else."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else None


def choice(request: HttpRequest, name: str, allowed: tuple[str, ...]) -> str:
    """The value of `?name=` if it is one of those allowed, the first of them without it."""
    text = request.GET.get(name, "")
    if text and text not in allowed:
        raise BadRequest(f"{name}={text[:40]!r} is not one of {', '.join(allowed)}; leave it out of the address")
    return text or allowed[0]
