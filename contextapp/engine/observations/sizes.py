"""How large one result may be: characters, and tokens by weight, so that Chinese text is not let in twice over."""

from __future__ import annotations

from contextapp.engine.observations.text import clean, head, tail
from contextapp.engine.policy import Limits
from contextapp.engine.tokens import weight


def room(text: str, limits: Limits) -> int:
    """Characters of this text that fit one result."""
    heavy = weight(text)
    if heavy <= limits.result_tokens:
        return limits.result_chars
    return min(limits.result_chars, max(1, len(text) * limits.result_tokens // heavy))


def is_small(text: str, limits: Limits) -> bool:
    return len(text) <= limits.result_chars and weight(text) <= limits.result_tokens


def head_and_tail(text: str, limit: int, head_percent: int) -> tuple[str, str]:
    """The two ends that together hold at most `limit` characters; they never overlap."""
    text = clean(text)
    first = head(text, limit * head_percent // 100)
    return first, tail(text[len(first) :], max(0, limit - len(first)))
