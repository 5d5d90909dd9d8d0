"""Which atoms stand in the request and in which form, on atoms made by hand: ten tokens of weight each, unless said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from contextapp.engine.edges import Ruler
from contextapp.engine.fit import Fitted
from contextapp.engine.history import fit_history
from contextapp.engine.request.frame import MESSAGE_TOKENS
from contextapp.engine.sources.source import RANK_LATEST, RANK_OLDER, RANK_TAIL, STALE, Source
from tests.engine.fit.made import lanes, shorter, source

MARKS = Ruler(high=90, step=30, fresh_ahead=1)
PLENTY = 10_000


def atoms(count: int, tail: int = 2, **fields: int) -> list[Source]:
    """That many atoms of one source; the last ones are the tail and the very last the latest observation."""
    made = []
    for number in range(1, count + 1):
        rank = RANK_OLDER if number <= count - tail else RANK_LATEST if number == count else RANK_TAIL
        made.append(source(f"a{number}", 10, old=2, group=number, ends=10 * number, rank=rank, **fields))
    return made


def fit(
    sources: Sequence[Source], available: int = PLENTY, weight: int | None = None, latest_share: int = PLENTY
) -> Fitted:
    return fit_history(sources, available, MARKS, weight or max(item.ends for item in sources), lanes(), latest_share)


def shown(fitted: Fitted) -> dict[str, int]:
    return {rendered.source.id: rendered.tokens for rendered in fitted.kept}


def test_below_the_marks_everything_stands_in_full() -> None:
    fitted = fit(atoms(6))

    assert list(shown(fitted).values()) == [10] * 6
    assert fitted.cost == 6 * (10 + MESSAGE_TOKENS)


def test_the_window_starts_at_the_edge_and_results_before_the_fresh_edge_are_short() -> None:
    fitted = fit(atoms(12))  # weight 120: start 30, fresh 60

    assert shown(fitted) == {f"a{number}": 2 if number <= 6 else 10 for number in range(4, 13)}
    assert [dropped.source.id for dropped in fitted.dropped] == ["a1", "a2", "a3"]
    assert fitted.dropped[0].displaced_by == "a4"


def test_between_two_edges_nothing_that_was_shown_changes() -> None:
    before, after = fit(atoms(10)), fit(atoms(12))  # edges at 30 and 60 for both

    assert list(shown(after).items())[:7] == list(shown(before).items())


def test_true_counts_that_exceed_the_bucket_move_the_fresh_edge_before_the_start() -> None:
    fitted = fit(atoms(9), available=90)  # weight 90: start 0, fresh 30

    assert shown(fitted) == {f"a{number}": 2 if number <= 6 else 10 for number in range(1, 10)}


def test_only_then_does_the_start_move_by_whole_steps() -> None:
    fitted = fit(atoms(9), available=70)

    assert list(shown(fitted)) == ["a4", "a5", "a6", "a7", "a8", "a9"]


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
    sources = atoms(12)
    sources[0] = replace(sources[0], is_anchor=True)

    fitted = fit(sources)

    assert list(shown(fitted))[:2] == ["a1", "a4"]


def test_the_user_message_in_force_at_the_start_stays() -> None:
    sources = atoms(12)
    sources[1] = replace(sources[1], kind="user_message", ladder=())
    sources[2] = replace(sources[2], kind="tool_result")

    fitted = fit(sources)

    assert list(shown(fitted))[:2] == ["a2", "a4"]


def test_sources_of_one_atom_stay_or_go_together() -> None:
    sources = [
        replace(item, group=1 + (place // 2), ends=10 * (1 + place // 2)) for place, item in enumerate(atoms(24))
    ]

    fitted = fit(sources)

    groups = [rendered.source.group for rendered in fitted.kept]
    assert all(groups.count(group) == 2 for group in groups)


def test_a_stale_read_is_short_only_once_what_made_it_stale_is_old_too() -> None:
    def with_stale(ends: int) -> list[Source]:
        sources = atoms(12)
        sources[4] = replace(sources[4], stale_ends=ends, ladder=((STALE, lambda: shorter(1)), *sources[4].ladder))
        return sources

    assert shown(fit(with_stale(60)))["a5"] == 1
    assert shown(fit(with_stale(90)))["a5"] == 2


def test_an_edge_never_reaches_into_the_recent_tail() -> None:
    fitted = fit(atoms(4, tail=4), weight=200)

    assert list(shown(fitted).values()) == [10] * 4
