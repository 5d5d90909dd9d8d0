from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from contextapp.engine.edges import ruler
from contextapp.engine.policy import Policy

ALLOTMENTS = st.integers(0, 2_000_000)
WEIGHTS = st.integers(0, 10_000_000)


def test_the_marks_are_percent_of_the_allotment_and_the_grid_lies_between_them() -> None:
    marks = ruler(1_000, Policy(high_mark=90, low_mark=60), 70)

    assert (marks.most, marks.step, marks.fresh) == (900, 300, 630)


def test_less_room_brings_both_marks_down_alike_and_more_changes_nothing() -> None:
    marks = ruler(1_000, Policy(high_mark=90, low_mark=60), 70)

    tight = marks.within(450)

    assert (tight.most, tight.step, tight.fresh) == (450, 300, 315)
    assert marks.within(5_000) == marks
    assert (marks.within(-5).most, marks.within(-5).fresh) == (0, 0)


@given(ALLOTMENTS, WEIGHTS)
def test_a_weight_lies_between_two_edges_of_the_grid(allotment: int, weight: int) -> None:
    marks = ruler(allotment, Policy(), 70)

    last, first = marks.last_edge(weight), marks.first_edge(weight)

    assert last <= weight <= first
    assert first - last in (0, marks.step)
