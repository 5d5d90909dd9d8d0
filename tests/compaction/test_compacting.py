"""A compaction on the real log: appended as one event, honest about what it saved, harmless when it comes twice or too late."""

from __future__ import annotations

import pytest

from contextapp.compaction.errors import NoSuchCompaction
from contextapp.compaction.models import Compaction, Failure
from contextapp.compaction.services import compact_session, prepare, store, withdraw
from contextapp.compaction.summarisers import Failed
from contextapp.compaction.values import Made, NotMade, Stored
from contextapp.contexts.services import build_step, index_session
from contextapp.engine.compaction import Line, Plan, Summary
from contextapp.engine.compaction.survival import Duty
from contextapp.eventlog.models import Session
from contextapp.eventlog.selectors import get_events, head_seq
from contextapp.eventlog.services import erase_events, verify_session
from tests.compaction.sessions import live_session, worked
from tests.contexts.stories import says
from tests.world import World


class Wordy:
    """Says more than what it stands for."""

    name = "llm:wordy"

    def summarise(self, plan: Plan, deterministic: Summary, owed: Duty) -> Summary:
        return Summary(1, plan.last_seq, {"decisions": (Line("because " * 20_000, (3,)),)}, deterministic.trust)


class Long:
    """Saves something, and less than a summary has to."""

    name = "llm:long"

    def summarise(self, plan: Plan, deterministic: Summary, owed: Duty) -> Summary:
        words = "because " * ((plan.weight - 500) // 2)
        return Summary(1, plan.last_seq, {"decisions": (Line(words, (3,)),)}, deterministic.trust)


class Broken:
    name = "llm:broken"

    def summarise(self, plan: Plan, deterministic: Summary, owed: Duty) -> Failed:
        return Failed("timeout: no answer in 30 s")


def compacted(session: Session, **more: object) -> Stored:
    made = compact_session(session_id=session.id, trigger="manual", **more)  # type: ignore[arg-type]
    assert isinstance(made, Stored), made
    index_session(session_id=session.id)
    return made


def prepared(session: Session) -> Made:
    made = prepare(session_id=session.id, trigger="manual")
    assert isinstance(made, Made), made
    return made


def test_it_is_one_event_that_names_its_range_and_what_survived(world: World) -> None:
    session = live_session(world)

    made = compacted(session)

    event = get_events(session.id)[-1]
    row = Compaction.objects.get(session=session)
    assert (event.seq, event.type, event.payload["covers"]) == (made.seq, "session.compacted", [1, made.covers_to])
    assert (row.seq, row.covers_to, row.trigger, row.summariser) == (
        made.seq,
        made.covers_to,
        "manual",
        "deterministic",
    )
    assert 0 < made.after_tokens < made.before_tokens
    assert (row.before_tokens, row.after_tokens) == (made.before_tokens, made.after_tokens)
    assert {(fate["kind"], fate["name"], fate["fate"]) for fate in row.survival} == {
        ("constraint", "[prohibition] Never push to main.", "verbatim")
    }
    assert verify_session(session.id).verdict == "unanchored"


def test_the_next_build_holds_the_summary_in_the_place_of_its_range(world: World) -> None:
    session = live_session(world)
    made = compacted(session)
    world.append(session, says("Go on."))

    built = build_step(session_id=session.id, build_id=session.id, actor="key:test")

    assert built.request is not None
    text = "\n".join(block.text for block in built.request.blocks)
    assert f"Summary of events 1 to {made.covers_to}" in text
    assert "word2.50" not in text and "word19.50" in text
    assert "Never push to main." in text and "Make the parser tests pass." in text


def test_nothing_is_written_where_nothing_is_to_be_gained(world: World) -> None:
    session = live_session(world, parts=2)
    head = head_seq(session.id)

    made = compact_session(session_id=session.id, trigger="auto")

    assert isinstance(made, NotMade) and made.code in ("nothing_closed", "too_little_to_gain")
    assert head_seq(session.id) == head


def test_a_second_one_takes_up_the_first_and_says_more(world: World) -> None:
    session = live_session(world)
    first = compacted(session)
    world.append(session, *worked(20, begin=50))

    second = compacted(session)

    assert second.covers_to > first.covers_to
    assert get_events(session.id)[-1].payload["covers"] == [1, second.covers_to]
    assert [row.seq for row in Compaction.objects.filter(session=session).order_by("seq")] == [first.seq, second.seq]


def test_asked_twice_it_happens_once(world: World) -> None:
    session = live_session(world)
    made = prepared(session)

    once = store(session_id=session.id, made=made, actor="system:compaction")
    twice = store(session_id=session.id, made=made, actor="system:compaction")

    assert isinstance(once, Stored) and once == twice
    assert [event.type for event in get_events(session.id)].count("session.compacted") == 1


def test_what_came_meanwhile_stays_whole(world: World) -> None:
    session = live_session(world)
    made = prepared(session)
    world.append(session, says("One more thing: keep the README."))

    stored = store(session_id=session.id, made=made, actor="system:compaction")

    assert isinstance(stored, Stored)
    world.append(session, says("Go on."))
    built = build_step(session_id=session.id, build_id=session.id, actor="key:test")
    assert built.request is not None
    assert any("keep the README" in block.text for block in built.request.blocks)


def test_one_that_another_overtook_is_thrown_away_and_the_log_says_so(world: World) -> None:
    session = live_session(world)
    made = prepared(session)
    world.append(session, ("session.compacted", {"part": "whole", "summary": "Another one.", "covers": [1, 10]}))

    late = store(session_id=session.id, made=made, actor="system:compaction")
    index_session(session_id=session.id)

    assert isinstance(late, NotMade) and late.code == "stale"
    failed = get_events(session.id)[-1]
    assert (failed.type, failed.payload["reason"]) == ("compaction.failed", "stale")
    assert Failure.objects.get(session=session).code == "stale"


def test_a_summary_larger_than_its_range_gives_way_to_the_deterministic_one(world: World) -> None:
    session = live_session(world)

    made = compacted(session, summariser=Wordy())

    assert made.by == "deterministic"
    assert made.fallback.startswith("inflated: the summary weighs")
    assert Compaction.objects.get(session=session).fallback.startswith("inflated")


def test_one_that_saves_too_little_is_rolled_back(world: World) -> None:
    session = live_session(world)

    made = compacted(session, summariser=Long())

    assert made.by == "deterministic"
    assert made.fallback.startswith("saved_too_little: the summary weighs")


def test_a_summariser_that_fails_is_named_with_its_reason(world: World) -> None:
    session = live_session(world)

    made = compacted(session, summariser=Broken())

    assert (made.by, made.fallback) == ("deterministic", "timeout: no answer in 30 s")
    assert get_events(session.id)[-1].payload["fallback"] == made.fallback


def test_a_withdrawn_one_gives_its_range_back(world: World) -> None:
    session = live_session(world)
    made = compacted(session)

    seq = withdraw(session_id=session.id, seq=made.seq, reason="wrong goal", actor="user:ada")
    index_session(session_id=session.id)
    again = withdraw(session_id=session.id, seq=made.seq, reason="once more", actor="user:ada")

    row = Compaction.objects.get(session=session)
    assert (row.withdrawn_seq, row.withdrawn_reason) == (seq, "wrong goal") and again == seq
    world.append(session, says("Go on."))
    built = build_step(session_id=session.id, build_id=session.id, actor="key:test")
    assert built.request is not None
    assert any("word2.50" in block.text for block in built.request.blocks)
    with pytest.raises(NoSuchCompaction, match="no compaction at event 999"):
        withdraw(session_id=session.id, seq=999, reason="", actor="user:ada")


def test_after_three_without_progress_it_rests_until_much_is_new(world: World) -> None:
    session = live_session(world)
    for number in range(3):
        world.append(session, ("compaction.failed", {"reason": "inflated", "detail": f"{number}", "covers": [1, 9]}))
    index_session(session_id=session.id)

    tired = compact_session(session_id=session.id, trigger="auto")
    world.append(session, *worked(70, words=5, begin=100))
    rested = compact_session(session_id=session.id, trigger="auto")

    assert isinstance(tired, NotMade) and tired.code == "no_progress"
    assert "less than 10 percent" in tired.detail
    assert isinstance(rested, Stored)


def test_many_that_save_much_are_never_too_many(world: World) -> None:
    session = live_session(world)
    for number in range(5):
        made = compact_session(session_id=session.id, trigger="auto")
        assert isinstance(made, Stored), made
        index_session(session_id=session.id)
        world.append(session, *worked(20, begin=100 * (number + 1)))

    assert Compaction.objects.filter(session=session).count() == 5


@pytest.mark.fault("F62")
def test_one_whose_range_was_erased_meanwhile_is_thrown_away(world: World) -> None:
    session = live_session(world)
    made = prepared(session)
    erase_events(session_id=session.id, first_seq=2, last_seq=2, reason="asked", actor="user:ada")

    late = store(session_id=session.id, made=made, actor="system:compaction")

    assert isinstance(late, NotMade) and late.code == "stale"
    assert not any("Never push to main" in str(event.payload) for event in get_events(session.id))


@pytest.mark.fault("F62")
def test_an_erasure_takes_the_summary_and_what_was_said_to_survive_with_it(world: World) -> None:
    session = live_session(world)
    compacted(session)

    erase_events(session_id=session.id, first_seq=2, last_seq=2, reason="asked", actor="user:ada")
    index_session(session_id=session.id)

    row = Compaction.objects.get(session=session)
    assert not any("Never push to main" in str(event.payload) for event in get_events(session.id))
    assert "Never push" not in str(row.survival)
    assert verify_session(session.id).verdict == "unanchored"
