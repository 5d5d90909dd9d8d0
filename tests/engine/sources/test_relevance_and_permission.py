from __future__ import annotations

import pytest

from contextapp.engine.errors import InvalidInput
from contextapp.engine.policy import Policy
from contextapp.engine.sources.named import named_events
from contextapp.engine.sources.permission import any_denied, is_denied
from contextapp.engine.sources.relevance import identifiers, record_tokens, tokens
from tests.engine.builder.worlds import Log, inputs_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The parsers", ["parser"]),
        ("tests failed, failing queries", ["test", "fail", "fail", "query"]),
        ("a string needed speed", ["string", "need", "speed"]),
        ("getUserName", ["=getusername", "getusername", "get", "name"]),
        ("settings.TIMEOUT_MS", ["=settings.timeoutms", "setting", "timeoutm", "timeout", "ms"]),
        ("src/pay/api.py", ["=src/pay/api.py", "=pay/api.py", "=api.py", "src", "pay", "api", "py"]),
        ("src\\pay\\api.py:42", ["=src/pay/api.py", "=pay/api.py", "=api.py", "src", "pay", "api", "py", "42"]),
        ("C:\\pay\\a.py", ["=c:/pay/a.py", "=pay/a.py", "=a.py", "pay", "py"]),
        ("localhost:8080", ["=localhost:8080", "localhost", "8080"]),
        ("PAYMENTGATEWAY", ["paymentgateway"]),
        ("payment_gateway", ["=paymentgateway", "paymentgateway", "payment", "gateway"]),
        ("well-known", ["well", "known"]),
        ("在PayGate里超时", ["=paygate", "paygate", "pay", "gate", "里超", "超时"]),
        ("支付网关", ["支付", "付网", "网关"]),
        ("用Redis缓存", ["redis", "缓存"]),
        ("钱 在", ["钱"]),
        ("Ｒedis", ["redis"]),
        ("a to of", []),
        ("class", ["class"]),
    ],
)
def test_words_identifiers_and_pairs_of_characters_are_tokens(text: str, expected: list[str]) -> None:
    assert list(tokens(text)) == expected


def test_a_record_is_found_also_by_each_of_its_characters() -> None:
    assert record_tokens("付钱 pay") == ("付钱", "pay", "付", "钱")


def test_identifiers_are_given_as_they_are_written() -> None:
    assert identifiers("the parser reads src/Pay.py, see getTotal 支付 MAX_SIZE.") == (
        "src/Pay.py",
        "getTotal",
        "MAX_SIZE",
    )


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
