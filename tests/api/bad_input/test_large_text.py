"""Events as large as they may be: counted, shown within bounds; and one bad event among a thousand."""

from __future__ import annotations

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from contextapp.engine.tokens import TiktokenCounter
from tests.api.client import Agent, event, is_problem
from tests.world import World

MEGABYTE = 1_000_000
SPECIAL = "<|endoftext|>"


@pytest.mark.fault("F55")
@pytest.mark.parametrize("text", ["a" * MEGABYTE, SPECIAL * (MEGABYTE // len(SPECIAL))], ids=["one sign", "special"])
def test_a_megabyte_of_one_sign_is_stored_and_counted_in_a_build(agent: Agent, text: str) -> None:
    session = agent.open(model="gpt-4o", model_window_tokens=100_000_000)

    answer = agent.append(session, ("user.message", {"text": text}))
    built = agent.post(f"/sessions/{session}/steps", {"build_id": event("a.b", {})["event_id"], "model": "gpt-4o"})

    assert answer.status_code == 200, answer.content
    assert built.status_code == 200, built.content[:500]
    assert (
        sum(row["afterTokens"] for row in built.json()["ledger"]["included"] if row["sourceKind"] == "user_message")
        > 10_000
    )


@pytest.mark.fault("F54")
def test_the_session_page_of_an_event_of_ten_megabytes_is_bounded(
    agent: Agent, world: World, settings: Settings
) -> None:
    size = 10 * MEGABYTE
    settings.API_EVENT_LIMIT_BYTES = size + 1_000  # an operator may set it so
    session = agent.open()
    answer = agent.append(session, ("user.message", {"text": "x" * size}))
    reader = Client()
    reader.force_login(world.alice)

    page = reader.get(f"/sessions/{session}/")

    assert answer.status_code == 200, answer.content
    assert page.status_code == 200
    assert len(page.content) < 300_000
    assert f"{size:,}" in page.content.decode()


@pytest.mark.fault("F45")
@pytest.mark.parametrize(("bad", "named"), [({617}, 617), (set(range(1000)), 0)], ids=["one", "all"])
def test_the_first_bad_event_of_a_thousand_is_named_and_none_is_stored(agent: Agent, bad: set[int], named: int) -> None:
    session = agent.open()
    events = [event("user.message", {"text": "x"}) for _ in range(1000)]
    for index in bad:
        events[index]["type"] = "NoDots"

    answer = agent.post(f"/sessions/{session}/events", {"events": events})

    problem = is_problem(answer, 422, "invalid_field")
    assert (problem["index"], problem["field"]) == (named, "type")
    assert len(answer.content) < 2_000
    assert agent.get(f"/sessions/{session}").json()["head_seq"] == 0


@pytest.mark.fault("F55")
def test_a_megabyte_of_special_tokens_counts_as_its_plain_text() -> None:
    counter = TiktokenCounter("o200k_base")
    copies = MEGABYTE // len(SPECIAL)

    whole = counter.count(SPECIAL * copies)

    assert whole > 5 * copies  # one each would be special
    assert counter.count("a" * MEGABYTE) > 1_000
