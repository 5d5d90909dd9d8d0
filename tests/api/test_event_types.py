"""Reading events by type: whole types and beginnings of types, page by page."""

from __future__ import annotations

import pytest

from tests.api.client import Agent, Json, is_problem

STORY = ("user.message", "tool.requested", "tool.completed", "model.message", "tool.requested", "tools.listed")


@pytest.fixture
def session(agent: Agent) -> str:
    opened = agent.open()
    agent.append(opened, *[(kind, {"number": number}) for number, kind in enumerate(STORY)])
    return opened


def read(agent: Agent, session: str, types: list[str], **query: int) -> Json:
    answer = agent.get(f"/sessions/{session}/events", type=types, **query)
    assert answer.status_code == 200, answer.content
    found: Json = answer.json()
    return found


@pytest.mark.parametrize(
    ("types", "seqs"),
    [
        (["tool."], [2, 3, 5]),
        (["tool.requested"], [2, 5]),
        (["tool.requested", "user."], [1, 2, 5]),
        (["tool.request"], []),
        (["toolx."], []),
        (["tool_."], []),
        ([], [1, 2, 3, 4, 5, 6]),
    ],
)
def test_a_type_is_whole_or_ends_with_a_dot(agent: Agent, session: str, types: list[str], seqs: list[int]) -> None:
    assert [event["seq"] for event in read(agent, session, types)["events"]] == seqs


def test_pages_of_a_type_go_on_where_they_ended_and_then_at_the_head(agent: Agent, session: str) -> None:
    first = read(agent, session, ["tool."], limit=2)
    second = read(agent, session, ["tool."], limit=2, after=first["next_after"])

    assert [event["seq"] for event in first["events"]] == [2, 3]
    assert first["next_after"] == 3
    assert [event["seq"] for event in second["events"]] == [5]
    assert (second["next_after"], second["head_seq"]) == (None, 6)


@pytest.mark.parametrize("wrong", ["tool", "tool.*", "%", "", "Tool.", ".tool", "tool..", "a" * 101 + "."])
def test_what_is_no_type_is_refused(agent: Agent, session: str, wrong: str) -> None:
    is_problem(agent.get(f"/sessions/{session}/events", type=[wrong]), 422, "invalid_field")


def test_more_types_than_twenty_are_refused(agent: Agent, session: str) -> None:
    is_problem(agent.get(f"/sessions/{session}/events", type=["tool."] * 21), 422, "invalid_field")
