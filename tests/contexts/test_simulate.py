from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from contextapp.contexts.models import Block, Ledger, LedgerBody, Step
from contextapp.contexts.packing import unpack_body
from contextapp.contexts.services import (
    SIMULATE_SESSION,
    reproduce,
    request_simulation,
    simulate_session,
    simulate_step,
    step_id_of,
)
from contextapp.engine.policy import Policy
from contextapp.eventlog.models import Session
from contextapp.eventlog.selectors import head_seq
from contextapp.jobs.models import Job
from contextapp.jobs.services import run_now
from tests.contexts.stories import a_step, answers, recorded, says, two_turns
from tests.world import World


def test_a_simulated_step_leaves_a_ledger_and_nothing_in_the_log(world: World) -> None:
    session = recorded(world, two_turns())
    head = head_seq(session.id)

    made = simulate_step(step_id=step_id_of(session_id=session.id, number=3))

    ledger = Ledger.objects.get(id=made.ledger_id)
    body = unpack_body(ledger.body.rows)
    assert (ledger.origin, ledger.step_number, ledger.verdict, made.message) == ("simulated", 3, "ok", "")
    assert (ledger.header["logSeq"], ledger.header["turn"]) == (12, 2)
    assert body.ledger.difference == 0
    assert len(body.blocks) == len([row for row in body.ledger.included if row.block])
    assert head_seq(session.id) == head
    assert not Block.objects.exists()


def test_simulating_again_keeps_one_ledger_of_the_same_bytes(world: World) -> None:
    session = recorded(world, two_turns())
    step_id = step_id_of(session_id=session.id, number=4)
    first = simulate_step(step_id=step_id)
    rows = bytes(LedgerBody.objects.get(ledger_id=first.ledger_id).rows)

    second = simulate_step(step_id=step_id)

    assert second == first
    assert bytes(LedgerBody.objects.get(ledger_id=second.ledger_id).rows) == rows


def test_another_policy_leaves_its_own_ledger(world: World) -> None:
    session = recorded(world, two_turns())
    step_id = step_id_of(session_id=session.id, number=2)

    default = simulate_step(step_id=step_id)
    tuned = simulate_step(step_id=step_id, policy=Policy(number=9, keep_thinking=True))

    assert default.ledger_id != tuned.ledger_id
    assert sorted(Ledger.objects.filter(origin="simulated").values_list("policy_number", flat=True)) == [1, 9]


def test_an_unknown_window_is_said_and_not_guessed(world: World) -> None:
    session = recorded(world, [says("Hi."), answers("m1", "Hello.", model="made-up-1")], model="made-up-1")

    made = simulate_step(step_id=step_id_of(session_id=session.id, number=1))

    assert made.ledger_id is None
    assert "made-up-1" in made.message
    assert "model_window_tokens" in made.message


def test_what_the_next_step_keeps_of_the_request_is_counted(world: World) -> None:
    session = recorded(world, two_turns())
    for number in (1, 2):
        simulate_step(step_id=step_id_of(session_id=session.id, number=number))

    ledger = Ledger.objects.get(session=session, origin="simulated", step_number=2)

    assert ledger.header["cachedPrefixTokens"] > 0


def test_a_simulation_is_reproduced_from_its_record(world: World) -> None:
    session = recorded(world, two_turns())
    made = simulate_step(step_id=step_id_of(session_id=session.id, number=4))

    again = reproduce(made.ledger_id or 0)

    assert (again.same_bytes, again.difference) == (True, "")
    assert again.request is not None
    assert again.request.sha256 == made.request_sha256


@pytest.mark.parametrize(
    ("columns", "difference"),
    [({"engine_version": "0.0.1"}, "engine"), ({"header": {"tokenizer": "cl100k_base"}}, "tokenizer"), ({}, "inputs")],
)
def test_a_record_that_no_longer_fits_is_told_with_its_reason(
    world: World, columns: dict[str, object], difference: str
) -> None:
    session = recorded(world, two_turns())
    made = simulate_step(step_id=step_id_of(session_id=session.id, number=4))
    Ledger.objects.filter(id=made.ledger_id).update(request_sha256="0" * 64, **columns)

    again = reproduce(made.ledger_id or 0)

    assert (again.same_bytes, again.difference) == (False, difference)
    assert again.detail


def test_the_job_simulates_every_step_once(world: World) -> None:
    session = recorded(world, two_turns())
    job_id = request_simulation(session_id=session.id)

    job = run_now(job_id or 0)

    assert (job.kind, job.state, job.last_error) == (SIMULATE_SESSION, "done", "")
    assert Ledger.objects.filter(session=session, origin="simulated").count() == Step.objects.count() == 4
    assert request_simulation(session_id=session.id) is None
    assert Job.objects.filter(kind="contexts.simulate_session").count() == 1


def test_one_pass_over_a_session_gives_what_each_step_alone_gives(world: World) -> None:
    """Two models with windows of their own, so that tails differ in length."""
    story = [says("Count."), *(told for number in range(1, 40) for told in a_step(number, words=400))]
    story += [says("Go on."), answers("o1", "Yes.", model="gpt-4"), *a_step(50), answers("o2", "Done.", model="gpt-4")]
    session = recorded(world, story)

    made = simulate_session(session_id=session.id)
    together = simulated_ledgers(session)
    assert simulate_session(session_id=session.id) == 0
    Ledger.objects.filter(session=session, origin="simulated").delete()
    for number in range(1, session.step_count + 1):
        simulate_step(step_id=step_id_of(session_id=session.id, number=number))

    assert made == session.step_count == 42
    assert simulated_ledgers(session) == together


def simulated_ledgers(session: Session) -> list[tuple[object, ...]]:
    ledgers = Ledger.objects.filter(session=session, origin="simulated").order_by("step_number")
    return [(each.header, each.request_sha256, each.inputs_sha256, bytes(each.body.rows)) for each in ledgers]


def printed(*arguments: str) -> str:
    out = StringIO()
    call_command("build", *arguments, stdout=out)
    return out.getvalue()


def test_the_command_prints_the_same_bytes_twice(world: World) -> None:
    session = recorded(world, two_turns())

    first = printed(str(session.id), "--at", "3", "--json")
    second = printed(str(session.id)[:8], "--at", "3", "--json")

    document = json.loads(first)
    assert first == second
    assert (document["session"], document["step"], document["origin"]) == (str(session.id), 3, "simulated")
    assert len(document["requestSha256"]) == 64
    assert document["estimatedTokens"] == document["totalTokens"] - document["buckets"]["reserve"]["used"]
    assert {row["sourceId"] for row in document["included"]} >= {"event:3", "reserve"}


def test_the_command_tells_people_too(world: World) -> None:
    session = recorded(world, two_turns())

    told = printed(str(session.id))

    assert "step 4 of turn 2" in told
    assert "safety_policy" in told


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nothing-like-it"], "no session"),
        (["{id}", "--at", "99"], "no step 99"),
        (["{id}", "--at", "0"], "no step 0"),
        (["{id}", "--policy", "7"], "version 7"),
    ],
)
def test_the_command_names_what_is_not_there(world: World, arguments: list[str], words: str) -> None:
    session = recorded(world, two_turns())

    with pytest.raises(CommandError, match=words):
        printed(*(argument.format(id=session.id) for argument in arguments))
