"""Fits the transcript: which atoms stand in the request and in which form. Never splits an atom, never touches the floor.

First the edges of the log's weight decide (edges.py), so that the request grows only at its end between two edges. Only where
true token counts say that this is not enough, the edges move on by whole steps; and only where the recent tail alone is too
large does it lose forms and atoms one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from contextapp.engine.edges import Edges, Ruler
from contextapp.engine.fit import Dropped, Fitted
from contextapp.engine.lanes import Lanes, Rendered
from contextapp.engine.reasons import Reason
from contextapp.engine.sources.source import EXCERPT, OLD, RANK_LATEST, RANK_OLDER, REFERENCE, STALE, Source

Atom = tuple[Source, ...]


def fit_history(
    sources: Sequence[Source], available: int, ruler: Ruler, weight: int, lanes: Lanes, latest_share: int
) -> Fitted:
    """The transcript within `available` tokens, frames included. `fits` is False when the floor alone is larger.
    latest_share: what the latest observation may take before the rest of a tail that is too large gives way to it."""
    atoms = [tuple(group) for _, group in groupby(sources, key=lambda source: source.group)]
    window = _Window(atoms, lanes)
    for edges in _edges(atoms, ruler, weight):
        window.set_edges(edges)
        if window.cost <= available:
            return window.fitted(available)
    for lose in _losses(window, latest_share):
        if window.cost <= available:
            break
        lose()
    return window.fitted(available)


def _edges(atoms: Sequence[Atom], ruler: Ruler, weight: int) -> Iterator[Edges]:
    """As the weight says, then with more results old, then with less history; never into the recent tail."""
    before_tail = min((atom[0].ends - 1 for atom in atoms if atom[0].rank < RANK_OLDER), default=weight)
    last = ruler.last_edge(before_tail)
    edges = ruler.edges(weight)
    start, fresh = min(edges.start, last), min(edges.fresh, last)
    yield Edges(start, fresh)
    while fresh < last:
        fresh += ruler.step
        yield Edges(start, fresh)
    while start < last:
        start += ruler.step
        yield Edges(start, fresh)


def _is_older(atom: Atom) -> bool:
    return all(source.rank == RANK_OLDER for source in atom) and not atom[0].is_anchor


def _is_latest(atom: Atom) -> bool:
    return any(source.rank == RANK_LATEST for source in atom)


def _holds(atom: Atom, *kinds: str) -> bool:
    return any(source.kind in kinds for source in atom)


def _losses(window: _Window, latest_share: int) -> Iterator[Callable[[], None]]:
    """What the tail may lose, cheapest first: each older atom whole; thinking; what the latest observation has over its share;
    the forms of tool noise, then of what the user and permissions said; the same atoms whole, each kind from its old end;
    anchors, and last the latest observation."""
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
    for rung in (OLD, EXCERPT):
        if sum(window.cost_of(place) for place in latest) > latest_share:
            yield from (lambda place=place, rung=rung: window.lower(place, rung) for place in latest)
    for kept in (noise, words):
        for rung in (OLD, EXCERPT):
            yield from (lambda place=place, rung=rung: window.lower(place, rung) for place in kept)
    yield from (lambda place=place: window.lower(place, EXCERPT) for place in anchors)
    yield from (lambda place=place: window.drop(place) for place in (*noise, *words))
    yield from (lambda place=place: window.drop(place) for place in anchors)
    for rung in (OLD, EXCERPT, REFERENCE):
        yield from (lambda place=place, rung=rung: window.lower(place, rung) for place in latest)
    yield from (lambda place=place: window.drop(place) for place in latest)


class _Window:
    """The atoms with what stands for each of their sources at the moment; the cost is kept up to date."""

    def __init__(self, atoms: Sequence[Atom], lanes: Lanes) -> None:
        self.atoms = atoms
        self.cost = 0
        self._lanes = lanes
        self._shown: list[tuple[Rendered, ...]] = [()] * len(atoms)

    def is_pinned(self, place: int) -> bool:
        return any(source.pinned for source in self.atoms[place])

    def set_edges(self, edges: Edges) -> None:
        """Everything anew. The user message in force at the start stays, since it says what the rest was about."""
        start, fresh = edges.start, edges.fresh
        in_force = self._user_message_in_force(start)
        self.cost = 0
        for place, atom in enumerate(self.atoms):
            first = atom[0]
            stays = first.ends > start or place == in_force or first.is_anchor or self.is_pinned(place)
            shown = tuple(self._aged(source, fresh) for source in atom) if stays else ()
            self._shown[place] = shown
            self.cost += sum(rendered.cost for rendered in shown)

    def _user_message_in_force(self, start: int) -> int:
        found = [
            place for place, atom in enumerate(self.atoms) if atom[0].ends <= start and atom[0].kind == "user_message"
        ]
        return found[-1] if found else -1

    def _aged(self, source: Source, fresh: int) -> Rendered:
        if not source.ladder or source.ends > fresh or source.pinned:
            return self._lanes.full(source)
        stale = self._lanes.lower(source, STALE) if 0 < source.stale_ends <= fresh else None
        return stale or self._lanes.lower(source, OLD) or self._lanes.full(source)

    def cost_of(self, place: int) -> int:
        return sum(rendered.cost for rendered in self._shown[place])

    def lower(self, place: int, rung: str) -> None:
        shown = self._shown[place]
        lowered = tuple(self._cheaper(rendered, rung) for rendered in shown)
        self.cost += sum(rendered.cost for rendered in lowered) - sum(rendered.cost for rendered in shown)
        self._shown[place] = lowered

    def _cheaper(self, rendered: Rendered, rung: str) -> Rendered:
        lowered = self._lanes.lower(rendered.source, rung)
        return lowered if lowered and lowered.tokens < rendered.tokens else rendered

    def drop(self, place: int) -> None:
        self.cost -= self.cost_of(place)
        self._shown[place] = ()

    def fitted(self, available: int) -> Fitted:
        kept = tuple(rendered for shown in self._shown for rendered in shown)
        first = kept[0].source.id if kept else ""
        dropped = tuple(
            Dropped(source, Reason.BUCKET_BUDGET, first)
            for atom, shown in zip(self.atoms, self._shown, strict=True)
            if not shown
            for source in atom
        )
        return Fitted(kept, dropped, self.cost, fits=self.cost <= available)
