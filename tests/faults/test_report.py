"""The fault report says what the tests do: every mark is a fault of the catalogue, every named test exists."""

from __future__ import annotations

from tests.faults import report
from tests.faults.catalogue import ELSEWHERE, FAULTS, OPEN, PARTLY


def test_the_catalogue_is_whole() -> None:
    assert list(FAULTS) == [f"F{number}" for number in range(1, 71)]
    assert {*ELSEWHERE, *OPEN, *PARTLY, *report.marked()} <= set(FAULTS)


def test_every_test_it_names_is_there() -> None:
    assert report.missing() == []


def test_a_fault_without_a_test_says_why() -> None:
    assert [fault for fault, tests in report.tests_by_fault().items() if not tests and fault not in OPEN] == []


def test_the_committed_report_is_the_present_one() -> None:
    written = report.DOCUMENT.read_text(encoding="utf-8")

    assert written == report.document(), "run `python -m tests.faults.report`"
