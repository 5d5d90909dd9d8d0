"""Names of functions and ids of calls in the alphabet that providers take. What had to change carries a hash or a number, so
that two never become one. Depends on nothing that comes later in the request.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import replace

from contextapp.engine.request.neutral import Block

NAME_CHARS = 64
_WORD = re.compile(r"[a-zA-Z0-9_-]+")
_NOT_IN_WORD = re.compile(r"[^a-zA-Z0-9_-]")
_MARK_CHARS = 9  # the underscore and the hash


def is_word(text: object, limit: int = NAME_CHARS) -> bool:
    return isinstance(text, str) and len(text) <= limit and _WORD.fullmatch(text) is not None


def function_name(name: str) -> str:
    return _word(name, NAME_CHARS)


def _word(text: str, limit: int) -> str:
    if is_word(text, limit):
        return text
    mark = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8]
    return f"{_NOT_IN_WORD.sub('_', text)[: limit - _MARK_CHARS]}_{mark}"


class Unique:
    """Words that are handed out once: the second use of one gets `_2` behind it."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._taken: set[str] = set()
        self._uses: Counter[str] = Counter()

    def take(self, text: str) -> str:
        wanted = own = _word(text, self._limit)
        while own in self._taken:
            self._uses[wanted] += 1
            mark = f"_{self._uses[wanted] + 1}"
            own = wanted[: self._limit - len(mark)] + mark
        self._taken.add(own)
        return own


def with_own_ids(blocks: Sequence[Block], limit: int) -> list[Block]:
    """The same blocks with ids that a request uses once; a result has the id of the call before it that it answers."""
    unique = Unique(limit)
    waiting: dict[str, deque[str]] = {}
    made = []
    for block in blocks:
        if block.calls:
            waiting = {}
            calls = []
            for call_id, name, arguments in block.calls:
                own = unique.take(call_id)
                waiting.setdefault(call_id, deque()).append(own)
                calls.append((own, name, arguments))
            block = replace(block, calls=tuple(calls))
        elif block.role == "tool":
            answers = waiting.get(block.call_id)
            block = replace(block, call_id=answers.popleft() if answers else _word(block.call_id, limit))
        made.append(block)
    return made
