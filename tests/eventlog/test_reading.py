"""What queries read: cleaned copies with marks, sizes, words in three kinds of writing; search finds events in their place."""

from __future__ import annotations

import json

import pytest
from django.db import connection

from contextapp.contexts.services import index_session
from contextapp.eventlog.models import Reading, ReadingMark, Session
from contextapp.eventlog.reading import DOC_BYTES, read_payload
from contextapp.eventlog.selectors import derive_lag, search_events
from contextapp.eventlog.services import derive_session, erase_events, erase_session
from contextapp.evidence import canonical
from contextapp.jobs.models import Job
from tests.world import World


@pytest.mark.parametrize(
    ("text", "shown", "cleaned"),
    [
        ("plain", "plain", None),
        ("a\0b\0", "a\ufffdb\ufffd", {"nul": 2}),
        ("half \ud83d and", "half \ufffd and", {"surrogate": 1}),
        ("\ude00", "\ufffd", {"surrogate": 1}),
        ("\ud83d\ud83d\ude00", "\ufffd\U0001f600", {"surrogate": 1}),
        ("whole \U0001f600", "whole \U0001f600", None),
        ("a backslash \\u0000 written out", "a backslash \\u0000 written out", None),
        ("\\\0", "\\\ufffd", {"nul": 1}),
        ("end \ud800", "end \ufffd", {"surrogate": 1}),
    ],
)
def test_what_jsonb_can_not_hold_is_replaced_and_counted(text: str, shown: str, cleaned: dict[str, int] | None) -> None:
    read = read_payload(canonical.encode({"text": text}))

    assert (json.loads(read.doc or ""), read.cleaned) == ({"text": shown}, cleaned)


def test_a_large_payload_has_no_copy_and_its_words_all_the_same() -> None:
    read = read_payload(canonical.encode({"text": "word " * (DOC_BYTES // 4)}))

    assert (read.doc, list(read.cleaned or {})) == (None, ["too_large"])
    assert "word" in read.words


def told(world: World, *texts: str) -> Session:
    session = world.open_session(title="Reading")
    world.append(session, *(("user.message", {"text": text}) for text in texts))
    derive_session(session_id=session.id)
    return session


@pytest.mark.parametrize(
    ("query", "seqs"),
    [
        ("failing serializer", [1]),
        ("tests fail", [1]),
        ("parse_header", [2]),
        ("src/http/header.py", [2]),
        ("http/header.py", [2]),
        ("parser", [2]),
        ("超时", [3]),
        ("网关超时时间", [3]),
        ("nothing of the kind", []),
        ("", []),
        ("it's \\ '; DROP TABLE", []),
    ],
)
def test_words_identifiers_and_chinese_are_found_in_their_place(world: World, query: str, seqs: list[int]) -> None:
    session = told(
        world,
        "The failing tests are in the serializer.",
        "See parse_header and HeaderParser in src/http/header.py",
        "支付网关的超时时间是 30 秒。网关超时时间太短。",
    )

    found = search_events([world.project.id], query)

    assert [(hit.session_id, hit.seq) for hit in found.hits] == [(session.id, seq) for seq in seqs]


def test_hits_come_newest_first_page_by_page_and_never_from_another_project(world: World) -> None:
    from contextapp.eventlog.services import open_session

    told(world, *(f"needle number {number}" for number in range(5)))
    foreign = open_session(project_id=world.foreign_project.id, origin="api")
    world.append(foreign, ("user.message", {"text": "needle elsewhere"}))
    derive_session(session_id=foreign.id)

    first = search_events([world.project.id], "needle", limit=3)
    second = search_events([world.project.id], "needle", before=first.next_cursor, limit=3)

    assert [hit.seq for hit in (*first.hits, *second.hits)] == [5, 4, 3, 2, 1]
    assert second.next_cursor is None


def test_reading_goes_on_where_it_stopped_and_says_how_far_it_is_behind(world: World) -> None:
    session = world.open_session()
    world.append(session, *(("user.message", {"text": f"n {number}"}) for number in range(250)))
    before = derive_lag([world.project.id])

    assert derive_session(session_id=session.id) == 250
    assert derive_session(session_id=session.id) == 0

    assert (before.events, before.oldest is None, derive_lag([world.project.id]).events) == (250, False, 0)
    assert Reading.objects.filter(session=session).count() == 250
    assert ReadingMark.objects.get(session=session).seq == 250


def test_indexing_a_session_asks_for_it(world: World) -> None:
    session = world.open_session()
    world.append(session, ("user.message", {"text": "x"}))

    index_session(session_id=session.id)

    assert Job.objects.filter(kind="eventlog.derive", key=str(session.id)).exists()


def test_erasure_reaches_what_was_read_and_what_was_not_yet(world: World) -> None:
    part, whole = told(world, "needle one", "needle two"), told(world, "needle three")
    world.append(whole, ("user.message", {"text": "needle four"}))  # not read yet

    erase_events(session_id=part.id, first_seq=1, last_seq=1, reason="asked", actor="user:alice")
    erase_session(session_id=whole.id, reason="asked", actor="user:alice")
    derive_session(session_id=whole.id)
    derive_session(session_id=part.id)

    assert [(hit.session_id, hit.seq) for hit in search_events([world.project.id], "needle").hits] == [(part.id, 2)]


def test_search_uses_its_index(world: World) -> None:
    told(world, *(f"word{number} needle" for number in range(300)))

    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("EXPLAIN SELECT id FROM eventlog_reading WHERE search @@ 'needl & word7'::tsquery")
        plan = "\n".join(row[0] for row in cursor.fetchall())

    assert "reading_search" in plan
