"""Texts as vectors, by an OpenAI-compatible endpoint that somebody configured; off by default. Ranks nothing.

An endpoint that is slow, away or answers nonsense gives no vectors: ranking then goes by words alone, as it always can.
"""

from __future__ import annotations

import json
import logging
import math
import sys
import threading
from array import array
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings

from contextapp.jobs import outbound

log = logging.getLogger(__name__)

BATCH, TEXT_CHARS, LARGEST_DIMENSION = 64, 2_000, 8_192
BUILD_TIMEOUT_S, JOB_TIMEOUT_S = 1.0, 60.0
KEPT_QUERIES = 256
DIGITS = 4  # of a similarity: what is stored for replay is what was ranked by


@dataclass(frozen=True, slots=True)
class Embedder:
    url: str
    model: str
    key: str
    allow_hosts: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"{self.model}@{self.url}"[:200]

    def embed(self, texts: Sequence[str], *, timeout_s: float) -> list[array[float]] | None:
        """A vector of length one for each text; None, and a line in the log, when the endpoint did not give them."""
        body = {"model": self.model, "input": [text[:TEXT_CHARS] for text in texts]}
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {self.key}"} if self.key else {})
        try:
            answer = outbound.post(
                self.url, body=json.dumps(body).encode(), headers=headers, timeout_s=timeout_s,
                allow_hosts=self.allow_hosts,
            )  # fmt: skip
        except (outbound.OutboundFailed, outbound.OutboundRefused) as error:
            log.warning("embeddings of %s: %s", self.model, error)
            return None
        vectors = _vectors(answer.body, len(texts)) if answer.is_success else None
        if vectors is None:
            log.warning("embeddings of %s: the answer (%s) holds no vectors", self.model, answer.status)
        return vectors


def configured() -> Embedder | None:
    if not settings.MEMORY_EMBEDDINGS_URL:
        return None
    return Embedder(
        settings.MEMORY_EMBEDDINGS_URL, settings.MEMORY_EMBEDDINGS_MODEL, settings.MEMORY_EMBEDDINGS_KEY,
        tuple(settings.OUTBOUND_ALLOW_HOSTS),
    )  # fmt: skip


_queries: OrderedDict[tuple[str, str], array[float]] = OrderedDict()
_lock = threading.Lock()


def of_query(embedder: Embedder, text: str) -> array[float] | None:
    """A step later the question is mostly the same, so it is asked once."""
    key = (embedder.name, text)
    with _lock:
        if key in _queries:
            _queries.move_to_end(key)
            return _queries[key]
    found = embedder.embed([text], timeout_s=BUILD_TIMEOUT_S)
    if found is None:
        return None
    with _lock:
        _queries[key] = found[0]
        while len(_queries) > KEPT_QUERIES:
            _queries.popitem(last=False)
    return found[0]


def similarity(one: array[float], other: array[float]) -> float:
    """Cosine of two vectors of length one, between 0 and 1; 0 for vectors of different models."""
    if len(one) != len(other):
        return 0.0
    return round(min(1.0, max(0.0, math.sumprod(one, other))), DIGITS)


def packed(vector: array[float]) -> bytes:
    return _little(vector).tobytes()


def unpacked(stored: bytes | memoryview) -> array[float]:
    vector = array("f")
    vector.frombytes(bytes(stored))
    return _little(vector)


def _little(vector: array[float]) -> array[float]:
    if sys.byteorder == "little":
        return vector
    swapped = array("f", vector)
    swapped.byteswap()
    return swapped


def _vectors(body: bytes, count: int) -> list[array[float]] | None:
    try:
        given = json.loads(body)["data"]
        by_place = {int(entry["index"]): [float(number) for number in entry["embedding"]] for entry in given}
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None
    made = [_normal(by_place.get(place, [])) for place in range(count)]
    return None if any(vector is None for vector in made) else [vector for vector in made if vector is not None]


def _normal(numbers: Sequence[float]) -> array[float] | None:
    length = math.sqrt(math.sumprod(numbers, numbers)) if numbers else 0.0
    if not 0 < length < math.inf or len(numbers) > LARGEST_DIMENSION:
        return None
    return array("f", [number / length for number in numbers])
