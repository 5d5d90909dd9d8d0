"""Cases of CASES.md that need a summariser or a retry, each named by its number."""

from __future__ import annotations

from uuid import uuid4

from contextapp.compaction.models import Failure
from contextapp.compaction.services import compact_session
from contextapp.compaction.values import NotMade, Stored
from contextapp.contexts.services import build_step, index_session
from contextapp.eventlog.selectors import get_events
from contextapp.eventlog.services import update_session_facts
from tests.compaction.endpoint import GOOD, openai, serving
from tests.compaction.sessions import live_session, worked
from tests.compaction.test_llm import model_at
from tests.compaction.test_making_room import keep_everything
from tests.world import World


def test_c48_a_range_larger_than_the_summarisers_window_goes_in_parts_and_too_many_parts_are_told(world: World) -> None:
    fits, beyond = live_session(world, parts=30), live_session(world, parts=60, words=700)

    with serving(openai(GOOD)) as endpoint:
        in_parts = compact_session(session_id=fits.id, trigger="manual", summariser=model_at(endpoint, window=4_000))
        fallen_back = compact_session(
            session_id=beyond.id, trigger="manual", summariser=model_at(endpoint, window=4_000)
        )

    assert isinstance(in_parts, Stored) and in_parts.by == "llm:test-model"
    assert isinstance(fallen_back, Stored) and fallen_back.by == "deterministic"
    assert get_events(beyond.id)[-1].payload["fallback"].startswith("too_large: the range needs")


def test_c52_the_overflow_itself_asks_for_the_summary_though_no_call_ever_succeeded(world: World) -> None:
    keep_everything(world)
    session = live_session(world, parts=30)
    update_session_facts(session_id=session.id, model_window_tokens=16_000)

    made = build_step(session_id=session.id, build_id=uuid4(), actor="key:test")

    kinds = [event.type for event in get_events(session.id)]
    assert "usage.reported" not in kinds
    assert (made.verdict, kinds.count("session.compacted"), kinds.count("context.built")) == ("ok", 1, 2)


def test_e67_a_summary_larger_than_its_source_is_thrown_away_and_recorded(world: World) -> None:
    session = live_session(world, parts=12, words=60)
    rules = [
        (
            "constraint.added",
            {"id": f"r{n}", "text": f"Rule {n}: " + "keep this as it is, " * 12, "kind": "prohibition"},
        )
        for n in range(80)
    ]
    world.append(session, *rules, *worked(12, words=60, begin=50))

    made = compact_session(session_id=session.id, trigger="manual")
    index_session(session_id=session.id)

    assert isinstance(made, NotMade) and made.code == "inflated"
    failed = get_events(session.id)[-1]
    assert (failed.type, failed.payload["reason"]) == ("compaction.failed", "inflated")
    assert failed.payload["after_tokens"] >= failed.payload["before_tokens"] > 0
    assert Failure.objects.get(session=session).code == "inflated"


def test_e73_the_summariser_gets_no_agents_prompt_and_tool_markup_is_no_summary(world: World) -> None:
    session = live_session(world)
    world.append(
        session,
        (
            "instructions.loaded",
            {"id": "a", "level": "project", "path": "AGENTS.md", "text": "You are the house agent."},
        ),
        ("tools.available", {"mode": "set", "tools": [{"name": "bash", "description": "runs", "schema": {}}]}),
    )

    with serving(openai("<tool_use>bash</tool_use>")) as endpoint:
        made = compact_session(session_id=session.id, trigger="manual", summariser=model_at(endpoint))

    asked = str(endpoint.seen[0])
    assert "You are the house agent." not in asked and "tools" not in endpoint.seen[0]
    assert isinstance(made, Stored) and made.fallback.startswith("tool_markup")


def test_f88_three_without_progress_stop_it_and_many_with_progress_do_not(world: World) -> None:
    stuck, busy = live_session(world), live_session(world)
    for number in range(3):
        world.append(stuck, ("compaction.failed", {"reason": "inflated", "detail": f"{number}", "covers": [1, 9]}))
    index_session(session_id=stuck.id)

    stopped = compact_session(session_id=stuck.id, trigger="auto")
    made = []
    for number in range(4):
        made.append(compact_session(session_id=busy.id, trigger="auto"))
        index_session(session_id=busy.id)
        world.append(busy, *worked(20, begin=100 * (number + 1)))

    assert isinstance(stopped, NotMade) and stopped.code == "no_progress"
    assert all(isinstance(one, Stored) for one in made)
