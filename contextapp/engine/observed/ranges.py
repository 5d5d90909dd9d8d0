"""What one compaction of another harness took out of its window, and the rows that tell of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from contextapp.engine.ledger import Row
from contextapp.engine.observations.text import number
from contextapp.engine.observed.items import Item, excluded, not_recorded
from contextapp.engine.reasons import Reason
from contextapp.engine.tokens import TokenCounter
from contextapp.engine.values import Bucket


@dataclass(slots=True)
class Range:
    """`seqs` are the events that told of the compaction; `mark` tells it from an earlier one of the same range."""

    first_seq: int
    covers: tuple[int, int]
    seqs: tuple[int, ...]
    items: list[Item]
    mark: str = ""
    summary: Item | None = None
    row: Row | None = None

    def rows(self, counter: TokenCounter) -> Iterator[Row]:
        """One row for all it took, and one for a summary that the file does not hold."""
        first, last = (number(seq) for seq in self.covers)
        displaced_by = self.summary.source_id if self.summary else ""
        if self.row is None or self.row.displaced_by != displaced_by:
            self.row = excluded(
                self.items,
                counter,
                source_id=f"events:{self.covers[0]}-{self.covers[1]}{self.mark}",
                kind="transcript",
                reason=Reason.HARNESS_COMPACTED,
                title=f"Events {first} to {last}",
                displaced_by=displaced_by,
            )
        yield self.row
        if self.summary is None:
            title = f"Summary of events {first} to {last}"
            yield not_recorded(f"summary:{self.first_seq}", Bucket.TRANSCRIPT, title, counter)
