"""The signing key: made once, private, never replaced by itself; what older keys signed still verifies."""

from __future__ import annotations

import stat
from io import StringIO
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from django.core.management import call_command
from django.core.management.base import CommandError

from contextapp.accounts.models import AuditEntry
from contextapp.eventlog.checkpoint_keys import known_keys
from contextapp.eventlog.errors import CheckpointRefused
from contextapp.eventlog.services import publish_checkpoints, rotate_checkpoint_key, take_checkpoint, verify_log
from contextapp.evidence import signed_note
from tests.world import World


@pytest.fixture
def key_file(evidence_folder: Path) -> Path:
    return evidence_folder / "checkpoint_key.pem"


def say(world: World, text: str) -> None:
    world.append(world.open_session(), ("user.message", {"text": text}))


def pem(private: Ed25519PrivateKey) -> bytes:
    return private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def test_the_first_checkpoint_makes_a_key_that_only_we_can_read(world: World, key_file: Path) -> None:
    say(world, "one")

    take_checkpoint()

    assert stat.S_IMODE(key_file.stat().st_mode) == 0o600
    assert len(known_keys()) == 1


def test_a_given_key_is_used(world: World, key_file: Path) -> None:
    private = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
    key_file.write_bytes(pem(private))
    say(world, "one")

    take_checkpoint()

    assert known_keys() == (signed_note.public_key("example.org/log", private),)


def test_a_lost_key_stops_checkpoints_and_nothing_else(world: World, key_file: Path) -> None:
    say(world, "one")
    take_checkpoint()
    key_file.unlink()
    say(world, "two")  # ingestion goes on

    with pytest.raises(CheckpointRefused, match=r"is missing; put it back, or make a new one .*--rotate-key"):
        take_checkpoint()

    assert not key_file.exists()
    assert verify_log().is_verified


def test_a_lost_folder_makes_no_new_key_where_checkpoints_are(world: World, evidence_folder: Path) -> None:
    say(world, "one")
    take_checkpoint()
    for path in evidence_folder.iterdir():
        path.unlink()
    say(world, "two")

    with pytest.raises(CheckpointRefused, match="is missing"):
        take_checkpoint()


def test_a_key_that_was_exchanged_signs_only_after_somebody_says_so(world: World, key_file: Path) -> None:
    say(world, "one")
    take_checkpoint()
    other = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
    key_file.write_bytes(pem(other))
    say(world, "two")
    with pytest.raises(CheckpointRefused, match="is not the one noted last"):
        take_checkpoint()

    adopted = rotate_checkpoint_key(actor="user:alice")
    found = take_checkpoint()

    assert adopted == signed_note.public_key("example.org/log", other) == known_keys()[-1]
    assert found is not None and signed_note.opened(found.note, [adopted])[1] == adopted


def test_what_an_old_key_signed_still_verifies(world: World, key_file: Path) -> None:
    say(world, "one")
    take_checkpoint()
    first = key_file.read_bytes()
    call_command("checkpoint", "--rotate-key", stdout=StringIO())
    say(world, "two")
    take_checkpoint()
    publish_checkpoints()

    found = verify_log()

    assert (found.verdict, found.checkpoints, found.faults) == ("verified", 2, ())
    assert key_file.read_bytes() != first
    assert stat.S_IMODE(key_file.stat().st_mode) == 0o600
    assert len(known_keys()) == 2
    entry = AuditEntry.objects.get(action="checkpoint_key.rotated")
    assert (entry.before, entry.after) == (
        {"public_key": known_keys()[0].text()},
        {"public_key": known_keys()[1].text()},
    )


def test_a_checkpoint_whose_key_is_not_known_any_more_is_a_fault(world: World, evidence_folder: Path) -> None:
    say(world, "one")
    take_checkpoint()
    (evidence_folder / "checkpoint_keys.txt").write_text(
        signed_note.public_key("example.org/log", Ed25519PrivateKey.generate()).text() + "\n"
    )

    found = verify_log()

    assert found.verdict == "tampered"
    assert "no such key is known here" in found.faults[0].what


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"-----BEGIN PRIVATE KEY-----\nnonsense\n-----END PRIVATE KEY-----\n",
        generate_private_key(65537, 2048).private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        ),
    ],
)
def test_a_file_that_is_no_key_is_named(world: World, key_file: Path, content: bytes) -> None:
    key_file.write_bytes(content)
    say(world, "one")

    with pytest.raises(CheckpointRefused, match="checkpoint_key.pem"):
        take_checkpoint()


def test_the_command_tells_why_none_was_taken(world: World, key_file: Path) -> None:
    key_file.write_bytes(b"")
    say(world, "one")

    with pytest.raises(CommandError, match="checkpoint refused: the signing key"):
        call_command("checkpoint")
