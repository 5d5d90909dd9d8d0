"""The savings report adds up what kept ledgers say: each result once, requests step by step, beside everything whole."""

from __future__ import annotations

import json
from dataclasses import replace
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from contextapp.contexts.models import Ledger, Step
from contextapp.contexts.packing import unpack_body
from contextapp.contexts.selectors import savings_of
from contextapp.contexts.services import simulate_session, simulate_step
from contextapp.engine.policy import IDENTITY, Limits, Policy
from contextapp.policy.selectors import policy_state
from contextapp.policy.services import activate, create_draft
from tests.contexts.stories import Told, a_step, answers, calls, recorded, returns, says
from tests.world import World


def story() -> list[Told]:
    long = "\n".join(f"{place}: a line that says {place}" for place in range(900))
    return [
        says("Find the fault."),
        *a_step(1),
        *a_step(2),
        answers("m3", "I read it whole."),
        calls("m3", "c3", name="Read", file_path="/work/parser/parse.py"),
        returns("c3", long),
        answers("m4", "I see it."),
    ]


def shorten(world: World) -> None:
    body = replace(Policy(), limits=replace(Limits(), file_read_lines=50)).to_dict()
    made = create_draft(project=world.project, body=body, by="user:alice")
    activate(version=made, note="shorter", seen=policy_state(made), seen_active=1, by="user:alice")


def test_each_result_counts_once_by_its_family(world: World) -> None:
    shorten(world)
    session = recorded(world, story())
    simulate_session(session_id=session.id)

    found = savings_of(world.project)

    families = {one.family: one for one in found.families}
    assert {name: (one.calls, one.triggered) for name, one in families.items()} == {"read": (3, 1)}
    assert families["read"].after_tokens < families["read"].before_tokens
    assert (found.policy_number, found.results.calls) == (2, 3)
    [one] = found.sessions
    assert (one.steps, one.counted_steps) == (4, 4)
    assert one.active_tokens == sum(ledger.total_tokens - ledger.buckets["reserve"]["used"] for ledger in kept())


def kept() -> list[Ledger]:
    return list(Ledger.objects.filter(origin="simulated", policy_number=2))


def test_everything_whole_is_what_the_identity_policy_builds(world: World) -> None:
    shorten(world)
    session = recorded(world, story())
    simulate_session(session_id=session.id)
    whole = 0
    for step in Step.objects.filter(session=session):
        made = simulate_step(step_id=step.id, policy=replace(Policy(number=90), baseline=IDENTITY))
        ledger = Ledger.objects.get(id=made.ledger_id)
        whole += ledger.total_tokens - ledger.buckets["reserve"]["used"]

    [one] = savings_of(world.project).sessions

    assert one.identity_tokens > one.active_tokens
    assert one.identity_tokens == pytest.approx(whole, rel=0.02)


def test_what_the_record_holds_shortened_is_not_our_saving(world: World) -> None:
    told = [says("Look."), answers("m1", "I look."), calls("m1", "c1", name="Read", file_path="a.py")]
    session = recorded(
        world, [*told, returns("c1", "the head only", cut={"total_chars": 90_000}), answers("m2", "Done.")]
    )
    simulate_session(session_id=session.id)

    found = savings_of(world.project)

    assert (found.results.calls, found.results.triggered) == (1, 0)
    assert found.results.before_tokens == found.results.after_tokens
    assert found.identity_tokens == found.active_tokens
    rows = unpack_body(Ledger.objects.order_by("-step_number")[0].body.rows).ledger.included
    assert max(row.before_tokens for row in rows if row.source_kind == "tool_result") > 10_000  # as far as a row knows


def test_steps_without_a_ledger_are_told_and_not_counted(world: World) -> None:
    session = recorded(world, story())

    [one] = savings_of(world.project).sessions

    assert (one.steps, one.counted_steps, one.identity_tokens, one.results.calls) == (4, 0, 0, 0)
    assert savings_of(world.foreign_project).sessions == ()
    assert savings_of(world.foreign_project, session.id).sessions == ()


def test_the_command_gives_json_and_words(world: World) -> None:
    shorten(world)
    session = recorded(world, story())
    simulate_session(session_id=session.id)
    told, spoken = StringIO(), StringIO()

    call_command("report", "savings", "--project", "wonderland", "--json", stdout=told)
    call_command("report", "savings", "--session", str(session.id), stdout=spoken)

    [project] = json.loads(told.getvalue())["projects"]
    assert project["results"]["tool_calls"] == 3
    assert project["sessions"][0]["families"]["read"]["triggered"] == 1
    assert project["identity_tokens"] > project["active_tokens"]
    assert "4 of 4 steps have a ledger" in spoken.getvalue()
    with pytest.raises(CommandError, match="wonderland"):
        call_command("report", "savings", "--project", "nowhere", stdout=StringIO())
