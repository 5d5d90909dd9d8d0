"""Deliveries that arrive at the same time for one session: each message once, in one chain; and what a delivery asks."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.db import connection

from contextapp.contexts import selectors as contexts
from contextapp.contexts.services import index_session
from contextapp.eventlog import selectors as log
from contextapp.eventlog.models import Session
from contextapp.eventlog.services import erase_session, verify_session
from contextapp.importers.otlp.decoding import spans_of_protobuf
from contextapp.importers.otlp.reading import read_span
from contextapp.intake import selectors
from contextapp.intake.services import Sender, Taken, take_telemetry
from contextapp.intake.services.telemetry import StoredLog
from tests.databases import CommittedDatabase
from tests.importers.otlp.payloads import Json, chat, growing, said, span, traces, traces_json
from tests.importers.otlp.telling import told
from tests.importers.otlp.test_rewrites import Harness
from tests.intake.files import bring_in
from tests.world import World, build_world

KEY = "otlp:conversation:run-1"


def take(project_id: UUID, *spans: Json) -> Taken:
    sender = Sender(project_id, "test")
    return take_telemetry(sender=sender, found=spans_of_protobuf(traces(*spans)), read=read_span)


def texts(session: Session, kind: str = "user.message") -> list[str]:
    return [str(dict(event.payload)["text"])[:10] for event in log.get_events(session.id) if event.type == kind]


def test_deliveries_at_the_same_time_tell_each_message_once(committed_db: CommittedDatabase) -> None:
    project_id = build_world().project.id
    spans = growing(8)

    def deliver(part: list[Json]) -> Taken:
        try:
            return take(project_id, *part)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        taken = list(pool.map(deliver, [spans[:4], spans[2:6], spans[4:], spans]))

    assert [one.rejected for one in taken] == [0] * 4
    sessions = Session.objects.filter(project_id=project_id, external_id__startswith=KEY)
    assert sorted(one for session in sessions for one in texts(session)) == sorted(f"question {n}" for n in range(8))
    assert [verify_session(session_id=session.id).verdict in ("verified", "unanchored") for session in sessions] == [
        True
    ]


def test_the_ledger_of_a_step_after_a_compaction_has_what_was_sent(world: World) -> None:
    spans = growing(3, words=3)
    kept = [said("user", "Summary."), said("user", "go on")]
    system = {"gen_ai.system_instructions": '[{"type": "text", "content": "Be brief."}]'}
    spans = [{**one, "attributes": {**one["attributes"], **system}} for one in spans]
    take(world.project.id, *spans, span(5, chat(kept, said("assistant", "yes"), **system)))

    session = Session.objects.get(project=world.project, external_id=KEY)
    index_session(session_id=session.id)
    session.refresh_from_db()

    assert session.step_count == 4
    ledger: dict[str, Any] = contexts.ledger_json(session.id, 4, "observed")
    included = [(row["sourceKind"], row["trust"]) for row in ledger["included"] if row["sourceKind"] != "residue"]
    assert [kind for kind, _ in included if kind in ("instruction", "user_message")] == [
        "instruction",
        "user_message",
        "user_message",
    ]
    assert "harness_compacted" in str(ledger["excluded"])


def test_an_erased_conversation_is_not_gone_on_with(world: World) -> None:
    take(world.project.id, *growing(2))
    first = Session.objects.get(project=world.project, external_id=KEY)
    erase_session(session_id=first.id, reason="asked for", actor="test")

    take(world.project.id, *growing(3)[2:])

    second = Session.objects.get(project=world.project, external_id=KEY, erased_at=None)
    assert second.id != first.id
    assert len(texts(second)) == 3


@pytest.mark.parametrize("calls", [60])
def test_what_is_asked_of_the_log_does_not_grow_with_the_session(
    world: World, calls: int, django_assert_max_num_queries: Any
) -> None:
    spans = growing(calls, words=2)
    take(world.project.id, *spans[:-1])

    with django_assert_max_num_queries(40) as asked:
        take(world.project.id, spans[-1])

    read = [query["sql"] for query in asked.captured_queries if "payload.body" in query["sql"]]
    assert len(read) <= 4


def test_a_file_of_spans_and_the_door_tell_one_session(world: World, tmp_path: Path) -> None:
    path = tmp_path / "traces.jsonl"
    path.write_bytes(b"\n".join(traces_json(one) for one in growing(4)))
    take(world.project.id, *growing(2))

    batch = bring_in(world, path)

    session = Session.objects.get(project=world.project, external_id=KEY)
    assert texts(session) == [f"question {n}" for n in range(4)]
    [row] = selectors.files_of(batch.id)
    assert (row.format, row.lines, row.produced, row.quarantined) == ("otlp", 4, 4, 0)


@pytest.mark.parametrize("seed", range(4))
def test_deliveries_one_by_one_tell_what_one_file_tells(world: World, seed: int) -> None:
    dice, harness = random.Random(seed), Harness()
    moves = ["ask", "tool", "clear", "summarise", "slide", "cut_middle", "repeat_words"]
    for _ in range(9):
        harness.move(dice.choice(moves), dice.randint(1, 4))

    for one in harness.spans:
        assert take(world.project.id, one).rejected == 0

    expected: dict[str, list[tuple[str, UUID]]] = {}
    for event in told(*harness.spans):
        expected.setdefault(event.session_key, []).append((event.type, event.event_id))
    stored = {
        session.external_id: [(event.type, UUID(event.event_id)) for event in log.get_events(session.id)]
        for session in Session.objects.filter(project=world.project)
    }
    assert stored == expected


QUESTIONS = ("sessions_of", "holding", "head_seq", "newest_call", "conversation_of")


@pytest.mark.parametrize("place", range(1, 12))
def test_a_delivery_after_any_question_of_another_tells_no_message_twice(
    world: World, monkeypatch: pytest.MonkeyPatch, place: int
) -> None:
    spans, asked = growing(6), [0]
    take(world.project.id, *spans[:1])

    def interrupted(question: Any) -> Any:
        def answer(self: StoredLog, *arguments: Any) -> Any:
            told = question(self, *arguments)
            asked[0] += 1
            if asked[0] == place:
                take(world.project.id, *spans[:4])
            return told

        return answer

    for name in QUESTIONS:
        monkeypatch.setattr(StoredLog, name, interrupted(getattr(StoredLog, name)))
    taken = take(world.project.id, *spans[1:])

    assert taken.rejected == 0
    sessions = Session.objects.filter(project_id=world.project.id, external_id__startswith=KEY)
    assert sorted(one for session in sessions for one in texts(session)) == [f"question {n}" for n in range(6)]
