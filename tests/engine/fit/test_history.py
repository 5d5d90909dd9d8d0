"""Which atoms stand in the request and in which form, on atoms made by hand: ten tokens of weight each, unless said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from contextapp.engine.edges import Ruler
from contextapp.engine.fit import Fitted
from contextapp.engine.history import Favour, Log, fit_history
from contextapp.engine.request.frame import MESSAGE_TOKENS
from contextapp.engine.sources.source import RANK_LATEST, RANK_OLDER, RANK_TAIL, STALE, Source
from tests.engine.fit.made import lanes, shorter, source

COST = 10 + MESSAGE_TOKENS  # of an atom in full
OLD_COST = 2 + MESSAGE_TOKENS
MARKS = Ruler(step=30, most=8 * COST, fresh=5 * COST)
PLENTY = 10_000


def atoms(count: int, tail: int = 2, **fields: int) -> list[Source]:
    """That many atoms of one source; the last ones are the tail and the very last the latest observation."""
    made = []
    for number in range(1, count + 1):
        rank = RANK_OLDER if number <= count - tail else RANK_LATEST if number == count else RANK_TAIL
        made.append(source(f"a{number}", 10, old=2, group=number, ends=10 * number, rank=rank, **fields))
    return made


def fit(
    sources: Sequence[Source], available: int = PLENTY, weight: int | None = None, latest_share: int = PLENTY,
    unread: int = 0, families: frozenset[str] = frozenset(),
) -> Fitted:  # fmt: skip
    log = Log(weight or max(item.ends for item in sources), unread)
    return fit_history(sources, available, MARKS, log, lanes(), Favour(latest_share, families))


def shown(fitted: Fitted) -> dict[str, int]:
    return {rendered.source.id: rendered.tokens for rendered in fitted.kept}


def test_while_everything_fits_below_the_mark_it_stands_in_full() -> None:
    fitted = fit(atoms(8))

    assert list(shown(fitted).values()) == [10] * 8
    assert fitted.cost == 8 * COST


def test_above_the_mark_results_grow_old_up_to_the_first_edge_that_makes_room() -> None:
    fitted = fit(atoms(9))  # an edge stands at each third atom

    assert shown(fitted) == {f"a{number}": 2 if number <= 3 else 10 for number in range(1, 10)}


def test_history_is_cut_where_the_unreduced_part_would_leave_no_room_for_it_once_grown() -> None:
    fitted = fit(atoms(20))  # five atoms in full at the most: old up to the sixth edge, beside 3 * COST of older ones

    old = [name for name, tokens in shown(fitted).items() if tokens == 2]
    assert shown(fitted) == {f"a{number}": 2 if number <= 15 else 10 for number in range(16 - len(old), 21)}
    assert len(old) * OLD_COST <= 3 * COST < (len(old) + 1) * OLD_COST
    assert fitted.dropped[0].displaced_by == next(iter(shown(fitted)))


def test_between_two_edges_nothing_that_was_shown_changes() -> None:
    before, after = fit(atoms(18)), fit(atoms(20))

    assert list(shown(after).items())[: len(shown(before))] == list(shown(before).items())


def test_right_before_an_edge_the_room_is_full() -> None:
    peaks = [fit(atoms(count)).cost for count in range(20, 60)]

    assert max(peaks) <= MARKS.most
    assert max(peaks) > MARKS.most - COST


def test_history_that_was_not_read_from_its_beginning_starts_at_an_edge_of_the_grid() -> None:
    sources = [item for item in atoms(12) if item.group > 5]

    fitted = fit(sources, unread=50)

    assert list(shown(fitted))[0] == "a7"


def test_less_room_than_the_marks_cuts_older_history_and_the_unreduced_part_alike() -> None:
    whole, tight = fit(atoms(20)), fit(atoms(20), available=MARKS.most // 2)

    def parts(fitted: Fitted) -> tuple[int, int]:
        found = list(shown(fitted).values())
        return found.count(2), found.count(10)

    assert parts(whole) == (7, 5)
    assert parts(tight) == (3, 2)
    assert tight.cost <= MARKS.most // 2


def test_the_recent_tail_keeps_its_forms_while_anything_older_is_left() -> None:
    fitted = fit(atoms(9), available=2 * (10 + MESSAGE_TOKENS))

    assert shown(fitted) == {"a8": 10, "a9": 10}


def test_the_tail_grows_short_from_its_old_end_and_the_latest_observation_last() -> None:
    fitted = fit(atoms(3, tail=3), available=2 * (2 + MESSAGE_TOKENS) + 10 + MESSAGE_TOKENS)

    assert shown(fitted) == {"a1": 2, "a2": 2, "a3": 10}


def test_a_latest_observation_beyond_its_share_grows_short_before_the_tail() -> None:
    fitted = fit(atoms(3, tail=3), available=2 * (10 + MESSAGE_TOKENS) + 2 + MESSAGE_TOKENS, latest_share=9)

    assert shown(fitted) == {"a1": 10, "a2": 10, "a3": 2}


def test_no_share_is_enforced_while_everything_fits() -> None:
    assert shown(fit(atoms(3, tail=3), latest_share=0)) == {"a1": 10, "a2": 10, "a3": 10}


def test_pinned_atoms_stand_in_full_even_when_nothing_fits() -> None:
    sources = atoms(4)
    sources[0] = replace(sources[0], pinned=True)

    fitted = fit(sources, available=5)

    assert shown(fitted) == {"a1": 10}
    assert not fitted.fits


def test_an_anchor_keeps_its_place_before_the_start() -> None:
    sources = atoms(20)
    sources[0] = replace(sources[0], is_anchor=True)

    names = list(shown(fit(sources)))

    assert names[0] == "a1"
    assert "a2" not in names


def test_the_user_message_in_force_at_the_start_stays() -> None:
    sources = atoms(20)
    sources[1] = replace(sources[1], kind="user_message", ladder=())

    names = list(shown(fit(sources)))

    assert names[0] == "a2"
    assert "a3" not in names


def test_sources_of_one_atom_stay_or_go_together() -> None:
    sources = [
        replace(item, group=1 + (place // 2), ends=10 * (1 + place // 2)) for place, item in enumerate(atoms(24))
    ]

    fitted = fit(sources)

    groups = [rendered.source.group for rendered in fitted.kept]
    assert all(groups.count(group) == 2 for group in groups)


def test_a_stale_read_is_short_only_once_what_made_it_stale_is_old_too() -> None:
    def with_stale(ends: int) -> list[Source]:
        sources = atoms(20)
        sources[13] = replace(sources[13], stale_ends=ends, ladder=((STALE, lambda: shorter(1)), *sources[13].ladder))
        return sources

    assert shown(fit(with_stale(150)))["a14"] == 1
    assert shown(fit(with_stale(180)))["a14"] == 2


def test_a_batch_of_results_goes_down_rung_by_rung_from_its_old_end() -> None:
    batch = [replace(item, group=1, ends=30, rank=RANK_LATEST) for item in atoms(3, tail=3)]

    fitted = fit(batch, available=2 * COST + OLD_COST)

    assert shown(fitted) == {"a1": 2, "a2": 10, "a3": 10}


def test_results_that_the_phase_works_with_grow_short_after_the_others() -> None:
    sources = [replace(item, family="read" if item.group == 1 else "command") for item in atoms(4, tail=4)]

    fitted = fit(sources, available=3 * COST + OLD_COST, families=frozenset({"read"}))

    assert shown(fitted) == {"a1": 10, "a2": 2, "a3": 10, "a4": 10}


def test_an_edge_never_reaches_into_the_recent_tail() -> None:
    fitted = fit(atoms(4, tail=4), weight=200)

    assert list(shown(fitted).values()) == [10] * 4
