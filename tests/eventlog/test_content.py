"""Large content becomes an artifact, once per project; the event keeps its start, its end and the way to the rest."""

from __future__ import annotations

import base64
import json
from hashlib import sha256

import pytest

from contextapp.eventlog import selectors
from contextapp.eventlog.models import Artifact, ArtifactUse
from contextapp.eventlog.services import append
from contextapp.eventlog.services.content import move_text
from tests.world import World, draft

PNG = b"\x89PNG\r\n" + bytes(range(256)) * 40


def image(body: bytes = PNG) -> dict[str, object]:
    return {"media_type": "image/png", "data_base64": base64.b64encode(body).decode(), "width": 10}


def test_media_becomes_an_artifact_and_the_event_its_reference(world: World) -> None:
    session = world.open_session()

    world.append(
        session, ("user.message", {"text": "look", "media": [image(), {"media_type": "image/gif", "size_bytes": 3}]})
    )

    [event] = selectors.get_events(session.id)
    digest = sha256(PNG).hexdigest()
    assert event.payload["media"] == [
        {"media_type": "image/png", "width": 10, "sha256": digest, "size_bytes": len(PNG)},
        {"media_type": "image/gif", "size_bytes": 3},
    ]
    found = selectors.get_artifact(session.id, digest)
    assert found is not None
    assert (bytes(found.body), found.media_type, found.size_bytes) == (PNG, "image/png", len(PNG))


def test_the_same_media_is_kept_once_per_project(world: World) -> None:
    first, second = world.open_session(), world.open_session()
    foreign = world.open_session(project_id=world.foreign_project.id)

    for session in (first, second, foreign):
        world.append(session, *[("user.message", {"n": number, "media": [image()]}) for number in range(2)])

    assert sorted(Artifact.objects.values_list("project__slug", flat=True)) == ["elsewhere", "wonderland"]
    assert ArtifactUse.objects.count() == 6


def test_an_artifact_is_reached_through_a_session_that_uses_it(world: World) -> None:
    user, stranger = world.open_session(), world.open_session()
    world.append(user, ("user.message", {"media": [image()]}))
    digest = sha256(PNG).hexdigest()

    assert selectors.get_artifact(user.id, digest) is not None
    assert selectors.get_artifact(stranger.id, digest) is None
    assert selectors.get_artifact(user.id, "no hash") is None


@pytest.mark.parametrize("field", ["content", "text"])
def test_a_long_text_is_kept_whole_beside_the_event(world: World, field: str) -> None:
    session = world.open_session()
    text = "".join(f"line {number} \0 \ud800 中\n" for number in range(20_000))

    world.append(session, ("tool.completed", {"call_id": "c", field: text}))

    [event] = selectors.get_events(session.id)
    cut, reference = event.payload["cut"], event.payload["artifact"]
    shown = event.payload[field]
    assert text.startswith(shown[: cut["head_chars"]])
    assert shown.endswith(text[-(cut["shown_chars"] - cut["head_chars"]) :])
    assert cut["total_chars"] == len(text)
    assert f"{len(text) - cut['shown_chars']} of {len(text)} characters" in shown
    kept = selectors.get_artifact(session.id, reference["sha256"])
    assert kept is not None
    assert (kept.media_type, kept.size_bytes) == ("application/json", reference["size_bytes"])
    assert json.loads(bytes(kept.body)) == text


def test_a_text_below_the_limit_stays_in_the_event(world: World) -> None:
    session = world.open_session()
    text = "x" * (256 * 1024)

    world.append(session, ("tool.completed", {"content": text}))

    [event] = selectors.get_events(session.id)
    assert event.payload == {"content": text}
    assert not Artifact.objects.exists()


@pytest.mark.parametrize(
    "sign", ["\U0001f468\u200d\U0001f469\u200d\U0001f467", "e\u0301", "\U0001f44d\U0001f3fd", "\r\n"]
)
def test_no_sign_is_cut_apart(sign: str) -> None:
    text = sign * 200_000

    cut = move_text({"content": text}, [])

    head = cut["content"][: cut["cut"]["head_chars"]]
    tail = cut["content"][-(cut["cut"]["shown_chars"] - len(head)) :]
    assert head == sign * (len(head) // len(sign))
    assert tail == sign * (len(tail) // len(sign))


def test_a_retry_with_large_content_is_a_duplicate_and_adds_no_use(world: World) -> None:
    session = world.open_session()
    again = draft("tool.completed", {"content": "x" * 300_000, "media": [image()]})
    append(session_id=session.id, drafts=[again], actor="test")

    result = append(session_id=session.id, drafts=[again], actor="test")

    assert result.results[0].duplicate
    assert (Artifact.objects.count(), ArtifactUse.objects.count()) == (2, 2)
