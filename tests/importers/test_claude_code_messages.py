"""Claude Code: prompts, model messages and usage as events."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from tests.importers.parsing import assistant, events_of, of_type, outcomes, read, record, to_lines, types_of, user

TEXT = {"type": "text", "text": "I will look."}
PNG = b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + (640).to_bytes(4, "big") + (480).to_bytes(4, "big")


def test_a_prompt_opens_the_session_and_a_turn() -> None:
    lines = read(to_lines(user("Fix the test")))

    assert types_of(lines) == ["session.created", "turn.started", "user.message"]
    created = events_of(lines)[0].payload
    assert created["cwd"] == "/home/dev/shop" and created["agent_version"] == "2.1.120"
    assert of_type(lines, "user.message") == [{"text": "Fix the test", "message_id": "record-1"}]


def test_the_next_prompt_completes_the_turn_before() -> None:
    lines = read(to_lines(user("one", 1), assistant(TEXT, 2), user("two", 3)))

    assert types_of(lines)[-3:] == ["turn.completed", "turn.started", "user.message"]


def test_a_turn_that_has_ended_is_not_completed_again_by_the_next_prompt() -> None:
    ended = record("system", 3, subtype="turn_duration", durationMs=1234)

    lines = read(to_lines(user("one", 1), assistant(TEXT, 2), ended, user("two", 4)))

    assert of_type(lines, "turn.completed") == [{"stop_reason": "end_turn", "duration_ms": 1234}]


def test_equal_usage_on_each_line_of_a_message_makes_one_event() -> None:
    thinking = {"type": "thinking", "thinking": "hm", "signature": "x"}

    lines = read(to_lines(user("go", 1), assistant(thinking, 2), assistant(TEXT, 3)))

    assert types_of(lines).count("usage.reported") == 1
    assert outcomes(lines)[2] == ("produced", "")


def test_usage_that_grew_on_a_later_line_makes_another_event() -> None:
    first = assistant(TEXT, 2, usage={"input_tokens": 3, "output_tokens": 1}, stop_reason=None)
    last = assistant(TEXT, 3, usage={"input_tokens": 3, "output_tokens": 90})

    lines = read(to_lines(first, last))

    reported = of_type(lines, "usage.reported")
    assert [usage["output"] for usage in reported] == [1, 90]
    assert [usage["quality"] for usage in reported] == ["placeholder", "exact"]


def test_usage_tells_cached_input_from_uncached() -> None:
    usage = {
        "input_tokens": 3,
        "cache_creation_input_tokens": 10201,
        "cache_read_input_tokens": 13697,
        "output_tokens": 376,
    }

    reported = of_type(read(to_lines(assistant(TEXT, usage=usage))), "usage.reported")[0]

    assert (reported["input_uncached"], reported["cache_write"], reported["cache_read"]) == (3, 10201, 13697)


@pytest.mark.parametrize(
    ("block", "redacted"),
    [
        ({"type": "thinking", "thinking": "because", "signature": "s"}, False),
        ({"type": "thinking", "thinking": "", "signature": "s"}, True),
        ({"type": "redacted_thinking", "data": "opaque"}, True),
    ],
)
def test_thinking_says_whether_it_can_be_read(block: dict[str, Any], redacted: bool) -> None:
    thought = of_type(read(to_lines(assistant(block))), "model.thinking")[0]

    assert thought["redacted"] is redacted


def test_a_picture_in_a_prompt_carries_its_bytes_and_measures() -> None:
    source = {"type": "base64", "media_type": "image/png", "data": base64.b64encode(PNG).decode()}

    lines = read(to_lines(user([{"type": "text", "text": "see"}, {"type": "image", "source": source}])))

    spoken = of_type(lines, "user.message")[0]
    picture = spoken["media"][0]
    assert spoken["text"] == "see"
    assert (picture["width"], picture["height"], picture["size_bytes"]) == (640, 480, len(PNG))
    assert base64.b64decode(picture["data_base64"]) == PNG


def test_an_error_text_in_the_models_place_is_shown_and_never_sent() -> None:
    error = assistant(
        {"type": "text", "text": "API Error: 529 overloaded"}, model="<synthetic>", isApiErrorMessage=True
    )

    events = events_of(read(to_lines(user("go"), error)))

    assert events[-1].type == "model.message" and events[-1].visibility == "ui"
    assert events[-1].payload["synthetic"] is True and events[-1].payload["error_status"] == 529
    assert "usage.reported" not in [event.type for event in events]


def test_an_unknown_block_of_a_message_is_kept_verbatim() -> None:
    block = {"type": "hologram", "size": 3}

    events = events_of(read(to_lines(assistant(block, usage=None))))

    assert events[-1].payload == {"record_type": "assistant/hologram", "record": block}
    assert events[-1].visibility == "audit"


def test_an_unknown_record_type_is_kept_verbatim() -> None:
    strange = record("quantum-leap", to="1999")

    events = events_of(read(to_lines(strange)))

    assert events[-1].payload == {"record_type": "quantum-leap", "record": strange}


def test_the_first_call_of_a_session_without_a_prompt_still_has_a_turn() -> None:
    echo = user("<command-message>init</command-message>\n<command-name>/init</command-name>", 1)

    lines = read(to_lines(echo, assistant(TEXT, 2), assistant(TEXT, 3, message_id="msg_2")))

    assert types_of(lines).count("turn.started") == 1


def test_the_title_is_the_first_prompt_until_a_better_one_comes() -> None:
    renamed = {"type": "custom-title", "customTitle": "parser-work", "sessionId": "x"}
    lines = read(to_lines(user("\nFix the parser\nplease", 1), user("More", 2), renamed, user("Even more", 3)))

    titles = [head.title for line in lines for head in line.heads]
    assert titles == ["Fix the parser", "parser-work"]


def test_the_model_of_the_answer_becomes_known_to_the_session() -> None:
    lines = read(to_lines(user("go"), assistant(TEXT)))

    assert [head.model for line in lines for head in line.heads] == ["", "claude-opus-4-6"]
