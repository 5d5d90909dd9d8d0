"""BM25 on a handful of records; the figures are worked out by hand from the formula."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextapp.engine.sources import ranking
from contextapp.engine.sources.ranking import Match
from contextapp.engine.sources.relevance import record_tokens, tokens


def matches(query: Mapping[str, float], records: Sequence[Sequence[str]]) -> tuple[Match, ...]:
    return ranking.matches(query, ranking.statistics(records))


def scores(query: dict[str, float], *texts: str) -> list[float]:
    return [match.score for match in matches(query, [tokens(text) for text in texts])]


def test_one_shared_word_of_one_record_scores_as_the_formula_says() -> None:
    rarity = math.log(1 + (2 - 1 + 0.5) / (1 + 0.5))
    norm = 1.2 * (1 - 0.75 + 0.75 * 2 / 2)

    assert scores({"payment": 2.0}, "payment gateway", "logo colour") == [round(2 * rarity * 2.2 / (1 + norm), 9), 0.0]


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    common, rare = scores(
        {"timeout": 1.0, "gateway": 1.0}, "timeout here", "gateway here", "timeout there", "timeout where"
    )[:2]

    assert rare > common > 0


def test_a_long_record_scores_less_for_the_same_words() -> None:
    short, long = scores({"timeout": 1.0}, "timeout", "timeout among many other words about logos")

    assert short > long > 0


def test_what_matched_is_named_and_identifiers_are_told_apart() -> None:
    (found,) = matches(dict.fromkeys(tokens("gateway.py"), 1.0), [tokens("src/gateway.py retries")])

    assert found.shared == ("=gateway.py", "gateway", "py")
    assert found.has_identifier


@pytest.mark.parametrize("query", ["PAYMENTGATEWAY", "PaymentGateway", "payment_gateway", "payMENTgateway"])
@pytest.mark.parametrize("record", ["PaymentGateway retries", "payment_gateway retries", "src/paymentGateway.py"])
def test_an_identifier_is_found_however_it_is_cased(query: str, record: str) -> None:
    (found, other) = matches(
        dict.fromkeys(tokens(query), 1.0), [record_tokens(record), record_tokens("the logo is blue")]
    )

    assert found.score > 0 == other.score


@pytest.mark.parametrize(
    "query",
    [
        "src/pay/api.py:42",
        "src\\pay\\api.py",
        "D:\\shop\\src\\pay\\api.py:42:7",
        "看下pay/api.py:9的错误",
        "SRC/PAY/API.PY",
    ],
)
def test_a_path_is_found_with_its_line_and_with_any_slash(query: str) -> None:
    (found,) = matches(dict.fromkeys(tokens(query), 1.0), [record_tokens("retries live in src/pay/api.py")])

    assert found.has_identifier


@pytest.mark.parametrize("query", ["钱", "付 钱", "PayGate里付钱"])
def test_single_characters_and_text_without_spaces_find_a_record(query: str) -> None:
    (found,) = matches(dict.fromkeys(tokens(query), 1.0), [record_tokens("用户付钱后PayGate才发货")])

    assert found.score > 0


def test_only_unknown_latin_words_of_four_letters_are_taken_for_misspelt() -> None:
    assert scores({"timeuot": 1.0}, "timeout")[0] > 0
    assert scores({"tme": 1.0}, "time") == [0.0]
    assert scores({"支付": 1.0}, "交付") == [0.0]
    assert scores({"time": 1.0}, "time", "tame")[1] == 0.0


def test_nothing_to_rank_is_no_error() -> None:
    assert matches({"a": 1.0}, []) == ()
    assert scores({}, "text", "") == [0.0, 0.0]


@given(st.lists(st.lists(st.sampled_from(["pay", "timeout", "logo", "网关"]), max_size=6), max_size=6))
@settings(max_examples=20, deadline=None)
def test_the_order_of_the_records_changes_no_score(records: list[list[str]]) -> None:
    query = {"timeout": 1.0, "网关": 2.0}
    shuffled = sorted(range(len(records)), key=lambda place: (len(records[place]), place), reverse=True)

    straight = matches(query, records)
    other = matches(query, [records[place] for place in shuffled])

    assert [straight[place] for place in shuffled] == list(other)
