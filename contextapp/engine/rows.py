"""Decisions as ledger rows: what stands in the request at its place, and what does not, runs of one fate as one row."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import groupby

from contextapp.engine import isolation
from contextapp.engine.fit import Dropped
from contextapp.engine.kept import Kept
from contextapp.engine.lanes import Lanes, Rendered
from contextapp.engine.ledger import Row
from contextapp.engine.reasons import Reason
from contextapp.engine.sources.source import Source
from contextapp.engine.tokens import weight
from contextapp.engine.values import Action, Bucket, Method, Mode, Trust

_scanned: Kept[str] = Kept()
EXACT_CHARS = 200_000  # what was left out is not worth an exact count beyond that
LISTED = 50  # excluded rows of one kind and reason that stand alone; more are summed up


def included(ordered: Sequence[Rendered], digests: Sequence[str], lanes: Lanes) -> list[Row]:
    return [
        _row(rendered, digest, place, lanes)
        for place, (rendered, digest) in enumerate(zip(ordered, digests, strict=True))
    ]


def _row(rendered: Rendered, digest: str, place: int, lanes: Lanes) -> Row:
    source, form = rendered.source, rendered.form
    return Row(
        source_id=source.id,
        source_kind=source.kind,
        bucket=source.bucket.value,
        rank=source.rank,
        action=form.action.value,
        mode=form.mode.value,
        reason=(form.reason or source.reason).value,
        trust=source.trust.value,
        before_tokens=_before(rendered, lanes),
        after_tokens=rendered.tokens,
        method=lanes.method.value,
        role=source.role,
        title=source.title,
        compressible=source.compressible,
        events=source.events,
        order=place,
        block=digest,
        count=source.count,
        detail=_detail(form.detail, source),
    )


def _before(rendered: Rendered, lanes: Lanes) -> int:
    """Of the whole source, in the same lane: never less than what stands in the request."""
    source = rendered.source
    if rendered.form.mode in (Mode.FULL, Mode.SUMMARY) and not source.recorded_of:
        return rendered.tokens
    full = lanes.full(source).tokens
    held = max(source.whole, source.form.text, key=len)
    if source.recorded_of <= len(held) and len(source.whole) <= len(source.form.text):
        return max(full, rendered.tokens)
    whole = lanes.count_text(held) if len(held) <= EXACT_CHARS else weight(held)
    if source.recorded_of > len(held):  # the part that was recorded stands for the rest
        whole = whole * source.recorded_of // max(1, len(held))
    return max(whole, full, rendered.tokens)


def _detail(said: str, source: Source) -> str:
    """What is shown of how much, and what the scan of quoted text found."""
    text = source.whole or source.form.text
    found = _scanned.of(text, len(text), lambda: _signals(text)) if source.fence_label else ""
    return "; ".join(part for part in (said, found) if part)


def _signals(text: str) -> str:
    codes = sorted({finding.code for finding in isolation.scan(text)})
    return f"injection signals: {', '.join(codes)}" if codes else ""


def excluded(dropped: Iterable[Dropped], kept: Sequence[Rendered], lanes: Lanes) -> list[Row]:
    """One row each, except for runs of the transcript with one fate and for masses of one kind and reason."""
    everything = list(dropped)
    history = [item for item in everything if _is_history(item.source)]
    rest = [item for item in everything if not _is_history(item.source)]
    return [*_history_rows(history, kept), *_other_rows(rest, lanes)]


def _is_history(source: Source) -> bool:
    return source.bucket == Bucket.TRANSCRIPT and source.part != "trailing" and source.events is not None


def _history_rows(dropped: Sequence[Dropped], kept: Sequence[Rendered]) -> list[Row]:
    """A run ends where something that was kept stands between."""
    starts = sorted(item.source.events[0] for item in kept if item.source.part == "transcript" and item.source.events)

    def fate(item: Dropped) -> tuple[int, str, str]:
        first = item.source.events[0] if item.source.events else 0
        return bisect_left(starts, first), item.reason.value, item.displaced_by

    ordered = sorted(dropped, key=lambda item: (fate(item), item.source.events or (0, 0)))
    return [_summed(list(group)) for _, group in groupby(ordered, key=fate)]


def _other_rows(dropped: Sequence[Dropped], lanes: Lanes) -> list[Row]:
    rows: list[Row] = []

    def fate(item: Dropped) -> tuple[str, str]:
        return item.source.kind, item.reason.value

    for _, group in groupby(sorted(dropped, key=fate), key=fate):
        items = list(group)
        rows += [_excluded_row(item, lanes) for item in items[:LISTED]]
        if len(items) > LISTED:
            rows.append(_summed(items[LISTED:]))
    return rows


def _excluded_row(item: Dropped, lanes: Lanes) -> Row:
    source = item.source
    tokens = lanes.full(source).tokens if len(source.form.text) <= EXACT_CHARS else weight(source.form.text)
    return _out(item, source.kind, source.id, tokens, lanes.method, source.title, source.events, 1, source.form.detail)


def _summed(items: Sequence[Dropped]) -> Row:
    """Sizes of what nobody counted are weights: rough tokens, and said to be estimated."""
    first = items[0]
    tokens = sum(item.source.weight or weight(item.source.whole or item.source.form.text) for item in items)
    if len(items) == 1:
        source = first.source
        return _out(
            first,
            source.kind,
            source.id,
            tokens,
            Method.ESTIMATED,
            source.title,
            source.events,
            source.count,
            source.form.detail,
        )
    spans = [item.source.events for item in items if item.source.events]
    events = (min(span[0] for span in spans), max(span[1] for span in spans)) if spans else None
    kinds = {item.source.kind for item in items}
    kind = kinds.pop() if len(kinds) == 1 else "transcript"
    name = f"events:{events[0]}-{events[1]}:{first.reason.value}" if events else f"{kind}:{first.reason.value}"
    count = sum(item.source.count for item in items)
    return _out(first, kind, name, tokens, Method.ESTIMATED, "", events, count, "")


def _out(
    item: Dropped, kind: str, source_id: str, tokens: int, method: Method, title: str,
    events: tuple[int, int] | None, count: int, detail: str,
) -> Row:  # fmt: skip
    source = item.source
    return Row(
        source_id=source_id,
        source_kind=kind,
        bucket=source.bucket.value,
        rank=source.rank,
        action=Action.SUMMARIZE.value if item.reason == Reason.SUMMARIZED else Action.DROP.value,
        mode=Mode.NONE.value,
        reason=item.reason.value,
        trust=source.trust.value,
        before_tokens=tokens,
        after_tokens=0,
        method=method.value,
        role=source.role,
        title=title,
        compressible=source.compressible,
        events=events,
        displaced_by=item.displaced_by,
        count=count,
        detail=detail,
    )


def figure(kind: str, tokens: int, reason: Reason, method: Method, *, bucket: str = "", detail: str = "") -> Row:
    """A row that is a figure and no source: reserve, overhead, margin, borrowed."""
    is_borrowed = reason == Reason.BORROWED
    return Row(
        source_id=kind,
        source_kind=kind,
        bucket=bucket,
        rank=0,
        action=Action.KEEP.value,
        mode=Mode.NONE.value if is_borrowed else Mode.FULL.value,
        reason=reason.value,
        trust=Trust.FACT.value,
        before_tokens=tokens,
        after_tokens=0 if is_borrowed else tokens,
        method=method.value,
        compressible=False,
        detail=detail,
    )
