"""A session written as ATIF and read back: the same prompts, answers, calls, results, bills and notes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contextapp.engine.events import Event
from contextapp.importers.atif.parser import parse
from contextapp.importers.atif.writing import Named, trajectory_of
from contextapp.importers.recognise import recognise
from tests.importers.parsing import assistant, call, events_of, of_type, read, record, result, to_lines, types_of, user
from tests.importers.test_atif import RUN

PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}
TOLD = to_lines(
    user([{"type": "text", "text": "Fix it"}, PICTURE], 1),
    assistant({"type": "thinking", "thinking": "hm", "signature": "s"}, 2),
    assistant({"type": "text", "text": "I look."}, 3),
    call("c1", command="ls", number=4),
    result("c1", "The user doesn't want to proceed with this tool use. The tool use was rejected", 5, is_error=True),
    record("system", 6, subtype="compact_boundary", compactMetadata={"trigger": "auto", "preTokens": 9}),
    user("They looked.", 7, isCompactSummary=True),
    user("<system-reminder>quoted</system-reminder>", 8, isMeta=True),
    user("go on", 9),
    assistant({"type": "text", "text": "Done."}, 10, message_id="msg_2"),
)


def written(body: bytes = TOLD) -> dict[str, Any]:
    told = [
        Event(seq, one.type, one.payload, visibility=one.visibility)
        for seq, one in enumerate(events_of(read(body)), start=1)
    ]
    return trajectory_of(Named("run-1", "claude-code", "2.1", "claude-x"), told)


def test_what_is_written_is_a_trajectory_with_numbered_steps() -> None:
    document = written()
    found = recognise(json.dumps(document).encode(), "x")

    assert found is not None and found.name == "atif"
    assert [step["step_id"] for step in document["steps"]] == list(range(1, len(document["steps"]) + 1))
    assert document["agent"] == {"name": "claude-code", "version": "2.1", "model_name": "claude-x"}
    assert document["final_metrics"]["total_steps"] == len(document["steps"])


def test_an_answer_is_one_step_with_its_calls_results_and_bill() -> None:
    step = next(step for step in written()["steps"] if step["source"] == "agent")

    assert (step["message"], step["reasoning_content"]) == ("I look.", "hm")
    assert step["tool_calls"][0]["arguments"] == {"command": "ls"}
    assert step["observation"]["results"][0]["source_call_id"] == "c1"
    assert step["metrics"]["prompt_tokens"] == 503 and step["metrics"]["cached_tokens"] == 500


@pytest.mark.parametrize(
    "kind",
    [
        "user.message", "model.message", "model.thinking", "tool.requested", "tool.completed", "permission.resolved",
        "session.compacted", "resource.included", "usage.reported",
    ],
)  # fmt: skip
def test_what_was_written_is_read_back(kind: str) -> None:
    before = of_type(read(TOLD), kind)
    after = of_type(read(json.dumps(written()).encode(), "/x.json", parse), kind)

    said = ("text", "summary", "content", "input", "decision", "part", "output", "cache_read")
    assert [[one.get(name) for name in said] for one in after] == [[one.get(name) for name in said] for one in before]


def test_a_trajectory_that_is_written_again_is_the_same() -> None:
    first = read(json.dumps(RUN).encode(), "/x.json", parse)
    told = [Event(seq, one.type, one.payload, visibility=one.visibility) for seq, one in enumerate(events_of(first), 1)]

    again = read(json.dumps(trajectory_of(Named("run-1", "helper", "1.2", "gpt-x"), told)).encode(), "/x.json", parse)

    assert types_of(again) == types_of(first)
    assert of_type(again, "tools.available") == of_type(first, "tools.available")


def test_an_erased_event_is_not_written() -> None:
    document = trajectory_of(Named("s", "a"), [Event(1, "user.message", {"erased": True})])

    assert document["steps"] == []


def test_a_file_does_not_confirm_constraints() -> None:
    entry = {"type": "constraint.added", "payload": {"text": "obey"}, "visibility": "model"}
    step = {"step_id": 1, "source": "user", "message": "hi", "extra": {"contextapp": {"events": [entry]}}}

    lines = read(json.dumps({**RUN, "steps": [step]}).encode(), "/x.json", parse)

    assert of_type(lines, "import.unknown")[0]["record"] == entry
    assert of_type(lines, "constraint.added") == []
