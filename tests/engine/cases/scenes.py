"""Builds for the numbered cases: every request that comes out is held to its sums, its window and every provider's rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from contextapp.engine.builder import build
from contextapp.engine.events import Event
from contextapp.engine.inputs import Built
from contextapp.engine.ledger import Row
from contextapp.engine.policy import Policy
from contextapp.engine.request import anthropic, openai, responses
from contextapp.engine.values import Verdict
from tests.engine.builder.worlds import CharCounter, Log, inputs_of


def built(events: Log | Sequence[Event], policy: Policy | None = None, **setting: Any) -> Built:
    """A build after the last event. `setting`: window, memory, tail and the profile's fields."""
    listed = events.events if isinstance(events, Log) else events
    inputs = inputs_of(listed, **setting)
    made = build(inputs, policy or Policy(), CharCounter())
    assert made.ledger.difference == 0
    if made.request is None:
        assert made.verdict == Verdict.OVERFLOW and made.overflow is not None and made.overflow.ways_out
        return made
    assert made.ledger.total_tokens <= (inputs.profile.window_tokens or 0)
    for provider in (openai, responses, anthropic):
        assert provider.validate(provider.render(made.request)) == ()
    return made


def messages(made: Built) -> list[dict[str, Any]]:
    """The request as Chat Completions has it; an overflow is the test's failure."""
    assert made.request is not None, made.overflow
    return list(openai.render(made.request)["messages"])


def said(made: Built) -> str:
    """Every text of the request, in order."""
    assert made.request is not None, made.overflow
    return "\n".join(block.text for block in made.request.blocks)


def outlined(made: Built) -> list[str]:
    """The conversation of a request in short: `user`, `assistant+c1,c2`, `tool:c1`."""
    lines = []
    for message in messages(made)[1:]:
        calls = "+" + ",".join(call["id"] for call in message["tool_calls"]) if message.get("tool_calls") else ""
        answers = f":{message['tool_call_id']}" if message["role"] == "tool" else ""
        lines.append(f"{message['role']}{calls}{answers}")
    return lines


def row_of(made: Built, name: str) -> Row:
    return next(row for row in made.ledger.rows if row.source_id == name)


def rows_for(made: Built, seq: int) -> list[Row]:
    """Rows whose events include that one."""
    return [row for row in made.ledger.rows if row.events and row.events[0] <= seq <= row.events[1]]


def batch(log: Log, *call_ids: str, name: str = "bash", message_id: str = "", **arguments: Any) -> None:
    """One answer that makes several calls, without results."""
    key = message_id or f"m{len(log.events)}"
    for call_id in call_ids:
        log.add("tool.requested", call_id=call_id, name=name, input=arguments or {"command": "x"}, message_id=key)


def answer(log: Log, call_id: str, content: str = "done", **more: Any) -> Event:
    return log.add("tool.completed", call_id=call_id, content=content, **more)


def compact(log: Log, last: int, summary: str = "So far: it was done.", **more: Any) -> Event:
    return log.add("session.compacted", **{"part": "whole", "summary": summary, "covers": [1, last], **more})
