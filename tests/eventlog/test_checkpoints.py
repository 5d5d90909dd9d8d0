"""Checkpoints as they are taken: what is signed, when none is, and that a refusal writes an alarm and nothing else."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.db import connection

from contextapp.accounts.models import AuditEntry
from contextapp.eventlog.checkpoint_keys import known_keys
from contextapp.eventlog.errors import CheckpointRefused
from contextapp.eventlog.models import Checkpoint, CheckpointHead, Head
from contextapp.eventlog.selectors import checkpoint_alarm, checkpoint_covering, list_checkpoints, public_key_text
from contextapp.eventlog.services import TAKE_CHECKPOINT, take_checkpoint
from contextapp.eventlog.verify.anchors import heads_at
from contextapp.evidence import checkpoint, merkle, signed_note
from contextapp.jobs.models import JobState
from contextapp.jobs.services import enqueue, run_now
from tests.databases import CommittedDatabase
from tests.eventlog import tampering
from tests.world import World, build_world


def talk(world: World, *texts: str, session: Any = None) -> UUID:
    session = session or world.open_session()
    world.append(session, *[("user.message", {"text": text}) for text in texts])
    return session.id


def taken() -> Checkpoint:
    found = take_checkpoint()
    assert found is not None
    return found


def test_a_checkpoint_signs_the_head_of_every_session(world: World) -> None:
    sessions = {talk(world, "one", "two"), talk(world, "three")}
    world.open_session()  # nothing in it, nothing to prove

    found = taken()

    text, signer = signed_note.opened(found.note, known_keys())
    said = checkpoint.read(text)
    heads = [
        merkle.KnownHead(head.session_id, head.head_seq, bytes(head.head_hash))
        for head in Head.objects.filter(head_seq__gt=0)
    ]
    assert (said.number, said.sessions, said.events, said.previous) == (1, 2, 3, checkpoint.FIRST)
    assert said.root == merkle.heads_root(heads) == bytes(found.root)
    assert {head.session_id for head in heads} == sessions
    assert (signer.name, said.origin) == ("example.org/log", "example.org/log")
    assert public_key_text() == f"{signer.text()}\n"


def test_only_heads_that_changed_are_stored_and_the_whole_set_is_found_again(world: World) -> None:
    session = world.open_session()
    first, second = talk(world, "one", session=session), talk(world, "two")
    before = taken()
    talk(world, "three", session=session)

    after = taken()

    assert set(CheckpointHead.objects.filter(checkpoint=after).values_list("session_id", "head_seq")) == {(first, 2)}
    assert {(head.session_id, head.seq) for head in heads_at(2)} == {(first, 2), (second, 1)}
    assert {(head.session_id, head.seq) for head in heads_at(1)} == {(first, 1), (second, 1)}
    assert checkpoint.read(after.note.partition("\n\n")[0] + "\n").previous == checkpoint.text_hash(
        before.note.partition("\n\n")[0] + "\n"
    )
    assert [one.number for one in list_checkpoints()] == [2, 1]
    assert [one.number for one in list_checkpoints(before=2)] == [1]


def test_an_event_is_covered_by_the_first_checkpoint_that_reaches_it(world: World) -> None:
    session = world.open_session()
    talk(world, "one", "two", session=session)
    taken()
    talk(world, "three", session=session)
    taken()
    talk(world, "four", session=session)

    covering = [checkpoint_covering(session.id, seq) for seq in (1, 2, 3, 4)]

    assert [one and one.number for one in covering] == [1, 1, 2, None]


def test_nothing_new_is_no_checkpoint(world: World) -> None:
    assert take_checkpoint() is None

    talk(world, "one")
    taken()

    assert take_checkpoint() is None
    assert Checkpoint.objects.count() == 1


@pytest.mark.parametrize(
    ("crime", "named"),
    [
        (lambda one, two: tampering.cut_tail(one, 1), "now it is shorter or gone"),
        (lambda one, two: tampering.remove_session(one), "now it is shorter or gone"),
        (lambda one, two: tampering.rechain(one, 1, b'{"text":"other"}'), "is not the one that checkpoint 1 signed"),
        (lambda one, two: tampering.tamper("DELETE FROM eventlog_checkpointhead"), "2 heads were signed, 0 are stored"),
        (
            lambda one, two: tampering.tamper("UPDATE eventlog_checkpointhead SET head_seq = head_seq + 1"),
            "do not give the signed root",
        ),
        (lambda one, two: tampering.tamper("UPDATE eventlog_checkpoint SET events = 99"), "column events is not"),
        (
            lambda one, two: tampering.tamper(
                f"UPDATE eventlog_head SET head_hash = sha256('x') WHERE session_id = '{two}'"
            ),
            "is not the hash of its event 2",
        ),
    ],
)
def test_a_log_that_contradicts_the_checkpoint_before_gets_no_new_one(world: World, crime: Any, named: str) -> None:
    one, second = talk(world, "one", "two"), world.open_session()
    two = talk(world, "three", session=second)
    taken()
    talk(world, "four", session=second)
    crime(one, two)

    for _ in range(2):
        with pytest.raises(CheckpointRefused, match=named):
            take_checkpoint()

    entry = AuditEntry.objects.get(action="checkpoint.refused")  # one, however often it is tried
    alarm = checkpoint_alarm()
    assert Checkpoint.objects.count() == 1
    assert named in entry.after["what"]
    assert alarm is not None and named in alarm.what


def test_an_alarm_is_over_with_the_next_checkpoint(world: World, evidence_folder: Path) -> None:
    session = world.open_session()
    talk(world, "one", session=session)
    taken()
    key = evidence_folder / "checkpoint_key.pem"
    key.rename(evidence_folder / "away")
    talk(world, "two", session=session)
    with pytest.raises(CheckpointRefused):
        take_checkpoint()

    (evidence_folder / "away").rename(key)
    taken()

    assert checkpoint_alarm() is None


def test_a_refused_checkpoint_is_an_error_of_its_job(world: World, evidence_folder: Path) -> None:
    talk(world, "one")
    (evidence_folder / "checkpoint_key.pem").write_text("no key")

    job = run_now(enqueue(kind=TAKE_CHECKPOINT, key="log", payload={}).pk)

    assert job.state == JobState.QUEUED  # tried again later
    assert "can't be read" in job.last_error


def test_the_job_takes_publishes_and_verifies(world: World, evidence_folder: Path) -> None:
    from contextapp.eventlog.selectors import integrity_of

    session = talk(world, "one", "two")

    job = run_now(enqueue(kind=TAKE_CHECKPOINT, key="log", payload={}).pk)

    found = integrity_of([session])[session]
    assert (job.state, job.last_error) == (JobState.DONE, "")
    assert (found.verdict, found.seq, found.head_seq, found.checkpoint) == ("verified", 2, 2, 1)
    assert list_checkpoints()[0].note in (evidence_folder / "checkpoints.txt").read_text()


def test_two_who_take_one_at_once_take_one(committed_db: CommittedDatabase) -> None:
    talk(build_world(), "one")
    start = threading.Barrier(3)
    numbers: list[int | None] = []

    def take() -> None:
        start.wait()
        try:
            found = take_checkpoint()
            numbers.append(None if found is None else found.number)
        finally:
            connection.close()

    takers = [threading.Thread(target=take) for _ in range(3)]
    for taker in takers:
        taker.start()
    for taker in takers:
        taker.join()

    assert sorted(numbers, key=str) == [1, None, None]
    assert Checkpoint.objects.count() == 1
