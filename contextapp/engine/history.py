"""Fits the transcript: which atoms stand in the request and in which form. Never splits an atom, never touches the floor.

First the marks decide, at edges that only the log's own past can move, so that the request grows only at its end between two
of them. Where that is not enough, history gives way in batches; and only where the recent tail alone is too large does it lose
forms and atoms one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from contextapp.engine.edges import Edges, Ruler
from contextapp.engine.fit import Fitted
from contextapp.engine.lanes import Lanes
from contextapp.engine.sources.source import EXCERPT, OLD, RANK_LATEST, RANK_OLDER, REFERENCE, Source
from contextapp.engine.window import Atom, Window

BATCHES = 10  # older history gives way in tenths of what the marks allow


@dataclass(frozen=True, slots=True)
class Log:
    """`weight` of all of it; `unread`: what of that lies before the first atom, 0 where history is there from its beginning."""

    weight: int
    unread: int = 0


@dataclass(frozen=True, slots=True)
class Favour:
    """What the phase says of a tail that is too large: tokens that the latest observation may take before the rest gives way
    to it, and the tool families whose results go down the ladder after the others'."""

    latest_tokens: int
    families: frozenset[str] = frozenset()


def fit_history(
    sources: Sequence[Source], available: int, ruler: Ruler, log: Log, lanes: Lanes, favour: Favour
) -> Fitted:
    """The transcript within `available` tokens, frames included. `fits` is False when the floor alone is larger."""
    window = Window([tuple(group) for _, group in groupby(sources, key=lambda source: source.group)], lanes)
    for edges in _edges(window, ruler.within(available), log):
        window.set_edges(edges)
        if window.cost <= available:
            return window.fitted(available)
    for lose in _losses(window, favour):
        if window.cost <= available:
            break
        lose()
    return window.fitted(available)


def _edges(window: Window, ruler: Ruler, log: Log) -> Iterator[Edges]:
    """As the marks say; then with less of older history, then with more results old; never into the recent tail."""
    last = ruler.last_edge(window.before_tail(log.weight))
    fresh = min(_fresh_edge(window, ruler), last)
    if not log.unread:
        yield from _with_everything(window, ruler, fresh)
    least = min(ruler.first_edge(log.unread), last)
    while True:
        for start in _starts(window, ruler, fresh):
            yield Edges(max(start, least), fresh)
        if fresh >= last:
            return
        fresh += ruler.step


def _fresh_edge(window: Window, ruler: Ruler) -> int:
    """The first edge that leaves no more than the mark unreduced behind it."""
    cost = 0
    for place in window.by_age:
        cost += window.full_cost(place)
        if cost > ruler.fresh:
            return ruler.first_edge(window.atoms[place][0].ends)
    return 0


def _with_everything(window: Window, ruler: Ruler, last: int) -> Iterator[Edges]:
    """All of history, as little of it reduced as the mark lets in."""
    for fresh in range(0, last + 1, ruler.step):
        if sum(window.aged_cost(place, fresh) for place in window.by_age) <= ruler.most:
            yield Edges(0, fresh)
            return


def _starts(window: Window, ruler: Ruler, fresh: int) -> Iterator[int]:
    """Where history may begin with that edge: so that it comes to the mark when the unreduced part has grown to its own; then
    in batches less."""
    batch = max(1, ruler.most // BATCHES)
    older = [place for place in window.by_age if window.atoms[place][0].ends <= fresh]
    newer = [place for place in window.by_age if window.atoms[place][0].ends > fresh]
    grown = sum(map(window.full_cost, newer))
    if grown > ruler.fresh:  # the recent tail alone: in batches, so that it moves no start at each step
        grown = min(-(-grown // batch) * batch, ruler.most)
    left = ruler.most - max(ruler.fresh, grown)
    left -= sum(window.aged_cost(place, fresh) for place in older if window.is_kept(place))
    loose = [place for place in older if not window.is_kept(place)]
    while left > 0:
        yield _start_within(window, loose, left, fresh)
        left -= batch
    yield fresh


def _start_within(window: Window, loose: Sequence[int], left: int, fresh: int) -> int:
    """Where the oldest of these atoms ends that no longer fits; 0 where all do."""
    for place in loose:
        left -= window.aged_cost(place, fresh)
        if left < 0:
            return window.atoms[place][0].ends
    return 0


def _is_older(atom: Atom) -> bool:
    return all(source.rank == RANK_OLDER for source in atom) and not atom[0].is_anchor


def _is_latest(atom: Atom) -> bool:
    return any(source.rank == RANK_LATEST for source in atom)


def _holds(atom: Atom, *kinds: str) -> bool:
    return any(source.kind in kinds for source in atom)


def _losses(window: Window, favour: Favour) -> Iterator[Callable[[], None]]:
    """What the tail may lose, cheapest first: each older atom whole; thinking; what the latest observation has over its share;
    the forms of tool noise, then of what the user and permissions said; the same atoms whole, each kind from its old end;
    anchors, and last the latest observation. Forms go rung by rung, one source after the other from the old end."""
    places = range(len(window.atoms))
    loose = [place for place in places if not window.is_pinned(place)]
    older = [place for place in loose if _is_older(window.atoms[place])]
    anchors = [place for place in loose if window.atoms[place][0].is_anchor]
    latest = [place for place in loose if _is_latest(window.atoms[place])]
    tail = [place for place in loose if place not in {*older, *anchors, *latest}]
    thoughts = [place for place in tail if _holds(window.atoms[place], "thinking")]
    words = [place for place in tail if _holds(window.atoms[place], "user_message", "denial")]
    noise = [place for place in tail if place not in {*thoughts, *words}]
    yield from (lambda place=place: window.drop(place) for place in (*older, *thoughts))
    for lower in _lowered(window, latest, (OLD, EXCERPT), favour):
        if sum(window.cost_of(place) for place in latest) <= favour.latest_tokens:
            break
        yield lower
    for kept in (noise, words):
        yield from _lowered(window, kept, (OLD, EXCERPT), favour)
    yield from _lowered(window, anchors, (EXCERPT,), favour)
    yield from (lambda place=place: window.drop(place) for place in (*noise, *words))
    yield from (lambda place=place: window.drop(place) for place in anchors)
    yield from _lowered(window, latest, (OLD, EXCERPT, REFERENCE), favour)
    yield from (lambda place=place: window.drop(place) for place in latest)


def _lowered(
    window: Window, places: Sequence[int], rungs: Sequence[str], favour: Favour
) -> Iterator[Callable[[], None]]:
    """One source at a time down one rung, from the old end; the phase's own families after the others."""
    sources = [(place, number) for place in places for number in range(len(window.atoms[place]))]
    ordered = sorted(sources, key=lambda at: window.atoms[at[0]][at[1]].family in favour.families)
    for rung in rungs:
        yield from (
            lambda place=place, number=number, rung=rung: window.lower(place, number, rung) for place, number in ordered
        )
