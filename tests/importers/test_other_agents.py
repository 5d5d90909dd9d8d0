"""Gemini CLI, Cline, pi, Aider, the Claude Agent SDK and managed agents: what each says, and what of it is told once."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contextapp.importers.contract import ParsedLine
from contextapp.importers.recognise import recognise
from tests.importers.parsing import events_of, of_type, outcomes, read, to_lines, types_of

AT = "2026-03-01T10:00:00Z"


def parsed(body: bytes, name: str, expected: str) -> list[ParsedLine]:
    found = recognise(body, name)
    assert found is not None and found.name == expected
    return read(body, name, found.parse)


def gemini(**call: Any) -> dict[str, Any]:
    tokens = {"input": 100, "output": 5, "cached": 60, "thoughts": 7, "tool": 0, "total": 112}
    made = {"id": "c1", "name": "write_file", "args": {"file_path": "a"}, **call}
    return {"id": "g1", "timestamp": AT, "type": "gemini", "content": "", "model": "m", "tokens": tokens,
            "toolCalls": [made]}  # fmt: skip


HEAD = {"sessionId": "s1", "projectHash": "f", "startTime": AT}
ASK = {"id": "u1", "timestamp": AT, "type": "user", "content": [{"text": "Write it"}]}
DONE = {"status": "success", "result": [{"functionResponse": {"response": {"output": "written"}}}]}


def test_a_gemini_message_that_is_written_again_adds_only_its_result() -> None:
    lines = parsed(
        to_lines(HEAD, ASK, gemini(), {"$set": {"lastUpdated": AT}}, gemini(**DONE)), "a.jsonl", "gemini_cli"
    )

    assert types_of(lines) == [
        "session.created", "turn.started", "user.message", "tool.requested", "usage.reported", "tool.completed",
        "file.changed",
    ]  # fmt: skip
    assert outcomes(lines)[0] == ("folded", "head") and outcomes(lines)[3] == ("folded", "patch")


def test_gemini_counts_the_cache_in_and_its_thoughts_out() -> None:
    lines = parsed(json.dumps(HEAD | {"messages": [ASK, gemini(**DONE)]}).encode(), "a.json", "gemini_cli")

    (bill,) = of_type(lines, "usage.reported")
    assert (bill["input_uncached"], bill["cache_read"], bill["output"], bill["reasoning"]) == (40, 60, 12, 7)


def test_a_cancelled_gemini_call_is_a_persons_no_and_an_unknown_message_is_kept() -> None:
    body = to_lines(
        HEAD, gemini(status="cancelled"), {"id": "x", "type": "odd", "content": "?"}, {"id": "y", "type": 3}
    )

    lines = parsed(body, "a.jsonl", "gemini_cli")

    assert of_type(lines, "permission.resolved")[0]["decision"] == "denied"
    assert of_type(lines, "import.unknown")[0]["record_type"] == "odd"
    assert outcomes(lines)[3] == ("quarantined", "wrong_type")


PI = {"type": "session", "id": "p1", "timestamp": AT, "cwd": "/w", "modelId": "m"}


def pi(role: str, content: Any, at: str = AT, **rest: Any) -> dict[str, Any]:
    return {"type": "message", "timestamp": at, "message": {"role": role, "content": content, **rest}}


def test_a_pi_compaction_stands_for_what_is_before_the_first_kept_entry() -> None:
    usage = {"input": 1, "output": 2, "cacheRead": 3, "cacheWrite": 4}
    answer = pi("assistant", [{"type": "text", "text": "Yes"}], api="a", model="m", usage=usage, stopReason="stop")
    compaction = {"type": "compaction", "timestamp": AT, "summary": "S", "firstKeptEntryIndex": 3, "tokensBefore": 9}

    lines = parsed(to_lines(PI, pi("user", "Go"), answer, pi("user", "On"), compaction), "a.jsonl", "pi_agent")

    first = [event.type for event in events_of(lines)].index("turn.completed") + 1
    assert of_type(lines, "session.compacted")[0]["covers"] == [1, first]
    assert of_type(lines, "usage.reported")[0]["cache_write"] == 4


def test_the_bills_of_a_parents_entries_in_a_branched_pi_file_are_not_added_up() -> None:
    usage = {"input": 1, "output": 2}
    old = pi("assistant", [], "2026-02-01T10:00:00Z", api="a", usage=usage, stopReason="aborted")
    new = pi("assistant", [], "2026-03-02T10:00:00Z", api="a", usage=usage, stopReason="stop")

    lines = parsed(to_lines(PI | {"branchedFrom": "/p.jsonl"}, old, new), "a.jsonl", "pi_agent")

    assert [bill["quality"] for bill in of_type(lines, "usage.reported")] == ["cumulative", "exact"]


def control(kind: str, number: str, /, **body: Any) -> dict[str, Any]:
    return {"type": kind, "request_id": number, ("request" if kind == "control_request" else "response"): body}


@pytest.mark.parametrize(("behavior", "decision"), [("allow", "allowed"), ("deny", "denied")])
def test_a_permission_of_the_sdk_is_asked_for_and_decided(behavior: str, decision: str) -> None:
    ask = control("control_request", "r1", subtype="can_use_tool", tool_name="Bash", tool_use_id="t1")
    answer = control("control_response", "r1", request_id="r1", response={"behavior": behavior, "message": "why"})

    lines = parsed(to_lines(ask, answer), "a.jsonl", "claude_agent_sdk")

    assert of_type(lines, "permission.requested") == [{"call_id": "t1", "tool": "Bash"}]
    (resolved,) = of_type(lines, "permission.resolved")
    assert (resolved["call_id"], resolved["decision"], resolved["explicit"]) == ("t1", decision, True)


def test_what_was_sent_to_a_managed_agent_is_told_once() -> None:
    said = {"type": "user.message", "content": [{"type": "text", "text": "Hi"}]}
    used = {"type": "agent.mcp_tool_use", "id": "sevt_2", "name": "find", "input": {}, "evaluated_permission": "ask"}
    yes = {"type": "user.tool_confirmation", "id": "sevt_3", "tool_use_id": "sevt_2", "result": "allow"}
    body = to_lines(
        ["client.beta.sessions.events.send", ["sesn_1", {"events": [said]}]],
        *(["client.beta.sessions.events.stream", one] for one in (said | {"id": "sevt_1"}, used, yes)),
    )

    lines = parsed(body, "a.jsonl", "anthropic_managed_agents")

    assert outcomes(lines)[1] == ("folded", "repeats_sent")
    assert len(of_type(lines, "user.message")) == len(of_type(lines, "permission.requested")) == 1
    assert of_type(lines, "permission.resolved")[0]["by"] == "person"


def test_a_cline_bill_counts_the_cache_in_and_a_summary_is_no_prompt() -> None:
    metrics = {"inputTokens": 100, "outputTokens": 5, "cacheReadTokens": 70, "cacheWriteTokens": 10}
    messages = [
        {"id": "s", "role": "user", "content": "Before", "metadata": {"kind": "compaction_summary", "summary": "S"}},
        {"id": "u", "role": "user", "content": [{"type": "file", "path": "/a.py", "content": "x"}]},
        {"id": "a", "role": "assistant", "content": "Done", "metrics": metrics},
    ]
    session = {"version": 1, "sessionId": "c1", "system_prompt": "Be", "messages": messages}

    lines = parsed(json.dumps(session).encode(), "c1.messages.json", "cline")

    assert of_type(lines, "usage.reported")[0]["input_uncached"] == 20
    assert of_type(lines, "resource.included")[0]["path"] == "/a.py"
    assert of_type(lines, "session.compacted")[0]["summary"] == "S" and not of_type(lines, "user.message")


def test_an_aider_history_has_a_session_for_each_chat_and_accounts_for_every_line() -> None:
    chat = "# aider chat started at 2024-08-05 19:33:02\n\n> Model: m with diff\n\n#### Do it\n#### now\n\nDone.\n\n"
    body = (chat + "> Tokens: 5,244 sent, 604 received.\n" + chat).encode()

    lines = parsed(body, ".aider.chat.history.md", "aider")

    assert [line.line for line in lines] == list(range(1, body.count(b"\n") + 1))
    assert len({event.session_key for event in events_of(lines)}) == 2
    assert [message["text"] for message in of_type(lines, "user.message")] == ["Do it\nnow"] * 2
    assert of_type(lines, "usage.reported")[0]["input_uncached"] == 5244
