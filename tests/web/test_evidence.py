"""Taking evidence home and erasing content through the pages: who may, what is asked, what is left."""

from __future__ import annotations

import io
import zipfile

import pytest
from django.test import Client

from contextapp.eventlog.models import Session
from contextapp.eventlog.selectors import get_events
from tests.world import World


@pytest.fixture
def session(world: World) -> Session:
    session = world.open_session(title="Fix the parser")
    world.append(session, ("user.message", {"text": "one"}), ("user.message", {"text": "two"}))
    return session


def client_of(user: object) -> Client:
    client = Client()
    client.force_login(user)  # type: ignore[arg-type]  # a user of the world
    return client


def test_an_admin_downloads_a_bundle_that_is_whole(world: World, session: Session) -> None:
    answer = client_of(world.alice).get(f"/sessions/{session.id}/export/")

    content = b"".join(answer.streaming_content)  # type: ignore[attr-defined]  # a file
    assert answer["Content-Disposition"] == f'attachment; filename="session-{session.id}.zip"'
    assert "manifest.json" in zipfile.ZipFile(io.BytesIO(content)).namelist()


def test_who_may_not_finds_neither_button_nor_page(world: World, session: Session) -> None:
    reviewer = client_of(world.bob)

    page = reviewer.get(f"/sessions/{session.id}/").content.decode()

    assert "/export/" not in page and "/erase/" not in page
    assert reviewer.get(f"/sessions/{session.id}/export/").status_code == 403
    assert reviewer.post(f"/sessions/{session.id}/erase/", {"reason": "x", "word": "erase"}).status_code == 403
    assert client_of(world.charlie).get(f"/sessions/{session.id}/export/").status_code == 404


@pytest.mark.parametrize(("given", "message"), [({"reason": "x"}, "Type the word"), ({"word": "erase"}, "Say why")])
def test_an_erasure_wants_a_reason_and_a_typed_word(
    world: World, session: Session, given: dict[str, str], message: str
) -> None:
    answer = client_of(world.alice).post(f"/sessions/{session.id}/erase/", given)

    assert (answer.status_code, message in answer.content.decode()) == (422, True)
    assert get_events(session.id)[0].payload == {"text": "one"}


def test_one_event_or_the_whole_session_is_erased_with_its_reason(world: World, session: Session) -> None:
    alice = client_of(world.alice)

    alice.post(f"/sessions/{session.id}/erase/?first=2", {"reason": "asked", "word": "Erase"})
    assert [event.payload.get("text") for event in get_events(session.id, upto_seq=2)] == ["one", None]
    alice.post(f"/sessions/{session.id}/erase/", {"reason": "asked", "word": "erase"})

    assert get_events(session.id)[0].payload == {"erased": True}
    assert get_events(session.id)[-1].payload["by"] == "user:alice"
    assert "was erased" in alice.get(f"/sessions/{session.id}/").content.decode()


def test_a_range_that_is_not_there_says_so(world: World, session: Session) -> None:
    answer = client_of(world.alice).post(f"/sessions/{session.id}/erase/?first=9", {"reason": "x", "word": "erase"})

    assert (answer.status_code, "its events are 1-2" in answer.content.decode()) == (422, True)
