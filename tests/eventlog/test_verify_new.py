"""Verification of what is new, against what was saved outside, and while events come in; and the badge it leaves."""

from __future__ import annotations

import threading
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection

from contextapp.eventlog.models import Session, SessionVerification
from contextapp.eventlog.selectors import integrity_of
from contextapp.eventlog.services import erase_session, take_checkpoint, verify_log, verify_session
from tests.databases import CommittedDatabase
from tests.eventlog import tampering
from tests.world import World, build_world


@pytest.fixture
def session(world: World) -> Session:
    session = world.open_session()
    world.append(session, *[("user.message", {"text": f"message {number}"}) for number in range(5)])
    return session


def say(world: World, session: Session, *texts: str) -> None:
    world.append(session, *[("user.message", {"text": text}) for text in texts])


def verify(*arguments: str) -> tuple[int, str]:
    output = StringIO()
    try:
        call_command("verify", *arguments, stdout=output)
    except SystemExit as left:
        return int(left.code or 0), output.getvalue()
    return 0, output.getvalue()


def keep(path: Path) -> Path:
    output = StringIO()
    call_command("checkpoint", "--show", stdout=output)
    path.write_text(output.getvalue())
    return path


def test_only_what_is_new_is_read(world: World, session: Session) -> None:
    other = world.open_session()
    say(world, other, "quiet")
    take_checkpoint()
    assert verify_log(is_full=False).events == 6

    assert verify_log(is_full=False).sessions == 0
    say(world, session, "six", "seven")
    found = verify_log(is_full=False)

    assert (found.verdict, found.sessions, found.events) == ("verified", 1, 2)
    assert integrity_of([session.id])[session.id].seq == 7


@pytest.mark.parametrize(
    ("statement", "seq"),
    [
        ("UPDATE eventlog_event SET actor = 'other' WHERE {here} AND seq = 6", 6),
        ("UPDATE eventlog_payload SET body = '{{}}' WHERE {here} AND seq = 7", 7),
        ("DELETE FROM eventlog_event WHERE {here} AND seq = 6", 7),
        ("DELETE FROM eventlog_payload WHERE {here} AND seq = 6", 6),
        ("UPDATE eventlog_head SET head_seq = 3 WHERE {here}", 4),
        ("UPDATE eventlog_head SET head_hash = sha256('x') WHERE {here}", 7),
        ("DELETE FROM eventlog_head WHERE {here}", None),
    ],
)
def test_what_is_wrong_with_what_is_new_is_located(
    world: World, session: Session, statement: str, seq: int | None
) -> None:
    verify_log(is_full=False)
    say(world, session, "six", "seven")
    tampering.tamper(statement.format(here=f"session_id = '{session.id}'"))

    found = verify_log(is_full=False)

    assert (found.verdict, [(one.session_id, one.seq) for one in found.faults]) == ("tampered", [(session.id, seq)])


def test_a_session_that_was_written_anew_is_diverged_even_without_a_checkpoint(world: World, session: Session) -> None:
    verify_log(is_full=False)
    tampering.rechain(session.id, 2, b'{"text":"other"}')
    tampering.restore()
    say(world, session, "six")

    found = verify_log(is_full=False)

    assert (found.verdict, found.faults[0].seq) == ("diverged", 5)
    assert verify_log(is_full=False).verdict == "diverged"  # and stays so
    assert verify_session(session.id).verdict == "diverged"


def test_an_erasure_among_what_is_new_is_no_fault(world: World, session: Session) -> None:
    verify_log(is_full=False)
    say(world, session, "six")
    erase_session(session_id=session.id, reason="asked to", actor="user:alice")

    assert verify_log(is_full=False).is_verified


def test_a_session_is_unanchored_until_a_checkpoint_covers_it(world: World, session: Session) -> None:
    assert verify_session(session.id).verdict == "unanchored"
    assert verify("--anchored")[0] == 3
    assert verify()[0] == 0

    take_checkpoint()
    say(world, session, "six")
    found = verify_session(session.id)

    assert (found.verdict, found.checkpoint, found.anchored_seq, found.head_seq) == ("verified", 1, 5, 6)
    assert verify("--anchored")[0] == 0


def test_the_badge_says_how_far_and_under_which_checkpoint(world: World, session: Session) -> None:
    other = world.open_session()
    assert integrity_of([session.id, other.id]) == {}
    take_checkpoint()
    verify_session(session.id)
    say(world, session, "six")

    found = integrity_of([session.id, other.id])[session.id]

    assert (found.verdict, found.seq, found.head_seq, found.checkpoint) == ("verified", 5, 6, 1)
    assert (found.is_good, found.is_whole) == (True, False)


def test_a_bad_result_keeps_how_far_it_was_good(world: World, session: Session) -> None:
    verify_session(session.id)
    tampering.tamper(f"UPDATE eventlog_event SET actor = 'x' WHERE session_id = '{session.id}' AND seq = 2")

    verify_session(session.id)

    kept = SessionVerification.objects.get(session_id=session.id)
    assert (kept.verdict, kept.seq, kept.what) == ("tampered", 5, "hash does not match the columns")


def test_saved_heads_that_are_still_there_verify(world: World, session: Session, tmp_path: Path) -> None:
    take_checkpoint()
    kept = keep(tmp_path / "kept.txt")
    say(world, session, "six")

    assert verify("--known-head", str(kept))[0] == 0


def test_a_log_that_was_rewound_and_continued_diverges_from_what_was_saved(
    world: World, session: Session, tmp_path: Path, evidence_folder: Path
) -> None:
    take_checkpoint()
    kept = keep(tmp_path / "kept.txt")
    tampering.cut_tail(session.id, 3)
    tampering.tamper("DELETE FROM eventlog_checkpointhead", "DELETE FROM eventlog_checkpoint")
    tampering.restore()
    say(world, session, "another four", "another five", "another six")
    take_checkpoint()  # nothing was published to this file, so nothing here contradicts it

    assert verify()[0] == 0
    status, told = verify("--known-head", str(kept))

    assert status == 2
    assert f"diverged: {session.id} at seq 5: event 5 is not the one of the saved head" in told
    assert "checkpoint 1: the log holds another one than was published" in told


def test_a_saved_head_alone_is_enough(world: World, session: Session, tmp_path: Path) -> None:
    from uuid import uuid4

    kept = tmp_path / "heads.txt"
    gone = uuid4()
    kept.write_text(f"# noted by hand\n{session.id} 5 {'0' * 64}\n{gone} 1 {'0' * 64}\n")

    status, told = verify("--known-head", str(kept))

    assert status == 2
    assert f"{session.id} at seq 5" in told
    assert f"{gone}: the session of a saved head is not in the log" in told
    assert verify()[0] == 0  # the file is that person's; the state of the log is not changed by it
    assert integrity_of([session.id, gone]).keys() == {session.id}


@pytest.mark.parametrize("content", ["", "nonsense", None])
def test_a_file_that_holds_nothing_saved_is_wrong_usage(db: None, tmp_path: Path, content: str | None) -> None:
    kept = tmp_path / "kept.txt"
    if content is not None:
        kept.write_text(content)

    with pytest.raises(CommandError) as refused:
        call_command("verify", "--known-head", str(kept))

    assert refused.value.returncode == 64


def test_verifying_while_events_come_in_is_no_false_alarm(committed_db: CommittedDatabase) -> None:
    world = build_world()
    sessions = [world.open_session() for _ in range(3)]
    stop = threading.Event()

    def write(session: Session) -> None:
        try:
            while not stop.is_set():
                say(world, session, "more", "and more")
        finally:
            connection.close()

    writers = [threading.Thread(target=write, args=(session,)) for session in sessions]
    for writer in writers:
        writer.start()
    try:
        found = []
        for number in range(8):
            take_checkpoint()
            found.append(verify_log(is_full=number % 2 == 0))
            found_one = verify_session(sessions[0].id)
            assert found_one.is_verified, found_one
    finally:
        stop.set()
        for writer in writers:
            writer.join()

    assert [one.faults for one in found] == [()] * 8
    assert found[-1].events > 0
