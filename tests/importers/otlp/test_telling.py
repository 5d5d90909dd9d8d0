"""What becomes of consecutive requests: new messages are told, repeated ones are not, a rewritten history is marked."""

from __future__ import annotations

import json
from uuid import UUID

from contextapp.engine import events as kinds
from contextapp.importers.contract import Disposition
from tests.importers.otlp.payloads import Json, chat, growing, said, span
from tests.importers.otlp.telling import lines_of, of_type, told, window_of

OTHER_TRACE = "ff" * 16


def asks(*texts: str) -> list[Json]:
    """User and assistant in turn, as histories are."""
    return [said("assistant" if number % 2 else "user", text) for number, text in enumerate(texts)]


def call(number: int, *texts: str, answer: str = "", **more: object) -> Json:
    return span(number, chat(asks(*texts), said("assistant", answer) if answer else None, **more))


def test_each_message_is_told_once_and_the_window_is_the_request() -> None:
    found = told(*growing(4))

    assert [one["text"][:10] for one in of_type(found, kinds.USER_MESSAGE)] == [f"question {n}" for n in range(4)]
    assert len(window_of(found)) == 8
    assert len({event.event_id for event in found}) == len(found)


def test_the_same_words_said_twice_are_two_messages() -> None:
    found = told(call(0, "go on", answer="done"), call(1, "go on", "done", "go on", answer="done"))

    assert len(of_type(found, kinds.USER_MESSAGE)) == 2
    assert len(of_type(found, kinds.MODEL_MESSAGE)) == 2


def test_a_summary_in_place_of_the_start_is_a_compaction_of_what_it_replaced() -> None:
    before = [call(0, "a", answer="b"), call(1, "a", "b", "c", answer="d")]
    after = span(2, chat([said("user", "Summary: a, b."), *asks("c", "d", "e")], said("assistant", "f")))

    found = told(*before, after)

    [compacted] = of_type(found, kinds.SESSION_COMPACTED)
    assert (compacted["summary"], compacted["part"]) == ("Summary: a, b.", "whole")
    covered = [event.payload.get("text") for event in found[compacted["covers"][0] - 1 : compacted["covers"][1]]]
    assert (covered[0], covered[-1]) == ("a", "b")
    assert window_of(found) == ["Summary: a, b.", "c", "d", "e", "f"]
    assert [one["text"] for one in of_type(found, kinds.USER_MESSAGE)] == ["a", "c", "e"]


def test_the_conversation_goes_on_behind_a_summary() -> None:
    summary = said("user", "Summary: a, b.")
    spans = [
        call(0, "a", answer="b"),
        call(1, "a", "b", "c", answer="d"),
        span(2, chat([summary, *asks("c", "d", "e")], said("assistant", "f"))),
        span(3, chat([summary, *asks("c", "d", "e", "f", "g")], said("assistant", "h"))),
        span(4, chat([said("user", "Shorter."), *asks("e", "f", "g", "h", "i")], said("assistant", "j"))),
    ]

    found = told(*spans)

    assert window_of(found) == ["Shorter.", "e", "f", "g", "h", "i", "j"]
    assert len(of_type(found, kinds.SESSION_COMPACTED)) == 2
    assert [one["text"] for one in of_type(found, kinds.MODEL_MESSAGE)] == list("bdfhj")


def test_a_window_that_slides_keeps_its_first_message() -> None:
    found = told(
        call(0, "task", answer="b"),
        call(1, "task", "b", "c", answer="d"),
        span(
            2, chat([*asks("task"), said("user", "c"), *asks("x", "d")[1:], said("user", "e")], said("assistant", "f"))
        ),
    )

    window = window_of(found)

    assert sorted(window) == sorted(["task", "c", "d", "e", "f"])
    assert found[-1].payload["record"]["rewritten"] is True


def test_a_history_of_its_own_is_a_thread_under_the_conversation() -> None:
    ours = [call(0, "a", answer="b"), call(2, "a", "b", "c", answer="d")]
    aside = call(1, "Name this chat.", answer="Letters")

    found = told(ours[0], aside, ours[1])

    keys = {event.session_key for event in found}
    [thread] = [key for key in keys if "/thread-" in key]
    assert keys - {thread} == {"otlp:conversation:run-1"}
    assert window_of([event for event in found if event.session_key != thread]) == list("abcd")


def test_two_agents_that_take_turns_cost_their_own_length() -> None:
    ours, theirs = (
        growing(6, words=5),
        [call(100 + n, *(f"x{k}" for k in range(2 * n + 1)), answer=f"x{2 * n + 1}") for n in range(6)],
    )
    mixed = [one for pair in zip(ours, theirs, strict=True) for one in pair]

    found = told(*mixed)

    assert len(of_type(found, kinds.USER_MESSAGE)) == 12
    assert len(of_type(found, kinds.MODEL_MESSAGE)) == 12


def test_an_answer_that_comes_back_in_other_words_is_not_a_second_call() -> None:
    found = told(call(0, "a", answer="b"), call(1, "a", "B!", "c", answer="d"))

    assert [one["text"] for one in of_type(found, kinds.MODEL_MESSAGE)] == ["b", "d"]
    assert found[-1].payload["record"]["retold_answer"]["text"] == "B!"


def test_an_answer_that_was_thrown_away_is_marked() -> None:
    found = told(call(0, "a", answer="b"), call(1, "a", answer="b2"))

    assert [one["text"] for one in of_type(found, kinds.MODEL_MESSAGE)] == ["b", "b2"]
    assert found[-1].payload["record"]["answer_left_out"] is True


def used(call_id: str = "toolu_123456") -> Json:
    part = {"type": "tool_call", "id": call_id, "name": "ls", "arguments": {"path": "."}}
    return {"role": "assistant", "parts": [part]}


def gave(text: str, call_id: str = "toolu_123456") -> Json:
    return {"role": "tool", "parts": [{"type": "tool_call_response", "id": call_id, "response": text}]}


def tool_span(number: int, result: str, **more: object) -> Json:
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "ls",
        "gen_ai.tool.call.id": "toolu_123456",
    }
    return span(
        number, {**attributes, "gen_ai.tool.call.result": result, "gen_ai.conversation.id": "run-1", **more}, name="ls"
    )


def test_a_result_told_by_its_span_and_by_the_next_request_is_one_result() -> None:
    ask = said("user", "a")
    spans = [
        span(0, chat([ask], used())),
        tool_span(1, "a.py"),
        span(2, chat([ask, used(), gave("a.py")], said("assistant", "one"))),
    ]

    for found in (told(*spans), told(spans[0], spans[2], spans[1])):
        assert [one["content"] for one in of_type(found, kinds.TOOL_COMPLETED)] == ["a.py"]
        assert of_type(found, kinds.SESSION_COMPACTED) == []


def test_a_result_that_the_model_was_shown_otherwise_is_corrected() -> None:
    ask = said("user", "a")
    spans = [
        span(0, chat([ask], used())),
        tool_span(1, "long " * 9),
        span(2, chat([ask, used(), gave("cut")], said("assistant", "one"))),
    ]

    found = told(*spans)

    [cleared] = of_type(found, kinds.SESSION_COMPACTED)
    assert (cleared["part"], cleared["shown"]) == ("cleared", {"toolu_123456": "cut"})


def test_a_result_that_is_cleared_later_is_a_clearing() -> None:
    ask = said("user", "a")
    first = [span(0, chat([ask], used())), span(1, chat([ask, used(), gave("a.py")], said("assistant", "b")))]
    last = span(
        2, chat([ask, used(), gave("[cleared]"), said("assistant", "b"), said("user", "c")], said("assistant", "d"))
    )

    found = told(*first, last)

    assert [one["cleared_call_ids"] for one in of_type(found, kinds.SESSION_COMPACTED)] == [["toolu_123456"]]
    assert [one["text"] for one in of_type(found, kinds.USER_MESSAGE)] == ["a", "c"]


def test_instructions_and_tools_are_told_when_they_change() -> None:
    def with_system(number: int, text: str, *said_: str) -> Json:
        system, tools = (
            json.dumps([{"type": "text", "content": text}]),
            json.dumps([{"type": "function", "name": "ls"}]),
        )
        return call(
            number, *said_, answer="ok", **{"gen_ai.system_instructions": system, "gen_ai.tool.definitions": tools}
        )

    found = told(
        with_system(0, "Be brief.", "a"),
        with_system(1, "Be brief.", "a", "ok", "b"),
        with_system(2, "Be long.", "a", "ok", "b", "ok", "c"),
    )

    assert [one["text"] for one in of_type(found, kinds.INSTRUCTIONS_LOADED)] == ["Be brief.", "Be long."]
    assert len(of_type(found, kinds.TOOLS_AVAILABLE)) == 1


def test_a_call_without_recorded_content_is_a_step_all_the_same() -> None:
    hidden = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-5", "gen_ai.usage.input_tokens": 9}

    found = told(span(0, hidden), span(1, hidden))

    assert [one["content_recorded"] for one in of_type(found, kinds.MODEL_MESSAGE)] == [False, False]
    assert len({one["message_id"] for one in of_type(found, kinds.MODEL_MESSAGE)}) == 2


def test_a_failed_call_is_an_error_and_no_answer() -> None:
    found = told(span(0, chat(asks("a"), None), error="429 rate limited"))

    [error] = of_type(found, kinds.MODEL_MESSAGE)
    assert (error["text"], error["synthetic"], error["error_status"]) == ("429 rate limited", True, "error")


def test_a_trace_belongs_to_the_conversation_that_one_of_its_spans_names() -> None:
    nameless = tool_span(1, "a.py")
    del nameless["attributes"]["gen_ai.conversation.id"]

    found = told(span(0, chat([said("user", "a")], used())), nameless)

    assert {event.session_key for event in found} == {"otlp:conversation:run-1"}


def test_every_span_of_a_file_has_one_disposition() -> None:
    requests = [growing(2), [span(9, {"http.method": "GET"})], [{**growing(1)[0], "trace": "0" * 32}], growing(2)]

    lines = lines_of(*requests)

    dispositions = [line.disposition for line in lines]
    expected = [Disposition.PRODUCED] * 2 + [Disposition.FOLDED, Disposition.QUARANTINED] + [Disposition.FOLDED] * 2
    assert dispositions == expected
    assert all(isinstance(event.event_id, UUID) for line in lines for event in line.drafts)
