"""Token counts kept by content hash: in this process, and in one table for all of them. Holds hashes and figures, no content.

Reads come in bulk and writes in bulk after a build. Which texts a build counts is known only by building: a `Probe` finds
out, and since a build is pure it can be made again. Short texts are quicker to count than to look up.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cache

from contextapp.contexts.models import TokenCount
from contextapp.engine.tokens import KeptCounter, TiktokenCounter, TokenCounter, weight
from contextapp.engine.values import Method

SHORT_CHARS = 200
GENERATION = 100_000  # entries; about 15 MB each, two at most
LOOKUP_BATCH = 5_000
INLINE_CHARS = 60_000  # about 15 ms of counting, no more than a second build costs


class Generations:
    """A cache without a lock: when the young generation is full it becomes the old one; a hit in the old is carried over."""

    def __init__(self, limit: int = GENERATION) -> None:
        self._limit = limit
        self._young: dict[bytes, int] = {}
        self._old: dict[bytes, int] = {}

    def get(self, key: bytes) -> int | None:
        found = self._young.get(key)
        if found is None:
            found = self._old.get(key)
            if found is not None:
                self.put(key, found)
        return found

    def put(self, key: bytes, tokens: int) -> None:
        if len(self._young) >= self._limit:
            self._old, self._young = self._young, {}
        self._young[key] = tokens


@cache
def _kept(tokenizer: str) -> Generations:
    return Generations()


@cache
def _tiktoken(tokenizer: str, method: Method) -> TiktokenCounter:
    return TiktokenCounter(tokenizer, method)


class Counts:
    """The counts of one build or one pass. `counter` is what the engine takes; `save` writes what was new."""

    def __init__(self, tokenizer: str, method: Method = Method.EXACT) -> None:
        self.tokenizer = tokenizer
        self.method = method
        self._cache = _kept(tokenizer)
        self._new: dict[bytes, int] = {}
        self._inner = _tiktoken(tokenizer, method)
        self.counter: TokenCounter = _ShortFirst(self._inner, KeptCounter(self._inner, self._get, self._put))

    def prefetch(self, texts: Iterable[str]) -> None:
        """One query for all texts that this process has not seen."""
        unseen = {_digest(text) for text in texts if len(text) >= SHORT_CHARS}
        missing = [key for key in unseen if self._cache.get(key) is None]
        for start in range(0, len(missing), LOOKUP_BATCH):
            batch = missing[start : start + LOOKUP_BATCH]
            rows = TokenCount.objects.filter(tokenizer=self.tokenizer, sha256__in=batch)
            for key, tokens in rows.values_list("sha256", "tokens"):
                self._cache.put(bytes(key), tokens)

    def known(self, text: str) -> int | None:
        """The count if it costs nothing to say; for pages, which never wait for a tokenizer."""
        return self._inner.count(text) if len(text) < SHORT_CHARS else self._get(text)

    def save(self) -> int:
        """Write the new counts; another process may have written the same ones meanwhile."""
        new, self._new = self._new, {}
        TokenCount.objects.bulk_create(
            [TokenCount(sha256=key, tokenizer=self.tokenizer, tokens=tokens) for key, tokens in sorted(new.items())],
            ignore_conflicts=True,
            batch_size=LOOKUP_BATCH,
        )
        return len(new)

    def probe(self) -> Probe:
        return Probe(self)

    def _get(self, text: str) -> int | None:
        return self._cache.get(_digest(text))

    def _put(self, text: str, tokens: int) -> None:
        key = _digest(text)
        self._cache.put(key, tokens)
        self._new[key] = tokens


class Probe:
    """A counter that never waits for the table: a few unknown texts it counts, of more it notes which and guesses.

    With `missed` filled, whatever was built from it is thrown away.
    """

    def __init__(self, counts: Counts) -> None:
        self.name = counts.counter.name
        self.method = counts.counter.method
        self.missed: list[str] = []
        self._counts = counts
        self._inline_chars = INLINE_CHARS

    def count(self, text: str) -> int:
        found = self._counts.known(text)
        if found is not None:
            return found
        self._inline_chars -= len(text)
        if self._inline_chars >= 0:
            return self._counts.counter.count(text)
        self.missed.append(text)
        return weight(text)


class _ShortFirst:
    """Short texts go straight to the counter, which keeps them itself."""

    def __init__(self, inner: TokenCounter, kept: TokenCounter) -> None:
        self.name = inner.name
        self.method = inner.method
        self._inner = inner
        self._kept = kept

    def count(self, text: str) -> int:
        return (self._inner if len(text) < SHORT_CHARS else self._kept).count(text)


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
