from __future__ import annotations

from contextapp.engine.kept import Kept


def test_an_answer_is_made_once() -> None:
    made: list[str] = []
    kept: Kept[str] = Kept()

    answers = [kept.of("key", 3, lambda: made.append("x") or "answer") for _ in range(3)]

    assert answers == ["answer"] * 3
    assert made == ["x"]


def test_what_is_asked_for_again_outlives_a_generation_and_the_rest_is_forgotten() -> None:
    kept: Kept[int] = Kept(limit_chars=10)
    made: list[int] = []

    def asked(number: int) -> int:
        return kept.of(number, 4, lambda: made.append(number) or number)

    for number in (1, 2, 3, 1, 4, 1, 5, 2):
        asked(number)

    assert made == [1, 2, 3, 4, 5, 2]


def test_a_text_larger_than_the_memo_is_answered_and_not_held() -> None:
    kept: Kept[str] = Kept(limit_chars=10)
    made: list[str] = []

    for _ in range(2):
        kept.of("huge", 11, lambda: made.append("x") or "answer")

    assert made == ["x", "x"]
