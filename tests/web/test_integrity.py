"""The tick of a session, in its header and in the list: what was verified, how far, and under which checkpoint."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

import pytest
from django.test import Client
from pytest_django import Settings

from contextapp.eventlog.services import append, take_checkpoint, verify_session
from tests.eventlog import tampering
from tests.world import draft

HTMX = {"HTTP_HX_REQUEST": "true"}


@pytest.fixture(autouse=True)
def evidence(settings: Settings, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    settings.CHECKPOINT_KEY_FILE = tmp_path / "checkpoint_key.pem"
    settings.CHECKPOINT_FILE = tmp_path / "checkpoints.txt"


def read(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_session_that_was_never_verified_has_no_tick(reader: Client, recorded: UUID) -> None:
    assert "Verified to" not in read(reader, "/sessions/") + read(reader, f"/sessions/{recorded}/")


def test_the_header_says_how_far_and_that_no_checkpoint_covers_it_yet(reader: Client, recorded: UUID) -> None:
    found = verify_session(recorded)

    page = read(reader, f"/sessions/{recorded}/")

    assert f"✓ Verified to event {found.head_seq} of {found.head_seq}, under no checkpoint yet," in page


def test_header_and_list_name_the_checkpoint_and_what_came_later(reader: Client, recorded: UUID) -> None:
    take_checkpoint()
    found = verify_session(recorded)
    whole = read(reader, "/sessions/")
    append(session_id=recorded, drafts=[draft("user.message", {"text": "later"})], actor="test")

    later = read(reader, "/sessions/")

    said = f"Verified to event {found.head_seq} of {{}}, checkpoint 1"
    assert f'aria-label="{said.format(found.head_seq)}">✓<' in whole
    assert f'aria-label="{said.format(found.head_seq + 1)}">◌<' in later
    assert f"✓ {said.format(found.head_seq + 1)}," in read(reader, f"/sessions/{recorded}/")


def test_the_button_renews_the_tick(reader: Client, recorded: UUID) -> None:
    take_checkpoint()

    fragment = reader.post(f"/sessions/{recorded}/verify/", **HTMX).content.decode()

    assert "checkpoint 1" in fragment
    assert "checkpoint 1" in read(reader, "/sessions/")


def test_a_session_that_was_tampered_with_is_marked_everywhere(reader: Client, recorded: UUID) -> None:
    tampering.tamper(f"UPDATE eventlog_event SET actor = 'x' WHERE session_id = '{recorded}' AND seq = 2")

    fragment = reader.post(f"/sessions/{recorded}/verify/", **HTMX).content.decode()

    assert "✗ Tampered with: event 2: hash does not match the columns" in fragment
    assert "✗ Tampered with: hash does not match the columns" in read(reader, f"/sessions/{recorded}/")
    assert "Tampered with: hash does not match the columns" in read(reader, "/sessions/")
    assert "✓ Verified" not in read(reader, f"/sessions/{recorded}/")
