from __future__ import annotations

import threading
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection

from contextapp.contexts.errors import BuildConflict, CannotBuild
from contextapp.contexts.models import Block, BlockUse, Ledger, Step
from contextapp.contexts.packing import unpack_body
from contextapp.contexts.services import build_step, index_session, reproduce
from contextapp.contexts.values import BuildOutcome
from contextapp.eventlog.errors import SessionErased
from contextapp.eventlog.models import Session
from contextapp.eventlog.selectors import get_events, head_seq
from contextapp.eventlog.services import erase_session, update_session_facts, verify_session
from contextapp.memory.models import MemoryRevision, MemoryState
from tests.contexts.stories import answers, calls, live, recorded, returns, says, two_turns
from tests.databases import CommittedDatabase
from tests.world import World, build_world


def built(session: Session, build_id: UUID | None = None, **more: Any) -> BuildOutcome:
    return build_step(session_id=session.id, build_id=build_id or uuid4(), actor="key:test", **more)


def test_a_build_is_an_event_a_step_a_ledger_and_its_blocks(world: World) -> None:
    session = live(world, says("Fix the parser test."))
    build_id = uuid4()

    made = built(session, build_id)

    event = get_events(session.id)[-1]
    ledger = Ledger.objects.get(build_id=build_id)
    assert made.request is not None
    assert (made.step, made.turn, made.verdict, made.is_repeated) == (1, 1, "ok", False)
    assert (event.type, event.payload["buildId"], event.payload["logSeq"]) == ("context.built", str(build_id), 1)
    assert event.payload["requestSha256"] == made.request.sha256 == ledger.request_sha256
    assert "Fix the parser" not in str(event.payload)
    assert Step.objects.get(session=session).log_seq == 1
    assert [digest for digest, _ in unpack_body(ledger.body.rows).blocks] == [
        block.digest for block in made.request.blocks
    ]
    assert {bytes(block.sha256).hex() for block in Block.objects.all()} == {
        block.digest for block in made.request.blocks
    }
    assert verify_session(session_id=session.id).is_verified


def test_a_retry_gets_the_same_request_and_ledger(world: World) -> None:
    session = live(world, says("Fix the parser test."))
    build_id = uuid4()
    first = built(session, build_id)
    world.append(session, answers("m1", "On it."))

    again = built(session, build_id)

    assert again.is_repeated
    assert (again.request, again.ledger, again.step) == (first.request, first.ledger, first.step)
    assert [event.type for event in get_events(session.id)].count("context.built") == 1


def test_the_answer_attaches_to_the_step_that_was_built_for_it(world: World) -> None:
    session = live(world, says("Fix it."))
    built(session)
    world.append(session, answers("m1", "I look."), calls("m1", "c1"), returns("c1", "a.py"))
    built(session)
    world.append(session, answers("m2", "Done."))
    index_session(session_id=session.id)

    steps = Step.objects.filter(session=session).order_by("number")

    assert [(step.number, step.log_seq, step.first_seq, step.last_seq, step.message_id) for step in steps] == [
        (1, 1, 3, 4, "m1"),
        (2, 5, 7, 7, "m2"),
    ]


def test_a_second_build_stores_only_what_is_new(world: World) -> None:
    session = live(world, says("Fix it."))
    first = built(session)
    world.append(session, answers("m1", "I look."), calls("m1", "c1"), returns("c1", "a.py"))
    before = Block.objects.count()

    second = built(session)

    assert first.request is not None
    assert second.request is not None
    kept = {block.digest for block in first.request.blocks} & {block.digest for block in second.request.blocks}
    assert kept
    assert Block.objects.count() == before + len(second.request.blocks) - len(kept)
    assert Ledger.objects.get(id=second.ledger_id).header["cachedPrefixTokens"] > 0


def test_a_build_is_reproduced_from_its_recorded_inputs(world: World) -> None:
    text = "The parser test lives in tests/parser."
    memory = MemoryRevision.objects.create(
        project=world.project, kind="fact", scope="global", claim=text, shown=text, source="wiki",
        state=MemoryState.APPROVED, proposed_by="user:alice",
    )  # fmt: skip
    session = live(world, says("Fix the parser test."))
    made = built(session)
    world.append(session, answers("m1", "On it."), says("And more."))
    MemoryRevision.objects.filter(id=memory.id).update(state=MemoryState.REVOKED)
    update_session_facts(session_id=session.id, model_window_tokens=64_000)

    again = reproduce(made.ledger_id)

    assert made.request is not None
    assert any("tests/parser" in block.text for block in made.request.blocks)
    assert [(use.step, use.origin) for use in memory.uses.all()] == [(made.step, "built")]
    assert (again.same_bytes, again.difference) == (True, "")
    assert again.request == made.request


def test_what_holds_for_one_user_enters_their_sessions_alone_and_is_reproduced(world: World) -> None:
    text = "Ada wants the parser tests in tests/parser."
    MemoryRevision.objects.create(
        project=world.project, kind="preference", scope="user", scope_key="ada", claim=text, shown=text, source="wiki",
        state=MemoryState.APPROVED, proposed_by="user:alice",
    )  # fmt: skip
    sessions = {user: live(world, says("Fix the parser test."), user=user) for user in ("ada", "bob", "")}
    made = {user: built(session) for user, session in sessions.items()}

    update_session_facts(session_id=sessions["ada"].id, user="bob")
    again = reproduce(made["ada"].ledger_id)

    entered = {
        user: build.request is not None and any("Ada wants" in block.text for block in build.request.blocks)
        for user, build in made.items()
    }
    assert entered == {"ada": True, "bob": False, "": False}
    assert again.same_bytes


def small(world: World) -> Session:
    """A window that its instructions alone overfill."""
    rules = [
        ("instructions.loaded", {"id": name, "level": "project", "path": f"{name}.md", "text": f"Rule {name}. " * 700})
        for name in "abcdef"
    ]
    session = live(world, *rules, says("Go."))
    update_session_facts(session_id=session.id, model_window_tokens=4_000)
    return session


def test_an_overflow_leaves_ledger_event_and_the_end_of_the_turn(world: World) -> None:
    session = small(world)
    build_id = uuid4()

    made = built(session, build_id)

    session.refresh_from_db()
    assert (made.verdict, made.request, made.request_sha256) == ("context_overflow", None, "")
    assert made.overflow is not None
    assert made.overflow["bucket"] == "instructions"
    assert made.overflow["ways_out"]
    types = [(event.type, event.payload.get("error_code")) for event in get_events(session.id)[-2:]]
    assert types == [("context.built", None), ("turn.completed", "context_overflow")]
    assert (session.overflow_count, Step.objects.get(session=session).marks) == (1, ["overflow"])
    assert built(session, build_id).overflow == made.overflow


def test_an_unknown_window_refuses_before_anything_is_written(world: World) -> None:
    session = live(world, says("Hi."), model="made-up-1")

    with pytest.raises(CannotBuild, match="made-up-1"):
        built(session)

    assert head_seq(session.id) == 1


def test_an_imported_session_has_no_next_input(world: World) -> None:
    session = recorded(world, two_turns())

    with pytest.raises(CannotBuild, match="imported"):
        built(session)


def test_a_build_id_belongs_to_one_model(world: World) -> None:
    session = live(world, says("Hi."))
    build_id = uuid4()
    built(session, build_id)

    with pytest.raises(BuildConflict, match="claude-opus-4-6"):
        built(session, build_id, model="gpt-4o")


def test_an_erased_session_builds_nothing_and_keeps_no_block(world: World) -> None:
    session = live(world, says("My name is Mallory."))
    built(session)

    erase_session(session_id=session.id, reason="asked for", actor="user:alice")

    with pytest.raises(SessionErased):
        built(session)
    assert not Block.objects.exists()
    assert not BlockUse.objects.exists()
    assert not Ledger.objects.exists()


def test_a_block_that_another_session_shows_stays(world: World) -> None:
    first, second = live(world, says("Hi.")), live(world, says("Hi."))
    built(first)
    outcome = built(second)

    erase_session(session_id=first.id, reason="asked for", actor="user:alice")

    assert outcome.request is not None
    assert Block.objects.count() == len({block.digest for block in outcome.request.blocks})


def test_builds_beside_a_busy_writer_each_see_a_prefix_of_the_log(committed_db: CommittedDatabase) -> None:
    """Every build's logSeq is the event before it, however many append at the same time; one id gives one build."""
    world = build_world()
    session = live(world, says("Count."))
    shared, failures = uuid4(), []

    def guarded(work: Any) -> None:  # a function of no arguments
        try:
            work()
        except BaseException as error:  # noqa: BLE001  told to the test below
            failures.append(error)
        finally:
            connection.close()

    def write() -> None:
        for number in range(12):
            world.append(session, returns(f"c{number}", f"result {number}"))

    work = [write, *(lambda: built(session, shared) for _ in range(3)), lambda: built(session)]
    threads = [threading.Thread(target=guarded, args=(each,)) for each in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    events = get_events(session.id)
    builds = [event for event in events if event.type == "context.built"]
    assert failures == []
    assert len(builds) == 2
    assert all(event.payload["logSeq"] == event.seq - 1 for event in builds)
    assert sorted(event.payload["step"] for event in builds) == [1, 2]
    assert all(reproduce(ledger.id).same_bytes for ledger in Ledger.objects.filter(session=session, origin="built"))
