"""A bounded memo for pure functions of content: what a reduction, a scan or a digest came to. Changes no result, only its cost.

Two generations: what was not asked for during a whole generation is forgotten. Bounded by characters, not by entries.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

CHARS = 4_000_000  # of one generation of one memo


class Kept[Value]:
    """Answers of one function by its whole input; equal keys must mean equal answers."""

    def __init__(self, limit_chars: int = CHARS) -> None:
        self._limit = limit_chars
        self._size = 0
        self._young: dict[Hashable, Value] = {}
        self._old: dict[Hashable, Value] = {}

    def of(self, key: Hashable, chars: int, make: Callable[[], Value]) -> Value:
        """The kept answer, or the one made now. `chars`: how much text the entry holds on to."""
        found = self._young.get(key)
        if found is not None:
            return found
        found = self._old.get(key)
        if found is None:
            found = make()
        if self._size + chars > self._limit:
            self._old, self._young, self._size = self._young, {}, 0
        if chars <= self._limit:
            self._young[key] = found
            self._size += chars
        return found
