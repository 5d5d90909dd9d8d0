"""Words for where a provider refuses silence. Never stands in for text that says something."""

from __future__ import annotations

UNSAID = "(no words)"


def worded(text: str) -> str:
    """The text; where it is blank, followed by words that say so."""
    return text if text.strip() else text + UNSAID
