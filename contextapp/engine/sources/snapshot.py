"""Names what memory was ranked from, so that a repeated ranking can be compared part by part. Holds hashes, never a claim."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence

from contextapp.engine.inputs import MemoryRevision
from contextapp.engine.sources.ranking import Statistics

FORM = "r2"  # an id of another form names other things and is not compared
_PARTS = ("query", "records", "number of records", "word statistics")


def snapshot(asked: Mapping[str, float], given: Sequence[MemoryRevision], known: Statistics) -> str:
    """`r2.<query>.<records>.<number>.<statistics>`: what was asked; reference with revision, state and claim of every record
    given; how many competed; and in how many of those each word stands."""
    records = sorted(_record(one) for one in given)
    parts = (_hash(_json(asked)), _hash(_json(records)), str(len(known.norms)), known.digest)
    return ".".join((FORM, *parts))


def differing(then: str, now: str) -> tuple[str, ...]:
    """The parts in which two ids differ; none where either is of another form."""
    before, after = then.split("."), now.split(".")
    if {before[0], after[0]} != {FORM} or len(before) != len(after):
        return ()
    return tuple(name for name, one, other in zip(_PARTS, before[1:], after[1:], strict=True) if one != other)


def _record(one: MemoryRevision) -> list[str]:
    near = [] if one.similarity is None else [str(one.similarity)]
    return [one.reference, one.state, _hash(one.claim), *near]


def _json(value: object) -> str:
    return json.dumps(value, sort_keys=True)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
