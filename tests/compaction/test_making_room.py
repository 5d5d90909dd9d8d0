"""A build that overflows: summarised once where that helps, built once more, else refused with the reason."""

from __future__ import annotations

from uuid import uuid4

from contextapp.compaction.models import Compaction
from contextapp.compaction.services import COMPACT
from contextapp.contexts.models import Ledger
from contextapp.contexts.services import build_step, index_session, reproduce
from contextapp.engine.policy import IDENTITY, Policy
from contextapp.eventlog.selectors import get_events, head_seq
from contextapp.eventlog.services import update_session_facts
from contextapp.jobs.models import Job
from contextapp.jobs.services import run_now
from contextapp.policy.models import PolicyState, PolicyVersion
from tests.compaction.sessions import live_session
from tests.contexts.stories import says
from tests.world import World


def keep_everything(world: World) -> None:
    body = Policy(baseline=IDENTITY).to_dict()
    PolicyVersion.objects.filter(project=world.project, state=PolicyState.ACTIVE).update(state=PolicyState.RETIRED)
    PolicyVersion.objects.create(project=world.project, number=7, state=PolicyState.ACTIVE, body=body, author="test")


def test_one_summary_makes_it_fit_and_the_retry_names_the_first(world: World) -> None:
    keep_everything(world)
    session = live_session(world, parts=30)
    world.append(session, says("Go on."))
    update_session_facts(session_id=session.id, model_window_tokens=16_000)
    build_id = uuid4()

    made = build_step(session_id=session.id, build_id=build_id, actor="key:test")

    types = [event.type for event in get_events(session.id)[-3:]]
    first, second = Ledger.objects.filter(session=session).order_by("step_number")
    assert (made.verdict, made.step, first.step_number) == ("ok", 32, 31)
    assert types == ["context.built", "session.compacted", "context.built"]
    assert (first.verdict, first.header["compaction"]["tried"]) == ("context_overflow", True)
    assert second.header["retryOf"] == str(first.build_id) != str(build_id)
    assert Compaction.objects.get(session=session).trigger == "overflow"
    assert reproduce(made.ledger_id).same_bytes


def test_the_same_build_id_gives_the_same_again(world: World) -> None:
    keep_everything(world)
    session = live_session(world, parts=30)
    update_session_facts(session_id=session.id, model_window_tokens=16_000)
    build_id = uuid4()
    made = build_step(session_id=session.id, build_id=build_id, actor="key:test")
    head = head_seq(session.id)

    again = build_step(session_id=session.id, build_id=build_id, actor="key:test")

    assert (again.request, again.step, again.is_repeated) == (made.request, made.step, True)
    assert head_seq(session.id) == head


def test_where_no_summary_helps_none_is_written_and_the_reason_is_told(world: World) -> None:
    session = live_session(world, parts=30)
    world.append(session, says("Look at this: " + "long " * 20_000))
    update_session_facts(session_id=session.id, model_window_tokens=16_000)

    made = build_step(session_id=session.id, build_id=uuid4(), actor="key:test")

    assert made.verdict == "context_overflow" and made.compaction is not None
    assert (made.compaction["tried"], made.compaction["reason"]) == (False, "would_not_fit")
    assert not any(event.type == "session.compacted" for event in get_events(session.id))
    assert get_events(session.id)[-1].payload["error_code"] == "context_overflow"


def test_a_full_transcript_is_summarised_after_the_turn(world: World) -> None:
    session = live_session(world, parts=40)
    update_session_facts(session_id=session.id, model_window_tokens=16_000)
    build_step(session_id=session.id, build_id=uuid4(), actor="key:test")
    assert not Job.objects.filter(kind=COMPACT).exists()

    world.append(session, ("turn.completed", {"stop_reason": "end_turn"}))
    index_session(session_id=session.id)

    job = Job.objects.get(kind=COMPACT, key=str(session.id))
    done = run_now(job.id)
    index_session(session_id=session.id)
    row = Compaction.objects.get(session=session)
    assert (done.state, row.trigger) == ("done", "auto")
    assert f"{row.before_tokens} -> {row.after_tokens} tokens" in done.progress_note


def test_one_with_room_is_left_alone(world: World) -> None:
    session = live_session(world, parts=4)
    build_step(session_id=session.id, build_id=uuid4(), actor="key:test")

    world.append(session, ("turn.completed", {"stop_reason": "end_turn"}))
    index_session(session_id=session.id)

    assert not Job.objects.filter(kind=COMPACT).exists()
