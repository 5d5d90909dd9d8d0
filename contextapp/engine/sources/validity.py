"""Does something hold at an instant: bounds as ISO texts, judged by the build's own `as_of`. Reads no clock."""

from __future__ import annotations

from datetime import UTC, datetime


def expired(valid_from: str | None, valid_until: str | None, as_of: str) -> str:
    """Why it does not hold at `as_of`; empty when it does. Without a readable instant what is bounded does not hold."""
    if valid_from is None and valid_until is None:
        return ""
    now = instant(as_of)
    if now is None:
        return f"as_of {as_of!r} is no instant to judge its validity by"
    for bound, is_start in ((valid_from, True), (valid_until, False)):
        if bound is None:
            continue
        found = instant(bound)
        if found is None:
            return f"{bound!r} is no instant"
        if (now < found) if is_start else (now >= found):
            return f"valid {'from' if is_start else 'until'} {bound}"
    return ""


def instant(text: str | None) -> datetime | None:
    """The instant; one without a zone is UTC."""
    try:
        found = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
