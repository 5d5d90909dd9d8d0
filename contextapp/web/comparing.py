"""What a comparison page says beside its lists: the tokens of no bucket, and where the two requests part."""

from __future__ import annotations

from dataclasses import dataclass

from contextapp.contexts.values import Comparison, RowChange


@dataclass(frozen=True, slots=True)
class FirstChange:
    """The first place at which the requests differ; `title` is of the source that stands there."""

    place: int
    title: str


def beside_buckets(comparison: Comparison) -> tuple[int, int]:
    """Overhead, margin, and for observed steps what no source explains: total less buckets, before and after."""
    before = comparison.total_before - sum(tokens for _, tokens, _ in comparison.buckets)
    return before, comparison.total_after - sum(tokens for _, _, tokens in comparison.buckets)


def first_change(comparison: Comparison) -> FirstChange | None:
    """Everything before it is the same in both, so a provider's prompt cache can hold it."""
    changes = (*comparison.entered, *comparison.left, *comparison.changed)
    places = [place for change in changes if (place := _place(change)) is not None]
    return min(places, key=lambda found: found.place, default=None)


def _place(change: RowChange) -> FirstChange | None:
    rows = [
        shown.row for shown in (change.before, change.after) if shown and shown.row.is_included and shown.row.order >= 0
    ]
    if not rows:
        return None
    first = min(rows, key=lambda row: row.order)
    return FirstChange(first.order + 1, first.title or first.source_kind)
