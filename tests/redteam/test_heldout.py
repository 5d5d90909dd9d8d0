"""The form of the two sets: what a rate measured on them rests on. The rates themselves are `make redteam`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.redteam import LIMITS
from tests.redteam.lines import ABSENT, DEVELOPMENT, HELDOUT, KINDS, LANGUAGES, known_misses, read


@pytest.fixture(params=[DEVELOPMENT, HELDOUT], ids=lambda path: path.name)
def path(request: pytest.FixtureRequest) -> Path:
    found: Path = request.param
    if not found.exists():
        pytest.skip(ABSENT)
    return found


def test_every_name_is_used_once(path: Path) -> None:
    names = [line.name for line in read(path)]

    assert sorted(set(names)) == sorted(names)


def test_both_kinds_are_there_in_both_languages(path: Path) -> None:
    lines = read(path)

    assert {(line.kind, line.language) for line in lines} == {
        (kind, language) for kind in KINDS for language in LANGUAGES
    }
    assert all(line.category and line.text.strip() for line in lines)


def test_no_text_stands_twice(path: Path) -> None:
    texts = [line.text for line in read(path)]

    assert len(set(texts)) == len(texts)


def test_the_sets_share_no_text() -> None:
    if not HELDOUT.exists():
        pytest.skip(ABSENT)

    shared = {_bare(line.text) for line in read(DEVELOPMENT)} & {_bare(line.text) for line in read(HELDOUT)}

    assert shared == set()


def test_the_known_misses_are_those_of_today() -> None:
    _, known = known_misses()

    missed = {line.name for line in read(DEVELOPMENT) if line.is_missed}

    assert missed == known


def test_the_target_of_the_known_misses_is_that_of_the_benchmark() -> None:
    target, _ = known_misses()

    assert all(f"{figure} {sign} {bound:.0f}" in target for figure, (sign, bound) in LIMITS.items())


def _bare(text: str) -> str:
    """What differs in case or white space alone is the same text."""
    return "".join(text.lower().split())
