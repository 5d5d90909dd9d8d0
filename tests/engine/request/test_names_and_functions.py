from __future__ import annotations

import pytest

from contextapp.engine.request.functions import arguments_object, arguments_text, functions
from contextapp.engine.request.names import function_name, is_word, with_own_ids
from contextapp.engine.request.neutral import Block
from tests.engine.request.test_openai import block


def ids(*blocks: Block, limit: int = 64) -> list[str]:
    made = with_own_ids(blocks, limit)
    return [name for one in made for name in ([call[0] for call in one.calls] or [one.call_id])]


def calling(*call_ids: str) -> Block:
    return block("assistant", "", calls=tuple((call_id, "bash", "{}") for call_id in call_ids))


def answer(call_id: str) -> Block:
    return block("tool", "done", call_id=call_id)


def test_names_that_providers_refuse_are_changed_and_stay_apart() -> None:
    names = ["read_file", "mcp:fs.read", "mcp:fs/read", "x" * 80, "x" * 81, "", "工具", "\ud800"]

    made = [function_name(name) for name in names]

    assert made[0] == "read_file"
    assert made[1] == "mcp_fs_read_02ca4e3a"
    assert len(set(made)) == len(names)
    assert all(is_word(name) for name in made)


def test_an_id_that_is_used_again_is_numbered_and_so_is_its_result() -> None:
    found = ids(calling("a"), answer("a"), calling("a", "b", "a"), answer("a"), answer("a"), answer("b"))

    assert found == ["a", "a", "a_2", "b", "a_3", "a_2", "a_3", "b"]


def test_ids_outside_the_alphabet_or_too_long_are_changed_alike_at_call_and_result() -> None:
    call, result = ids(calling("call|1"), answer("call|1"))
    long_call, long_result = ids(calling("x" * 50), answer("x" * 50), limit=40)

    assert call == result and is_word(call) and call.startswith("call_1_")
    assert long_call == long_result and len(long_call) == 40
    assert all(ids(calling(""), answer("")))


def test_a_numbered_id_keeps_within_the_limit_and_meets_no_other() -> None:
    found = ids(calling("aaaa_2", "aaaaaa", "aaaaaa"), limit=6)

    assert found == ["aaaa_2", "aaaaaa", "aaaa_3"]


@pytest.mark.parametrize("text", ["[1]", "null", "not json", "", '{"a": NaN}', '{"a": 1e999}', '{"a": "\\ud800"}'])
def test_arguments_that_are_no_json_object_stand_whole_in_one(text: str) -> None:
    assert arguments_object(text) == {"arguments": text}
    assert arguments_object(arguments_text(text)) == {"arguments": text}


def test_arguments_that_are_an_object_keep_their_bytes_as_text() -> None:
    text = '{"n": 1E2, "big": 18446744073709551616}'

    assert arguments_text(text) == text
    assert arguments_object(text) == {"n": 100.0, "big": 2**64}


def test_a_schema_becomes_that_of_an_object_and_what_may_not_stand_on_top_is_told_in_words() -> None:
    schema = {"type": ["object", "null"], "anyOf": [{"required": ["a"]}], "properties": {"a": {}}}
    tools = ({"name": "t", "description": "Does.", "schema": schema}, {"name": "t", "schema": {}})

    first, second = functions([block("system", "", "tools", tools=tools)])

    assert first.parameters == {"type": "object", "properties": {"a": {}}}
    assert first.description == (
        'Does.\n\nThe input also has to satisfy this JSON schema: {"anyOf": [{"required": ["a"]}]}'
    )
    assert (second.name, second.parameters) == ("t_2", {"type": "object", "properties": {}})
    assert "anyOf" in schema
