"""Two steps side by side: what entered the request, what left it and why, what changed its form."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import takewhile
from uuid import UUID

from django.utils.translation import gettext as _

from contextapp.contexts.packing import Body
from contextapp.contexts.rows import shown_row
from contextapp.contexts.selectors.ledgers import need_ledger
from contextapp.contexts.values import Comparison, LedgerRow, RowChange
from contextapp.engine.ledger import Change, Row, diff
from contextapp.engine.values import Bucket

_KINDS = ("added", "removed", "changed", "moved")


def compare_steps(
    session_id: UUID,
    number: int,
    *,
    other: int | None = None,
    origin: str | None = None,
    other_origin: str | None = None,
) -> Comparison:
    """With the step before, unless another is named; always from the earlier to the later one. With `other_origin` and no
    other step: the same step as that origin has it."""
    if other is None:
        other = number - 1 if other_origin is None else number
    ledger, body = need_ledger(session_id, number, origin)
    if other < 1:
        return _first(number, ledger.origin, ledger.total_tokens)
    other_ledger, other_body = need_ledger(session_id, other, other_origin or ledger.origin)
    earlier, later = (other_body.ledger, body.ledger) if other <= number else (body.ledger, other_body.ledger)
    totals = (other_ledger.total_tokens, ledger.total_tokens)  # of an observed ledger: what was billed
    totals = totals if other <= number else totals[::-1]
    changes = diff(earlier, later)
    kinds = {kind: [_change(change) for change in changes if change.kind == kind] for kind in _KINDS}
    touched = {change.source_id for change in changes if change.kind != "added"}
    return Comparison(
        step=max(number, other),
        other=min(number, other),
        origin=ledger.origin,
        entered=tuple(kinds["added"]),
        left=tuple(kinds["removed"]),
        changed=tuple(kinds["changed"] + kinds["moved"]),
        unchanged_count=sum(row.source_id not in touched for row in earlier.included),
        total_before=totals[0],
        total_after=totals[1],
        buckets=tuple(
            (bucket.value, _used(earlier.buckets, bucket), _used(later.buckets, bucket)) for bucket in Bucket
        ),
        same_prefix_tokens=_same_prefix(body, other_body),
        other_origin=other_ledger.origin,
    )


def _same_prefix(one: Body, other: Body) -> int | None:
    if not one.blocks or not other.blocks:
        return None
    same = takewhile(lambda pair: pair[0][0] == pair[1][0], zip(one.blocks, other.blocks, strict=False))
    return sum(block[1] for block, _other in same)


def _first(number: int, origin: str, total: int) -> Comparison:
    message = _("Step %(number)s is the first of this session; there is none before it.") % {"number": number}
    return Comparison(number, 0, origin, (), (), (), 0, 0, total, (), message)


def _change(change: Change) -> RowChange:
    return RowChange(_shown(change.before), _shown(change.after))


def _shown(row: Row | None) -> LedgerRow | None:
    return None if row is None else shown_row(row)


def _used(buckets: Mapping[str, Mapping[str, int]], bucket: Bucket) -> int:
    return buckets.get(bucket.value, {}).get("used", 0)
