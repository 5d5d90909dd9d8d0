"""Ledger rows as a page shows them: keyed, grouped by bucket, filtered, counted. Pure; never changes a figure."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from contextapp.contexts.values import BucketGroup, Facet, LedgerFilter, LedgerRow
from contextapp.engine.ledger import Row
from contextapp.engine.values import Bucket, Mode

SIGNS = {
    Mode.FULL: "■",
    Mode.EXCERPT: "◧",
    Mode.SUMMARY: "▨",
    Mode.REFERENCE: "▢",
    Mode.NONE: "×",
}
OTHER = ""  # rows of no bucket: overhead, margin, residue


def key_of(source_id: str) -> str:
    """The anchor of a source: short, safe in an address, the same in every ledger."""
    return hashlib.sha256(source_id.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def shown_rows(rows: Iterable[Row], total_tokens: int) -> tuple[LedgerRow, ...]:
    """In the order of the ledger. Should a source stand in it twice, the second key gets a number."""
    seen: Counter[str] = Counter()
    made = []
    for row in rows:
        key = key_of(row.source_id)
        seen[key] += 1
        if seen[key] > 1:
            key = f"{key}-{seen[key]}"
        made.append(shown_row(row, key, total_tokens))
    return tuple(made)


def shown_row(row: Row, key: str = "", total_tokens: int = 0) -> LedgerRow:
    share = 100 * row.after_tokens / total_tokens if row.is_included and total_tokens else 0.0
    return LedgerRow(key=key or key_of(row.source_id), row=row, sign=SIGNS[Mode(row.mode)], share_percent=share)


def passes(shown: LedgerRow, wanted: LedgerFilter) -> bool:
    row = shown.row
    if row.is_figure:
        return True  # the sum does not read without them
    if not (wanted.included if row.is_included else wanted.excluded):
        return False
    if wanted.reasons and row.reason not in wanted.reasons:
        return False
    if wanted.trusts and row.trust not in wanted.trusts:
        return False
    if wanted.kinds and row.source_kind not in wanted.kinds:
        return False
    text = wanted.text.strip().casefold()
    return not text or any(text in field.casefold() for field in (row.title, row.source_id, row.detail))


def grouped(
    rows: Sequence[LedgerRow], buckets: Mapping[str, Mapping[str, int]], wanted: LedgerFilter
) -> tuple[BucketGroup, ...]:
    """Buckets in the order of the words, then what stands in none; included rows by place, excluded ones after them."""
    order = [bucket.value for bucket in Bucket]
    names = sorted(
        {*buckets, *(shown.row.bucket for shown in rows)},
        key=lambda name: (order.index(name) if name in order else len(order), name),
    )
    groups = []
    for name in names:
        inside = [shown for shown in rows if shown.row.bucket == name]
        kept = [shown for shown in inside if passes(shown, wanted)]
        figures = buckets.get(name, {})
        used = sum(shown.row.after_tokens for shown in inside if shown.row.is_included)
        groups.append(
            BucketGroup(
                bucket=name,
                allotted=int(figures.get("allotted", 0)),
                used=int(figures.get("used", used)),
                rows=tuple(sorted(kept, key=_place)),
                hidden=len(inside) - len(kept),
            )
        )
    return tuple(groups)


def facets(values: Iterable[str]) -> tuple[Facet, ...]:
    counted = Counter(value for value in values if value)
    return tuple(Facet(value, count) for value, count in sorted(counted.items(), key=lambda pair: (-pair[1], pair[0])))


def _place(shown: LedgerRow) -> tuple[bool, int, int]:
    """Included first, as they stand in the request; the rest newest first."""
    row = shown.row
    return (not row.is_included, row.order if row.is_included else 0, -(row.events[1] if row.events else 0))
