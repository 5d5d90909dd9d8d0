from __future__ import annotations

from contextapp.engine.fit import fit_evidence, fit_in_order, framed, keep_all
from contextapp.engine.reasons import Reason
from tests.engine.fit.made import lanes, source


def names(fitted_kept: object) -> list[str]:
    return [rendered.source.id for rendered in fitted_kept]  # type: ignore[attr-defined]


def test_what_comes_first_is_kept_first() -> None:
    fitted = fit_in_order([source("a", 40), source("b", 40), source("c", 40)], 100, lanes(), 0)

    assert names(fitted.kept) == ["a", "b"]
    assert [(dropped.source.id, dropped.reason, dropped.displaced_by) for dropped in fitted.dropped] == [
        ("c", Reason.BUCKET_BUDGET, "b")
    ]
    assert fitted.cost == 80


def test_frames_count_against_the_limit() -> None:
    fitted = fit_in_order([source("a", 40), source("b", 40)], 88, lanes(), 5)

    assert names(fitted.kept) == ["a"]
    assert fitted.cost == 45


def test_a_source_goes_down_its_ladder_before_it_goes_out() -> None:
    fitted = fit_in_order([source("a", 40, old=30, excerpt=10)], 35, lanes(), 0)

    assert [rendered.tokens for rendered in fitted.kept] == [30]


def test_case_65_a_step_down_that_saves_nothing_is_not_taken() -> None:
    fitted = fit_in_order([source("a", 40, old=44)], 42, lanes(), 0)

    assert [rendered.tokens for rendered in fitted.kept] == [40]


def test_a_small_one_still_fits_behind_a_large_one_that_did_not() -> None:
    fitted = fit_in_order([source("a", 200), source("b", 10)], 50, lanes(), 0)

    assert names(fitted.kept) == ["b"]


def test_the_floor_is_kept_whatever_it_costs() -> None:
    fitted = keep_all([source("a", 4_000), source("b", 10)], lanes(), 1)

    assert fitted.cost == 4_012
    assert fitted.dropped == ()


def test_a_bucket_that_holds_nothing_pays_no_frame() -> None:
    assert framed(keep_all([], lanes(), 1), 12).cost == 0
    assert framed(keep_all([source("a", 3)], lanes(), 1), 12).cost == 16


def test_evidence_is_kept_from_the_best_down_so_that_its_numbers_have_no_gap() -> None:
    chunks = [source("best", 50), source("huge", 500), source("small", 5)]

    fitted = fit_evidence(chunks, [], 200, lanes())

    assert names(fitted.kept)[0] == "best"
    assert "huge" in fitted.kept[-1].block.text or "Excluded" in fitted.kept[-1].block.text
    assert [dropped.source.id for dropped in fitted.dropped] == ["huge", "small"]


def test_evidence_that_has_no_room_leaves_no_closing_block() -> None:
    fitted = fit_evidence([source("best", 50)], [], 10, lanes())

    assert fitted.kept == ()
    assert fitted.cost == 0
