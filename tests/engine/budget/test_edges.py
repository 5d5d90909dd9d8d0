from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from contextapp.engine.edges import ruler
from contextapp.engine.policy import Policy

ALLOTMENTS = st.integers(0, 2_000_000)
WEIGHTS = st.integers(0, 10_000_000)


def test_nothing_is_cut_up_to_the_high_mark() -> None:
    marks = ruler(1_000, Policy())

    assert marks.edges(900).start == 0
    assert marks.edges(901).start == 300
    assert marks.edges(1_200).start == 300
    assert marks.edges(1_201).start == 600


def test_results_grow_old_whole_steps_before_they_are_cut() -> None:
    marks = ruler(1_000, Policy())

    assert [marks.edges(weight).fresh for weight in (600, 601, 900, 901, 1_201)] == [0, 300, 300, 600, 900]


@given(ALLOTMENTS, WEIGHTS)
def test_what_stays_lies_between_the_marks(allotment: int, weight: int) -> None:
    marks = ruler(allotment, Policy())

    start = marks.edges(weight).start

    assert weight - start <= max(marks.high, 0)
    assert start == 0 or weight - start >= marks.high - marks.step


@given(ALLOTMENTS, WEIGHTS, st.integers(0, 5_000))
def test_edges_never_move_back_and_move_together(allotment: int, weight: int, more: int) -> None:
    marks = ruler(allotment, Policy())

    before, after = marks.edges(weight), marks.edges(weight + more)

    assert (after.start >= before.start, after.fresh >= before.fresh) == (True, True)
    assert not (after.start > before.start and after.fresh == before.fresh)


@given(ALLOTMENTS, WEIGHTS)
def test_the_last_edge_lies_at_or_before_the_weight(allotment: int, weight: int) -> None:
    marks = ruler(allotment, Policy())

    last = marks.last_edge(weight)

    assert last <= weight < last + marks.step
