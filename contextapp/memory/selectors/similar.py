"""Records that say nearly the same or the opposite (memory.md 2.4). A suggestion for a person; it merges nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from django.db import connection

from contextapp.engine.sources.relevance import tokens
from contextapp.memory import claims
from contextapp.memory.models import MemoryRevision, MemoryState

LIKE = 0.8  # of the sorted words: the same text in another order is the same
CONSIDERED = 50
DUPLICATE, CONFLICT = "duplicate", "conflict"


@dataclass(frozen=True, slots=True)
class Similar:
    """`relation` is duplicate or conflict; `differs` says in which numbers, names or denial."""

    revision: MemoryRevision
    relation: str
    likeness: float
    differs: tuple[str, ...]


def relation_of(one: str, other: str) -> tuple[str, float, tuple[str, ...]]:
    """("duplicate" | "conflict" | "", likeness, what differs) of two claims. Equal keys are duplicates whatever their words."""
    if claims.normalised(one) == claims.normalised(other):
        return DUPLICATE, 1.0, ()
    likeness = _likeness(one, other)
    differs = [f"{mine or '–'} / {theirs or '–'}" for mine, theirs in _differences(one, other)]
    if claims.is_negated(one) != claims.is_negated(other):
        differs.append("negation")
    if likeness < LIKE and not (differs and likeness >= LIKE - 0.15):
        return "", likeness, ()
    return (CONFLICT, likeness, tuple(differs)) if differs else (DUPLICATE, likeness, ())


def similar_to(revision: MemoryRevision, limit: int = 5) -> tuple[Similar, ...]:
    """Approved and waiting records of the project that resemble it, the most alike first, those of its conflict key before."""
    states = (MemoryState.APPROVED, MemoryState.CANDIDATE, MemoryState.SUSPENDED)
    live = MemoryRevision.objects.filter(project_id=revision.project_id, state__in=states).exclude(pk=revision.pk)
    found: list[Similar] = []
    if revision.conflict_key:
        for other in live.filter(conflict_key=revision.conflict_key)[:limit]:
            relation, likeness, differs = relation_of(revision.shown, other.shown)
            found.append(Similar(other, relation or CONFLICT, likeness, differs or (revision.conflict_key,)))
    known = {one.revision.pk for one in found}
    for other in live.filter(pk__in=_near(revision)):
        if other.pk in known:
            continue
        relation, likeness, differs = relation_of(revision.shown, other.shown)
        if relation:
            found.append(Similar(other, relation, likeness, differs))
    found.sort(
        key=lambda one: (one.revision.conflict_key != revision.conflict_key or not revision.conflict_key, -one.likeness)
    )
    return tuple(found[:limit])


def _near(revision: MemoryRevision) -> Sequence[int]:
    """Row ids of the records that share most words with it, by the index on search tokens."""
    words = sorted(set(tokens(revision.shown)))
    if not words:
        return []
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id FROM memory_memoryrevision, (SELECT string_agg(quote_literal(word), ' | ')::tsquery AS query "
            "FROM unnest(%s::text[]) AS word) AS asked WHERE project_id = %s AND search @@ query AND id <> %s "
            "ORDER BY ts_rank(search, query) DESC, id LIMIT %s",
            [words, revision.project_id, revision.pk, CONSIDERED],
        )
        return [row[0] for row in cursor.fetchall()]


def _likeness(one: str, other: str) -> float:
    first, second = (" ".join(sorted(tokens(text))) for text in (one, other))
    return round(SequenceMatcher(None, first, second, autojunk=False).ratio(), 3)


def _differences(one: str, other: str) -> list[tuple[str, str]]:
    mine, theirs = claims.numbers(one) | claims.names(one), claims.numbers(other) | claims.names(other)
    left, right = sorted(mine - theirs), sorted(theirs - mine)
    length = max(len(left), len(right))
    return list(zip([*left, *[""] * (length - len(left))], [*right, *[""] * (length - len(right))], strict=True))
