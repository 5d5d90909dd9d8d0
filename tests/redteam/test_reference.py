"""The published strings: every attack from an untrusted source is stopped, no look-alike is, and each in good time."""

from __future__ import annotations

import pytest

from contextapp.engine.injection.verdict import QUARANTINE, judge
from tests.redteam.reference import MEMORY_PAPER, section

pytestmark = pytest.mark.skipif(not MEMORY_PAPER.exists(), reason=f"{MEMORY_PAPER} is not there; it holds the strings")
ATTACKS = section("3.4") if MEMORY_PAPER.exists() else []
BENIGN = section("3.5") if MEMORY_PAPER.exists() else []


def test_the_whole_sections_are_read() -> None:
    assert (len(ATTACKS), len(BENIGN)) == (50, 38)


@pytest.mark.parametrize(("name", "text"), ATTACKS, ids=[name for name, _ in ATTACKS])
def test_an_attack_of_untrusted_lineage_is_quarantined(name: str, text: str) -> None:
    assert judge(text, lineage="untrusted").verdict == QUARANTINE


@pytest.mark.parametrize(("name", "text"), BENIGN, ids=[name for name, _ in BENIGN])
def test_a_look_alike_is_not_quarantined(name: str, text: str) -> None:
    assert judge(text, lineage="untrusted").verdict != QUARANTINE


@pytest.mark.parametrize(("lineage", "least"), [("model", 47), ("user", 40)])
def test_a_better_source_is_given_more_benefit(lineage: str, least: int) -> None:
    caught = sum(judge(text, lineage=lineage).verdict == QUARANTINE for _, text in ATTACKS)

    assert least <= caught < len(ATTACKS)
