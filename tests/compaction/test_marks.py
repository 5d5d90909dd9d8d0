"""The list of compactions follows the log: a boundary and its summary are one, and doing it again changes nothing."""

from __future__ import annotations

from typing import Any

import pytest

from contextapp.compaction.models import Compaction
from contextapp.compaction.services import record_marks
from contextapp.eventlog.models import Session
from contextapp.eventlog.selectors import get_events
from contextapp.eventlog.services import erase_session
from tests.world import World

BOUNDARY = {"part": "boundary", "trigger": "auto", "before_tokens": 167_000}
SUMMARY = {"part": "summary", "summary": "what was done", "by": "claude_code", "after_tokens": 4_000}


def compacted(world: World, *payloads: dict[str, Any]) -> Session:
    session = world.open_session()
    events = [("user.message", {"text": "one"}), *[("session.compacted", payload) for payload in payloads]]
    world.append(session, *events)
    record_marks(session.id, get_events(session.id))
    return session


def rows(session: Session) -> list[tuple[int, int, int, str, int | None, int | None]]:
    columns = ("seq", "covers_from", "covers_to", "summariser", "before_tokens", "after_tokens")
    return list(Compaction.objects.filter(session=session).order_by("seq").values_list(*columns))


def test_a_boundary_and_its_summary_are_one_compaction(world: World) -> None:
    session = compacted(world, BOUNDARY, SUMMARY)

    assert rows(session) == [(2, 1, 1, "claude_code", 167_000, 4_000)]


def test_recording_again_changes_nothing(world: World) -> None:
    session = compacted(world, BOUNDARY, SUMMARY)
    before = rows(session)

    record_marks(session.id, get_events(session.id))
    record_marks(session.id, get_events(session.id, seqs=[3]))

    assert rows(session) == before


def test_two_summaries_after_one_boundary_are_two_compactions(world: World) -> None:
    session = compacted(world, BOUNDARY, SUMMARY, {**SUMMARY, "by": ""})

    assert [(row[0], row[3]) for row in rows(session)] == [(2, "claude_code"), (4, "harness")]


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        ({"part": "whole", "summary": "all", "covers": [1, 1], "by": "us"}, [(2, 1, 1, "us", None, None)]),
        ({"part": "whole", "summary": "all", "covers": [1, 99]}, [(2, 1, 2, "harness", None, None)]),
        ({"part": "whole", "covers": "nonsense", "before_tokens": -1, "by": 7}, [(2, 1, 1, "harness", None, None)]),
        ({"part": "summary", "summary": " "}, []),
        ({"part": "cleared", "cleared_call_ids": ["c"]}, []),
    ],
)
def test_each_shape_of_compaction_is_read(
    world: World, payload: dict[str, Any], expected: list[tuple[Any, ...]]
) -> None:
    assert rows(compacted(world, payload)) == expected


def test_erasure_removes_the_list(world: World) -> None:
    session = compacted(world, BOUNDARY, SUMMARY)

    erase_session(session_id=session.id, reason="asked to", actor="user:alice")

    assert rows(session) == []
