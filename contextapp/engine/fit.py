"""Fits the sources of one bucket into its limit, each bucket by its own rule, down the ladder. Never looks at another bucket.

The transcript has its own module, history.py, since its cuts must hold still between edges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from contextapp.engine.lanes import Lanes, Rendered
from contextapp.engine.reasons import Reason
from contextapp.engine.request.frame import JOIN_TOKENS
from contextapp.engine.sources import evidence
from contextapp.engine.sources.source import Source


@dataclass(frozen=True, slots=True)
class Dropped:
    """A source that stays out, why, and what took its place."""

    source: Source
    reason: Reason
    displaced_by: str = ""


@dataclass(frozen=True, slots=True)
class Fitted:
    """What one rule kept, in the order of the sources, and what it dropped. `cost` holds frames; `fits`: within the limit."""

    kept: tuple[Rendered, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    cost: int = 0
    fits: bool = True


def keep_all(sources: Sequence[Source], lanes: Lanes, frame: int) -> Fitted:
    """The rule of the floor: whole, whatever it costs. Somebody else judges whether that is too much."""
    kept = tuple(lanes.full(source) for source in sources)
    return Fitted(kept, (), sum(rendered.tokens + frame for rendered in kept))


def framed(fitted: Fitted, frame: int) -> Fitted:
    """With the frame that a bucket pays once, where it holds anything at all."""
    return replace(fitted, cost=fitted.cost + frame) if fitted.kept else fitted


def fit_in_order(sources: Sequence[Source], limit: int, lanes: Lanes, frame: int) -> Fitted:
    """First come, first kept; one that doesn't fit goes down its ladder and then out. For memory, tools and resources,
    whose collectors give the best first. `frame`: what each costs besides its tokens."""
    kept: list[Rendered] = []
    dropped: list[Dropped] = []
    cost = 0
    for source in sources:
        found = _fullest_that_fits(source, limit - cost - frame, lanes)
        if found is None:
            dropped.append(Dropped(source, Reason.BUCKET_BUDGET, kept[-1].source.id if kept else ""))
            continue
        kept.append(found)
        cost += found.tokens + frame
    return Fitted(tuple(kept), tuple(dropped), cost)


def _fullest_that_fits(source: Source, room: int, lanes: Lanes) -> Rendered | None:
    full = lanes.full(source)
    if full.tokens <= room:
        return full
    for _, make in source.ladder:
        form = make()
        rendered = lanes.render(source, form) if form else None
        if rendered and rendered.tokens <= room and rendered.tokens < full.tokens:
            return rendered
    return None


def fit_evidence(admitted: Sequence[Source], refused: Sequence[Source], limit: int, lanes: Lanes) -> Fitted:
    """The best chunks that fit together with the closing block, so that their numbers have no gap. With no chunk in, there
    is no closing block either."""
    out = [(source, source.refusal) for source in refused if source.refusal]
    for count in range(len(admitted), 0, -1):
        seq = (admitted[0].events or (0, 0))[0]
        over = [(source, Reason.BUCKET_BUDGET) for source in admitted[count:]]
        closing = evidence.closing(seq, [*over, *out])
        kept = [*map(lanes.full, admitted[:count]), lanes.render(closing, closing.form)]
        cost = sum(rendered.tokens + JOIN_TOKENS for rendered in kept)
        if cost <= limit:
            last = admitted[count - 1].id
            dropped = tuple(Dropped(source, Reason.BUCKET_BUDGET, last) for source in admitted[count:])
            return Fitted(tuple(kept), dropped, cost)
    return Fitted((), tuple(Dropped(source, Reason.BUCKET_BUDGET) for source in admitted), 0)
