from __future__ import annotations

from uuid import UUID, uuid4

import pytest

from contextapp.contexts.models import Ledger
from contextapp.contexts.services import build_step, recent, reproduce
from contextapp.contexts.services.recent import Recent
from contextapp.contexts.tails import Tail
from contextapp.contexts.values import BuildOutcome
from contextapp.eventlog.errors import SessionErased
from contextapp.eventlog.models import Session
from contextapp.eventlog.services import erase_session
from tests.contexts.stories import answers, calls, live, returns, says
from tests.world import World


def built(session: Session, build_id: UUID | None = None) -> BuildOutcome:
    return build_step(session_id=session.id, build_id=build_id or uuid4(), actor="key:test")


def one_call(world: World, session: Session, number: int) -> None:
    message, call = f"m{number}", f"c{number}"
    world.append(
        session, answers(message, f"Part {number}."), calls(message, call), returns(call, f"{number}.py\n" * 50)
    )


def kept_of(session: Session) -> Recent:
    found = recent.take(session.id)
    assert found is not None
    recent.give(session.id, found)
    return found


def test_a_build_from_what_is_kept_is_the_one_made_from_the_log(world: World) -> None:
    session = live(world, says("Fix the parser test."))

    made = []
    for number in range(1, 5):
        made.append(built(session))
        one_call(world, session, number)
    made.append(built(session))

    for outcome in made:
        again = reproduce(outcome.ledger_id)
        assert (again.same_bytes, again.difference) == (True, "")
    headers = [Ledger.objects.get(id=outcome.ledger_id).header for outcome in made]
    assert [header["step"] for header in headers] == [1, 2, 3, 4, 5]
    assert all(header["cachedPrefixTokens"] > 0 for header in headers[1:])


def test_the_next_build_goes_on_from_the_last(world: World) -> None:
    session = live(world, says("Fix it."))
    built(session)
    run = kept_of(session).run
    one_call(world, session, 1)

    built(session)

    kept = kept_of(session)
    assert kept.run is run
    assert (kept.step, kept.run.state.seq) == (2, 6)


def test_nothing_is_served_from_memory_once_a_session_is_erased(world: World) -> None:
    session = live(world, says("The password is swordfish."))
    built(session)
    kept = kept_of(session)
    erase_session(session_id=session.id, reason="asked for", actor="user:alice")
    recent.give(session.id, kept)  # as another process would hold it still

    with pytest.raises(SessionErased):
        built(session)

    assert recent.take(session.id) is None


def test_erasure_forgets_what_this_process_kept(world: World) -> None:
    session = live(world, says("Fix it."))
    built(session)

    erase_session(session_id=session.id, reason="asked for", actor="user:alice")

    assert recent.take(session.id) is None


def test_a_build_that_was_not_committed_leaves_nothing(world: World) -> None:
    session = live(world, says("Fix it."))
    build_id = uuid4()
    built(session, build_id)
    taken = built(session, build_id)

    with pytest.raises(ValueError, match="actor"):
        build_step(session_id=session.id, build_id=uuid4(), actor="")

    assert taken.is_repeated
    assert recent.take(session.id) is None


def test_a_longer_tail_than_the_one_held_is_read_anew(world: World) -> None:
    session = live(world, *[says(f"Word {number}. " * 40) for number in range(30)])
    tail = Tail(session.id)
    short = tail.upto(30, 200)

    long = tail.upto(30, 2_000)

    assert len(short) < len(long) < 30
    assert long == Tail(session.id).upto(30, 2_000)


def test_a_tail_moved_on_is_the_tail_read_at_once(world: World) -> None:
    session = live(world, *[says(f"Word {number}. " * 40) for number in range(30)])
    tail = Tail(session.id)

    moved = [tail.upto(seq, 500) for seq in (10, 11, 20, 30)]

    assert moved == [Tail(session.id).upto(seq, 500) for seq in (10, 11, 20, 30)]
