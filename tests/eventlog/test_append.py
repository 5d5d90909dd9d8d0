"""The append: order, retries, expectations, refusals - and that a batch is stored whole or not at all."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest

from contextapp.eventlog import selectors
from contextapp.eventlog.errors import DraftRefused, EventIdConflict, SessionErased, UnknownSession, WrongHead
from contextapp.eventlog.models import Event
from contextapp.eventlog.services import append, erase_session, verify_session
from contextapp.eventlog.values import Stored
from tests.world import World, draft


def test_a_batch_gets_the_next_seqs_in_order(world: World) -> None:
    session = world.open_session()
    world.append(session, ("user.message", {"text": "one"}))

    result = world.append(session, ("model.message", {"text": "two"}), ("user.message", {"text": "three"}))

    assert (result.first_seq, result.last_seq, result.head_seq) == (2, 3, 3)
    assert result.results == (Stored(2, False), Stored(3, False))
    assert [event.payload["text"] for event in selectors.get_events(session.id)] == ["one", "two", "three"]


def test_what_is_stored_verifies(world: World) -> None:
    session = world.open_session()
    for number in range(5):
        world.append(session, *[("user.message", {"text": f"{number} {place}"}) for place in range(7)])

    verification = verify_session(session.id)

    assert (verification.verdict, verification.events) == ("unanchored", 35)


def test_a_retry_gets_the_seq_it_had(world: World) -> None:
    session = world.open_session()
    batch = [draft("user.message", {"text": "one"}), draft("user.message", {"text": "two"})]
    append(session_id=session.id, drafts=batch, actor="test")

    result = append(session_id=session.id, drafts=[*batch, draft("user.message", {"text": "3"})], actor="test")

    assert result.results == (Stored(1, True), Stored(2, True), Stored(3, False))
    assert Event.objects.filter(session=session).count() == 3


def test_a_retry_may_expect_the_head_that_was_there_before_it(world: World) -> None:
    session = world.open_session()
    batch = [draft("user.message", {"text": "one"})]
    append(session_id=session.id, drafts=batch, actor="test", expected_seq=0)

    result = append(session_id=session.id, drafts=batch, actor="test", expected_seq=0)

    assert result.results == (Stored(1, True),)


@pytest.mark.parametrize("change", [{"payload": {"text": "other"}}, {"kind": "model.message"}, {"visibility": "ui"}])
def test_the_same_id_with_other_content_is_refused_and_nothing_written(world: World, change: dict[str, Any]) -> None:
    session = world.open_session()
    event_id = uuid4()
    given: dict[str, Any] = {"kind": "user.message", "payload": {"text": "one"}, "event_id": event_id}
    append(session_id=session.id, drafts=[draft(**given)], actor="test")

    with pytest.raises(EventIdConflict) as refused:
        append(
            session_id=session.id,
            drafts=[draft("user.message", {"text": "new"}), draft(**{**given, **change})],
            actor="test",
        )

    assert (refused.value.event_id, refused.value.seq) == (event_id, 1)
    assert selectors.head_seq(session.id) == 1


def test_an_id_twice_in_one_batch_is_stored_once(world: World) -> None:
    session = world.open_session()
    twice = draft("user.message", {"text": "one"})

    result = append(session_id=session.id, drafts=[twice, draft("user.message", {}), twice], actor="test")

    assert result.results == (Stored(1, False), Stored(2, False), Stored(1, True))


def test_an_id_twice_in_one_batch_with_two_contents_is_refused(world: World) -> None:
    session = world.open_session()
    event_id = uuid4()

    with pytest.raises(EventIdConflict, match="twice in this batch"):
        append(
            session_id=session.id,
            drafts=[draft("user.message", {"text": text}, event_id) for text in ("one", "two")],
            actor="test",
        )


def test_the_same_id_in_another_session_is_another_event(world: World) -> None:
    event = draft("user.message", {"text": "one"})
    first, second = world.open_session(), world.open_session()
    append(session_id=first.id, drafts=[event], actor="test")

    result = append(session_id=second.id, drafts=[event], actor="test")

    assert result.results == (Stored(1, False),)


def test_a_wrong_expectation_writes_nothing_and_tells_the_head(world: World) -> None:
    session = world.open_session()
    world.append(session, ("user.message", {"text": "one"}))

    with pytest.raises(WrongHead) as refused:
        append(session_id=session.id, drafts=[draft("user.message", {})], actor="test", expected_seq=0)

    assert refused.value.head_seq == 1
    assert selectors.head_seq(session.id) == 1


def test_an_empty_batch_writes_nothing(world: World) -> None:
    session = world.open_session()
    world.append(session, ("user.message", {"text": "one"}))

    result = append(session_id=session.id, drafts=[], actor="test")

    assert (result.results, result.first_seq, result.last_seq, result.head_seq) == ((), 0, 0, 1)


def test_a_session_that_is_not_there_is_named(world: World) -> None:
    unknown = UUID(int=7)

    for drafts in ([draft("user.message", {})], []):
        with pytest.raises(UnknownSession, match=str(unknown)):
            append(session_id=unknown, drafts=drafts, actor="test")


def test_an_erased_session_takes_no_more(world: World) -> None:
    session = world.open_session()
    world.append(session, ("user.message", {"text": "one"}))
    erase_session(session_id=session.id, reason="asked to", actor="user:alice")

    with pytest.raises(SessionErased):
        world.append(session, ("user.message", {"text": "two"}))


@pytest.mark.parametrize(
    ("change", "field", "rule"),
    [
        ({"kind": "Nonsense"}, "type", "'Nonsense' is not a dotted lower-case name"),
        ({"kind": "a." + "b" * 99}, "type", "is not a dotted"),
        ({"kind": "event.redacted"}, "type", "written by erasure alone"),
        ({"visibility": "secret"}, "visibility", "'secret' is not one of model, ui, audit"),
        ({"schema_version": 0}, "schema_version", "0 is not between 1 and 32767"),
        ({"occurred_at": datetime(2026, 1, 1)}, "occurred_at", "has no time zone"),
        ({"occurred_at": datetime(2200, 1, 1, tzinfo=UTC)}, "occurred_at", "year 2200"),
        ({"payload": {"a": [float("nan")]}}, "payload/a/0", "nan is not a JSON number"),
        ({"payload": {"_masked": []}}, "payload/_masked", "reserved"),
        ({"payload": {"media": [{"data_base64": "%%%"}]}}, "payload/media/0/data_base64", "not valid base64"),
        ({"payload": {"text": "x" * 300}}, "payload", "at most 200 fit"),
    ],
)
def test_a_refusal_names_index_field_and_rule(
    world: World, settings: Any, change: dict[str, Any], field: str, rule: str
) -> None:
    settings.API_EVENT_LIMIT_BYTES = 200
    session = world.open_session()
    bad = draft(**{"kind": "user.message", "payload": {"text": "x"}, **change})

    with pytest.raises(DraftRefused) as refused:
        append(session_id=session.id, drafts=[draft("user.message", {}), bad], actor="test")

    assert (refused.value.index, refused.value.field) == (1, field)
    assert rule in refused.value.rule
    assert selectors.head_seq(session.id) == 0


@pytest.mark.parametrize("text", ["nul \0", "\ud800 alone", "中文", "\U0001f468\u200d\U0001f469", "<script>"])
def test_any_text_comes_back_as_it_was(world: World, text: str) -> None:
    session = world.open_session()

    world.append(session, ("tool.completed", {"content": text, text: 1}))

    assert selectors.get_events(session.id)[0].payload == {"content": text, text: 1}


def test_an_unknown_type_is_stored(world: World) -> None:
    session = world.open_session()

    world.append(session, ("gadget.turned", {"n": 2**64}))

    [event] = selectors.get_events(session.id)
    assert (event.type, event.is_known, event.payload["n"]) == ("gadget.turned", False, 2**64)


def test_a_large_batch_goes_in_several_calls_and_stays_whole(world: World) -> None:
    session = world.open_session()
    drafts = [draft("user.message", {"n": number}) for number in range(2500)]

    with pytest.raises(EventIdConflict):
        append(session_id=session.id, drafts=[*drafts, draft("model.delta", {}, drafts[0].event_id)], actor="test")
    result = append(session_id=session.id, drafts=drafts, actor="test", expected_seq=0)

    assert (result.first_seq, result.last_seq) == (1, 2500)
    assert verify_session(session.id).is_verified
