"""What a record would have done at recorded steps: computed from the record of each step, for the memory bucket alone."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from contextapp.contexts.selectors import steps_entered, steps_kept_out, would_have
from contextapp.contexts.services import build_step, find_counterfactual, index_session
from contextapp.eventlog.models import Session
from contextapp.memory.models import MemoryRevision
from contextapp.memory.services import approve, look_at
from tests.memory.records import approved, candidate
from tests.world import World

ROOT = "/srv/shop"


def ran(world: World, *texts: str, root: str = ROOT) -> Session:
    """A session of one step per text, recorded now."""
    session = world.open_session(workspace_root=root, model="gpt-4o")
    for number, text in enumerate(texts):
        world.append(
            session,
            ("user.message", {"text": text}),
            ("model.message", {"message_id": f"m{number}", "text": "Done.", "model": "gpt-4o"}),
        )
    index_session(session_id=session.id)
    return session


def test_it_counts_the_steps_that_asked_for_it(world: World) -> None:
    session = ran(world, "Fix the parser test in tests/parser.", "Now write the invoice template.")
    record = candidate(world, claim="The parser test lives in tests/parser and needs no database.")

    found = find_counterfactual(memory_id=record.pk)

    assert found is not None
    assert (found.steps_considered, found.steps_entered) == (2, len(found.entered))
    assert [(entry["session"], entry["step"]) for entry in found.entered][:1] == [(str(session.id), 1)]
    shown = would_have(record)
    assert shown is not None and shown.is_current and shown.tokens > 0


def test_a_record_that_nothing_asked_for_enters_nowhere(world: World) -> None:
    ran(world, "Fix the parser test.")
    record = candidate(world, claim="Invoices are numbered per calendar year in Lyon.")

    found = find_counterfactual(memory_id=record.pk)

    assert found is not None
    assert (found.steps_considered, found.steps_entered, sum(found.kept_out.values())) == (1, 0, 1)


def test_other_workspaces_and_older_steps_are_not_asked(world: World) -> None:
    ran(world, "Fix the parser test.", root="/srv/other")
    ran(world, "Fix the parser test.")
    record = candidate(world, claim="The parser test lives in tests/parser.")

    now_found = find_counterfactual(memory_id=record.pk)
    assert now_found is not None and now_found.steps_considered == 1
    later = find_counterfactual(memory_id=record.pk, now=timezone.now() + timedelta(days=31))

    assert later is not None and later.steps_considered == 0


def test_what_it_displaces_is_named(world: World) -> None:
    ran(world, "Fix the parser test.")
    claims = [
        f"Fixing the parser test number {number} is easy." for number in range(12)
    ]  # as many as the policy lets in
    others = {approved(world, candidate(world, claim=claim)).reference for claim in claims}
    record = candidate(world, claim="Fix the parser test with the parser fixture for tests.")

    found = find_counterfactual(memory_id=record.pk)

    assert found is not None
    [entry] = found.entered
    assert entry["displaced"] and set(entry["displaced"]) <= others


def test_the_record_knows_the_steps_it_entered_and_those_that_left_it_out(world: World) -> None:
    from uuid import uuid4

    record = candidate(world, claim="The parser test lives in tests/parser.")
    record = approve(revision_id=record.pk, reviewer=world.bob, look=look_at(record), note="seen")
    other = approved(world, candidate(world, claim="Invoices are numbered per calendar year in Lyon."))
    session = world.open_session(workspace_root=ROOT, model="gpt-4o")
    world.append(session, ("user.message", {"text": "Fix the parser test."}))
    built = build_step(session_id=session.id, build_id=uuid4(), model="gpt-4o", actor="test")

    entered, count = steps_entered(record)
    kept_out = steps_kept_out(MemoryRevision.objects.get(pk=other.pk))

    assert (count, [(fate.session_id, fate.step, fate.origin) for fate in entered]) == (
        1,
        [(session.id, built.step, "built")],
    )
    assert [(fate.step, fate.reason) for fate in kept_out] == [(built.step, "not_relevant")]
