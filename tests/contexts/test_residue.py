from __future__ import annotations

import pytest

from contextapp.contexts.models import Ledger
from contextapp.contexts.packing import unpack_body
from contextapp.contexts.services import index_session
from contextapp.policy.models import Calibration
from tests.contexts.stories import Told, a_step, answers, bills, open_recorded, recorded, returns, says, two_turns
from tests.world import World

PREAMBLE = 14_000


def observed(session_id: object) -> list[Ledger]:
    return list(
        Ledger.objects.filter(session_id=session_id, origin="observed").select_related("body").order_by("step_number")
    )


def counted(ledger: Ledger) -> int:
    return sum(bucket["used"] for bucket in ledger.buckets.values())


def test_rows_and_residue_add_up_to_the_bill(world: World) -> None:
    session = recorded(world, two_turns())

    for ledger in observed(session.id):
        rows = unpack_body(ledger.body.rows).ledger
        residue = ledger.residue
        parts = residue["preamble"] + residue["correction"] + residue["unexplained"]
        assert rows.difference == 0
        assert sum(row.after_tokens for row in rows.included) == counted(ledger)
        assert counted(ledger) + parts == residue["billed"] == ledger.total_tokens


def test_a_step_without_usage_has_no_residue(world: World) -> None:
    session = recorded(
        world, [says("Hi."), answers("m1", "Hello."), says("Go."), answers("m2", "Yes."), bills("m2", 500)]
    )

    first, second = observed(session.id)

    assert (first.residue, first.total_tokens) == ({}, counted(first))
    assert (second.residue["billed"], second.total_tokens) == (500, 500)


def test_a_running_sum_is_no_bill(world: World) -> None:
    session = recorded(world, [says("Hi."), answers("m1", "Hello."), bills("m1", 90_000, quality="cumulative")])

    assert observed(session.id)[0].residue == {}


def growing(world: World, factor: float, steps: int = 8) -> list[Ledger]:
    """A session whose provider counts `factor` tokens for each of ours and adds a preamble. Bills need our own counts, so
    the story is told once without them."""
    story: list[Told] = [says("Count.")]
    for number in range(1, steps + 1):
        story += [told for told in a_step(number, words=300) if told[0] != "usage.reported"]
    session = open_recorded(world)
    world.append(session, *story)
    index_session(session_id=session.id)
    bill = [
        bills(f"m{ledger.step_number}", PREAMBLE + round(factor * counted(ledger))) for ledger in observed(session.id)
    ]
    world.append(session, *bill)
    index_session(session_id=session.id)
    return observed(session.id)


def test_the_factor_is_learned_from_growth_and_nothing_stays_unexplained(world: World) -> None:
    ledgers = growing(world, 1.25)

    learned = Calibration.objects.get(project=world.project)
    assert learned.factor == pytest.approx(1.25, abs=0.01)
    assert {ledger.header["calibration"] for ledger in ledgers} == {learned.number}
    assert all(abs(ledger.residue["preamble"] - PREAMBLE) < 40 for ledger in ledgers)
    assert all(abs(ledger.residue["unexplained"]) < 80 for ledger in ledgers)
    assert ledgers[-1].residue["correction"] == pytest.approx(0.25 * counted(ledgers[-1]), rel=0.05)


def test_a_transcript_that_begins_in_the_middle_does_not_call_lost_history_a_preamble(world: World) -> None:
    """Ten calls carry history that the file lacks; the compaction drops it, so it was no preamble."""
    story: list[Told] = [says("Go on.")]
    for number in range(1, 11):
        story += [answers(f"m{number}", "Yes."), bills(f"m{number}", 90_000), returns(f"x{number}", "")]
    story.append(("session.compacted", {"part": "whole", "summary": "All is well.", "covers": [1, 31]}))
    for number in range(11, 21):
        story += [answers(f"m{number}", "Yes."), bills(f"m{number}", 9_000), returns(f"x{number}", "")]
    ledgers = observed(recorded(world, story).id)

    assert all(8_000 < ledger.residue["preamble"] <= 9_000 for ledger in ledgers)
    assert ledgers[0].residue["unexplained"] > 80_000
    assert abs(ledgers[-1].residue["unexplained"]) < 200
