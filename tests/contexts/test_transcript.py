from __future__ import annotations

import pytest

from contextapp.contexts import selectors
from contextapp.contexts.errors import NotFound
from contextapp.contexts.values import TranscriptItem, TranscriptPage
from contextapp.eventlog.models import Session
from contextapp.eventlog.services import erase_session
from tests.contexts.stories import Told, a_step, answers, calls, recorded, returns, says, two_turns
from tests.world import World


def items_of(page: TranscriptPage) -> list[TranscriptItem]:
    return [item for turn in page.turns for item in turn.items]


def told(world: World, *story: Told) -> list[TranscriptItem]:
    return items_of(selectors.transcript_page(recorded(world, list(story)).id))


def test_turns_hold_their_items_and_calls_hold_their_results(world: World) -> None:
    page = selectors.transcript_page(recorded(world, two_turns()).id)

    assert [(turn.number, turn.title, turn.first_step, turn.last_step) for turn in page.turns] == [
        (0, "", None, None),
        (1, "Fix the parser test.", 1, 2),
        (2, "Go on with the rest.", 3, 4),
    ]
    assert [[item.kind for item in turn.items] for turn in page.turns] == [
        ["instructions"],
        ["user", "assistant", "call", "assistant", "call"],
        ["user", "assistant", "call", "compaction", "assistant"],
    ]
    assert (page.first_seq, page.last_seq, page.total_events, page.next_after, page.previous_before) == (
        1,
        21,
        21,
        None,
        None,
    )


def test_a_call_says_what_it_did_and_what_came_of_it(world: World) -> None:
    items = told(
        world,
        says("Run it."),
        calls("m1", "c1", command="pytest -k parser"),
        returns(
            "c1",
            "1 failed",
            is_error=True,
            exit_code=1,
            read_range={"first_line": 1, "last_line": 500, "total_lines": 812},
        ),
    )

    call = items[1].call
    assert call is not None
    assert (call.name, call.summary, call.exit_code, call.is_error) == ("Bash", "pytest -k parser", 1, True)
    assert call.result is not None
    assert call.result.text == "1 failed"
    assert call.read_range == "lines 1-500 of 812"
    assert (items[1].step, items[0].step) == (1, None)


def test_a_denied_call_carries_the_reason(world: World) -> None:
    page = selectors.transcript_page(recorded(world, two_turns()).id, turn=2)

    call = next(item.call for item in items_of(page) if item.call)
    assert call is not None
    assert (call.is_denied, call.denial_reason, call.result is not None) == (True, "no pushing", True)


def test_deltas_of_one_message_are_one_item(world: World) -> None:
    pieces = [("model.delta", {"message_id": "m1", "text": text}) for text in ("Hel", "lo ", "there")]

    items = told(world, says("Hi."), *pieces)

    assert [(item.kind, item.body.text) for item in items] == [("user", "Hi."), ("assistant", "Hello there")]
    assert (items[1].seq, items[1].last_seq) == (2, 4)


def test_previews_are_cut_and_say_the_true_size(world: World) -> None:
    items = told(world, says("Read."), calls("m1", "c1"), returns("c1", "行" * 50_000))

    call = items[1].call
    assert call is not None
    assert call.result is not None
    assert (len(call.result.text), call.result.total_chars, call.result.is_cut) == (4_000, 50_000, True)


def test_unknown_events_are_shown_and_silent_ones_are_not(world: World) -> None:
    items = told(
        world, says("Hi."), ("custom.thing_happened", {"a": 1}), ("turn.completed", {"stop_reason": "end_turn"})
    )

    assert [(item.kind, item.title) for item in items[1:]] == [("unknown", "custom.thing_happened")]


def test_hostile_payloads_are_shown_too(world: World) -> None:
    items = told(
        world,
        ("user.message", {"text": ["not", {"a": "string"}]}),
        ("tool.requested", {"call_id": None, "name": 7, "input": "{broken"}),
        ("tool.completed", {"content": {"deep": [1, 2]}, "exit_code": "one", "media": "none"}),
        ("session.compacted", {"covers": "all"}),
        ("permission.resolved", {"decision": "denied"}),
        says("\ud800 lone \x00 nul"),
    )

    assert [item.kind for item in items][:2] == ["user", "call"]


@pytest.fixture
def long_session(world: World) -> Session:
    return recorded(world, [says("Count."), *(event for number in range(1, 120) for event in a_step(number, words=3))])


def test_pages_follow_each_other_without_gap_and_keep_calls_with_results(long_session: Session) -> None:
    seen: list[TranscriptItem] = []
    after: int | None = 0
    pages = 0
    while after is not None:
        page = selectors.transcript_page(long_session.id, after_seq=after, limit=50)
        assert page.first_seq == after + 1
        seen += items_of(page)
        after, pages = page.next_after, pages + 1

    assert pages > 8
    assert len({item.seq for item in seen}) == len(seen) == 1 + 2 * 119
    assert [item for item in seen if item.kind == "result" or (item.call and item.call.result is None)] == []


def test_pages_go_backwards_too(long_session: Session) -> None:
    last = selectors.transcript_page(long_session.id, after_seq=400, limit=200)

    before = selectors.transcript_page(long_session.id, before_seq=last.first_seq, limit=60)

    assert before.last_seq == last.first_seq - 1
    assert before.previous_before == before.first_seq
    assert 40 <= before.last_seq - before.first_seq <= 120


def test_a_turn_can_be_read_alone(world: World) -> None:
    session = recorded(world, two_turns())

    page = selectors.transcript_page(session.id, turn=1)

    assert ([turn.number for turn in page.turns], page.first_seq, page.last_seq, page.next_after) == ([1], 3, 11, None)
    with pytest.raises(NotFound, match="no turn 5"):
        selectors.transcript_page(session.id, turn=5)


def test_an_erased_session_shows_that_it_was_erased(world: World) -> None:
    session = recorded(world, two_turns())

    erase_session(session_id=session.id, reason="asked for", actor="user:alice")

    items = items_of(selectors.transcript_page(session.id))
    assert [(item.kind, item.seq, item.last_seq) for item in items] == [("redacted", 1, 21)]


def test_an_answer_without_words_is_no_item(world: World) -> None:
    assert [item.kind for item in told(world, says("Hi."), answers("m1", ""), answers("m1", "Yes."))] == [
        "user",
        "assistant",
    ]
