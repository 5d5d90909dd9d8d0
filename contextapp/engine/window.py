"""The atoms of a history with what stands for each of their sources at the moment, and what that costs. Decides nothing."""

from __future__ import annotations

from collections.abc import Sequence

from contextapp.engine.edges import Edges
from contextapp.engine.fit import Dropped, Fitted
from contextapp.engine.lanes import Lanes, Rendered
from contextapp.engine.reasons import Reason
from contextapp.engine.sources.source import OLD, RANK_OLDER, STALE, Source

Atom = tuple[Source, ...]


class Window:
    """`cost` is kept up to date. `by_age`: places of the atoms, the one that ends last in front."""

    def __init__(self, atoms: Sequence[Atom], lanes: Lanes) -> None:
        self.atoms = atoms
        self.cost = 0
        self.by_age = sorted(range(len(atoms)), key=lambda place: (-atoms[place][0].ends, -place))
        self._lanes = lanes
        self._shown: list[tuple[Rendered, ...]] = [()] * len(atoms)
        self._full: dict[int, tuple[Rendered, ...]] = {}

    def is_pinned(self, place: int) -> bool:
        return any(source.pinned for source in self.atoms[place])

    def is_kept(self, place: int) -> bool:
        """Whether it stands before the window's start too."""
        return self.atoms[place][0].is_anchor or self.is_pinned(place)

    def before_tail(self, weight: int) -> int:
        """The weight of the log where the recent tail begins, at the latest."""
        return min((atom[0].ends - 1 for atom in self.atoms if atom[0].rank < RANK_OLDER), default=weight)

    def full_cost(self, place: int) -> int:
        return sum(rendered.cost for rendered in self._in_full(place))

    def aged_cost(self, place: int, fresh: int) -> int:
        """As it would stand with that edge."""
        return sum(rendered.cost for rendered in self._aged(place, fresh))

    def set_edges(self, edges: Edges) -> None:
        """Everything anew. The user message in force at the start stays, since it says what the rest was about."""
        in_force = self._user_message_in_force(edges.start)
        for place, atom in enumerate(self.atoms):
            stays = atom[0].ends > edges.start or place == in_force or self.is_kept(place)
            self._shown[place] = self._aged(place, edges.fresh) if stays else ()
        self.cost = sum(rendered.cost for shown in self._shown for rendered in shown)

    def _user_message_in_force(self, start: int) -> int:
        found = [
            place for place, atom in enumerate(self.atoms) if atom[0].ends <= start and atom[0].kind == "user_message"
        ]
        return found[-1] if found else -1

    def _in_full(self, place: int) -> tuple[Rendered, ...]:
        found = self._full.get(place)
        if found is None:
            found = self._full[place] = tuple(map(self._lanes.full, self.atoms[place]))
        return found

    def _aged(self, place: int, fresh: int) -> tuple[Rendered, ...]:
        atom = self.atoms[place]
        if atom[0].ends > fresh:
            return self._in_full(place)
        return tuple(self._older(source, fresh) for source in atom)

    def _older(self, source: Source, fresh: int) -> Rendered:
        if not source.ladder or source.pinned:
            return self._lanes.full(source)
        stale = self._lanes.lower(source, STALE) if 0 < source.stale_ends <= fresh else None
        return stale or self._lanes.lower(source, OLD) or self._lanes.full(source)

    def cost_of(self, place: int) -> int:
        return sum(rendered.cost for rendered in self._shown[place])

    def lower(self, place: int, number: int, rung: str) -> None:
        """One source of an atom down to that rung, if it still stands and that saves something."""
        shown = self._shown[place]
        if number >= len(shown):
            return
        lowered = self._lanes.lower(shown[number].source, rung)
        if lowered is None or lowered.tokens >= shown[number].tokens:
            return
        self.cost += lowered.cost - shown[number].cost
        self._shown[place] = (*shown[:number], lowered, *shown[number + 1 :])

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
