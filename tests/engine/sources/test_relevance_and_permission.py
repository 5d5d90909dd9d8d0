from __future__ import annotations

import pytest

from contextapp.engine.errors import InvalidInput
from contextapp.engine.policy import Policy
from contextapp.engine.sources.named import named_events
from contextapp.engine.sources.permission import any_denied, is_denied
from contextapp.engine.sources.relevance import shared, tokens
from tests.engine.builder.worlds import Log, inputs_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The parsers", {"parser"}),
        ("getUserName", {"getusername", "get", "name"}),
        ("settings.TIMEOUT_MS", {"setting", "timeout", "ms"}),
        ("支付网关", {"支付", "付网", "网关"}),
        ("用Redis缓存", {"用缓", "缓存", "redis"}),
        ("a to of", set()),
        ("class", {"class"}),
    ],
)
def test_words_identifiers_and_pairs_of_characters_are_tokens(text: str, expected: set[str]) -> None:
    assert tokens(text) == expected


def test_a_text_is_as_near_as_the_tokens_it_shares() -> None:
    query = tokens("fix the payment timeout")

    assert shared(query, "payment timeouts happen") == 2
    assert shared(query, "logo colours") == 0


@pytest.mark.parametrize(
    ("path", "denied"),
    [
        ("/work/shop/.env", True),
        (".env", True),
        ("/work/shop/keys/a.pem", True),
        ("keys/deep/b.pem", True),
        ("/work/shop/src/env.py", False),
        ("", False),
    ],
)
def test_a_glob_forbids_a_path_however_it_is_spelt(path: str, denied: bool) -> None:
    policy = Policy(deny_paths=(".env", "keys/*"))

    assert is_denied(path, policy, "/work/shop") is denied
    assert any_denied(["ok.py", path], policy, "/work/shop") is denied


def test_an_event_that_the_state_names_and_nobody_loaded_is_an_error() -> None:
    log = Log()
    log.user("go")

    with pytest.raises(InvalidInput, match="event 9 .* load state.indexed_seqs"):
        named_events(inputs_of(log.events), [9])
