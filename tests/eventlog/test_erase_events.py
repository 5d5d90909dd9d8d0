"""Erasing some events takes their content and everything that was made of it, and nothing else."""

from __future__ import annotations

import json
from datetime import timedelta
from io import StringIO
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.utils import timezone

from contextapp.contexts.models import Block, LedgerBody, StateSnapshot, Turn
from contextapp.contexts.packing import unpack_body, unpack_state
from contextapp.contexts.services import build_step, index_session, reproduce, simulate_step, step_id_of
from contextapp.eventlog.errors import BadRange
from contextapp.eventlog.models import Artifact, Payload, Session
from contextapp.eventlog.selectors import get_events
from contextapp.eventlog.services import (
    append,
    apply_retention,
    erase_events,
    erase_session,
    list_redactions,
    open_session,
    replay_redactions,
    retention_plan,
    verify_session,
)
from tests.eventlog.test_content import image
from tests.world import World, draft

CANARY = "canary-5be1c"
REASON = {"reason": "the customer asked", "actor": "user:alice"}


@pytest.fixture
def session(world: World) -> Session:
    """Built, simulated and indexed; event 3 and what follows from it hold the canary."""
    session = world.open_session(model="gpt-4o", workspace_root="/srv/shop", title="Fix the parser")
    world.append(
        session,
        ("user.message", {"text": "Fix the parser."}),
        ("model.message", {"message_id": "m1", "text": "I look.", "model": "gpt-4o"}),
        (
            "user.message",
            {"text": f"The password hint is {CANARY}. Never print it.", "media": [image(CANARY.encode() * 9)]},
        ),
        ("tool.requested", {"call_id": "c1", "name": "Bash", "input": {"command": "ls"}, "message_id": "m2"}),
        ("tool.completed", {"call_id": "c1", "content": "a.py"}),
        ("session.compacted", {"part": "whole", "summary": f"They said {CANARY}.", "covers": [1, 5], "by": "us"}),
        ("user.message", {"text": "Go on."}),
    )
    index_session(session_id=session.id)
    build_step(session_id=session.id, build_id=uuid4(), model="gpt-4o", actor="test")
    index_session(session_id=session.id)
    simulate_step(step_id=step_id_of(session_id=session.id, number=2))
    return session


def everything_derived(session: Session) -> str:
    """All words that this app keeps of a session beside its log."""
    found = [str(unpack_body(body.rows)) for body in LedgerBody.objects.filter(ledger__session=session)]
    found += [bytes(block.body).decode() for block in Block.objects.filter(project=session.project)]
    found += [str(unpack_state(one.body).to_dict()) for one in StateSnapshot.objects.filter(session=session)]
    found += Turn.objects.filter(session=session).values_list("title", flat=True)
    session.refresh_from_db()
    return "\n".join([*found, session.title, str(session.guide)])


def test_the_content_goes_from_the_log_and_from_all_that_was_made_of_it(session: Session) -> None:
    assert CANARY in everything_derived(session)

    erased = erase_events(session_id=session.id, first_seq=3, last_seq=3, **REASON)

    assert (erased.payloads, erased.artifacts) == (2, 1)  # the message, and the summary that repeated it
    assert CANARY not in everything_derived(session)
    assert CANARY.encode() not in b"".join(bytes(one.body) for one in Payload.objects.filter(session=session))
    assert not Artifact.objects.exists()
    assert get_events(session.id, seqs=[3, 6]) and all(
        event.payload == {"erased": True} for event in get_events(session.id, seqs=[3, 6])
    )


def test_the_rest_stays_and_the_chain_verifies(session: Session) -> None:
    erase_events(session_id=session.id, first_seq=3, last_seq=3, **REASON)

    assert get_events(session.id, seqs=[1])[0].payload == {"text": "Fix the parser."}
    found = verify_session(session.id)
    assert (found.verdict in ("verified", "unanchored"), found.erased) == (True, 2)
    assert Turn.objects.filter(session=session).exclude(title="").exists()
    redactions = [event.payload for event in get_events(session.id) if event.type == "event.redacted"]
    assert [(one["first_seq"], one["last_seq"], one["by"]) for one in redactions] == [
        (3, 3, "user:alice"),
        (6, 6, "user:alice"),
    ]


def test_a_build_after_it_goes_on_and_an_older_one_says_what_is_missing(session: Session) -> None:
    made = build_step(session_id=session.id, build_id=uuid4(), model="gpt-4o", actor="test")

    erase_events(session_id=session.id, first_seq=3, last_seq=3, **REASON)

    again = reproduce(made.ledger_id)
    assert (again.same_bytes, again.difference) == (False, "erased")
    later = build_step(session_id=session.id, build_id=uuid4(), model="gpt-4o", actor="test")
    assert later.request is not None and CANARY not in str(later.request)


def test_a_title_goes_with_the_words_it_was_made_of(session: Session) -> None:
    erase_events(session_id=session.id, first_seq=1, last_seq=1, **REASON)

    session.refresh_from_db()
    assert session.title == ""


@pytest.mark.parametrize("place", [(0, 3), (4, 3), (1, 999)])
def test_a_range_that_is_not_there_is_refused(session: Session, place: tuple[int, int]) -> None:
    before = Payload.objects.count()

    with pytest.raises(BadRange, match="its events are 1-"):
        erase_events(session_id=session.id, first_seq=place[0], last_seq=place[1], **REASON)

    assert Payload.objects.count() == before


def test_erasing_again_removes_nothing_more(session: Session) -> None:
    erase_events(session_id=session.id, first_seq=3, last_seq=3, **REASON)

    again = erase_events(session_id=session.id, first_seq=3, last_seq=3, **REASON)

    assert (again.payloads, again.artifacts) == (0, 0)


def test_the_command_asks_for_a_reason_and_tells_what_it_did(session: Session) -> None:
    out = StringIO()

    call_command(
        "erase",
        str(session.id),
        "--events",
        "3",
        "--reason",
        "asked",
        "--by",
        "user:alice",
        "--yes",
        "--json",
        stdout=out,
    )

    assert json.loads(out.getvalue())["payloads"] == 2


def test_retention_shows_first_and_erases_what_is_older_than_its_days(world: World) -> None:
    old, new = world.open_session(), world.open_session()
    for session in (old, new):
        world.append(session, ("user.message", {"text": CANARY}))
    world.project.retention_days = 30
    world.project.save()
    later = timezone.now() + timedelta(days=31)
    append(session_id=new.id, drafts=[draft("user.message", {"text": "again"})], actor="test")

    plan = retention_plan(world.project, now=later)
    assert (plan.sessions, plan.events, Payload.objects.count()) == (2, 3, 3)
    apply_retention(project_id=world.project.id, now=later)

    assert retention_plan(world.project, now=later).sessions == 0
    assert CANARY.encode() not in b"".join(bytes(one.body) for one in Payload.objects.all())
    old.refresh_from_db()
    assert old.erased_at is not None
    assert get_events(old.id)[-1].payload["reason"] == "retention: 30 days"


def test_a_project_without_a_policy_keeps_everything(world: World) -> None:
    world.append(world.open_session(), ("user.message", {"text": CANARY}))

    assert apply_retention(project_id=world.project.id, now=timezone.now() + timedelta(days=9999)).sessions == 0
    assert Payload.objects.count() == 1


def test_redactions_are_carried_over_a_restore(world: World) -> None:
    whole, part = world.open_session(), world.open_session()
    for session in (whole, part):
        world.append(session, ("user.message", {"text": CANARY}), ("user.message", {"text": "kept"}))
    erase_session(session_id=whole.id, **REASON)
    erase_events(session_id=part.id, first_seq=1, last_seq=1, **REASON)
    redactions = list(list_redactions())
    # A backup from before the erasure, restored: the same sessions with their content.
    restored = []
    for entry in redactions:
        again = open_session(project_id=world.project.id, origin="api")
        world.append(again, ("user.message", {"text": CANARY}), ("user.message", {"text": "kept"}))
        restored.append({**entry, "session": str(again.id)})

    done = replay_redactions(
        [*restored, *redactions, {**redactions[0], "session": str(uuid4())}], actor="system:restore"
    )

    assert (done.applied, done.present, done.missing) == (2, 2, 1)
    assert CANARY.encode() not in b"".join(bytes(one.body) for one in Payload.objects.all())
    kept = [event.payload for event in get_events(part.id) if event.payload.get("text")]
    assert kept == [{"text": "kept"}]
