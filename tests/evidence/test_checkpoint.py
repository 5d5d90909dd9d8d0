"""Checkpoint texts against the published vectors, and that a text reads in its one form only."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from uuid import UUID

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from contextapp.evidence import checkpoint, merkle, signed_note
from contextapp.evidence.checkpoint import CheckpointText, NotACheckpoint

VECTORS = json.loads((Path(__file__).parents[2] / "docs" / "checkpoint-vectors.json").read_text(encoding="utf-8"))
TEXT = CheckpointText(
    origin="example.org/heads",
    sessions=2,
    root=bytes([1] * 32),
    number=7,
    taken_at=datetime(2026, 3, 1, 1, 2, 3, 45, UTC),
    events=30,
    changed=1,
    changed_root=bytes([2] * 32),
    previous=bytes([3] * 32),
)


def test_the_published_vectors_hold() -> None:
    private = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(VECTORS["private_key"]))
    known = signed_note.PublicKey.read(VECTORS["public_key"])
    heads: dict[UUID, merkle.KnownHead] = {}
    previous = checkpoint.FIRST

    for number, vector in enumerate(VECTORS["checkpoints"], start=1):
        changed = [
            merkle.KnownHead(UUID(head["session_id"]), head["seq"], bytes.fromhex(head["hash"]))
            for head in vector["changed_heads"]
        ]
        heads |= {head.session_id: head for head in changed}
        text, signer = signed_note.opened(vector["note"], [known])
        read = checkpoint.read(text)

        assert [entry.hex() for entry in merkle.leaves(heads.values())] == vector["leaves"]
        assert merkle.heads_root(heads.values()).hex() == vector["root"] == read.root.hex()
        assert merkle.heads_root(changed).hex() == vector["changed_root"] == read.changed_root.hex()
        assert (read.number, read.sessions, read.changed) == (number, len(heads), len(changed))
        assert read.events == sum(head.seq for head in heads.values())
        assert read.previous == previous
        assert (signer, text) == (known, vector["text"])
        assert signed_note.sign(text, known.name, private) == vector["note"]
        previous = checkpoint.text_hash(text)
        assert previous.hex() == vector["text_sha256"]
    assert len(VECTORS["checkpoints"]) == 2


def test_a_text_reads_back_as_it_was_written() -> None:
    assert checkpoint.read(TEXT.text()) == TEXT
    assert TEXT.text().count("\n") == 9


def test_the_time_is_written_in_utc_whatever_its_zone() -> None:
    elsewhere = replace(TEXT, taken_at=TEXT.taken_at.astimezone(timezone(timedelta(hours=8))))

    assert elsewhere.text() == TEXT.text()


@pytest.mark.parametrize(
    ("part", "instead"),
    [
        ("number 7", "number 07"),
        ("number 7", "7"),
        ("events 30", "events many"),
        ("taken 2026", "taken 0"),
        ("ctx.checkpoint.v1", "ctx.checkpoint.v2"),
        ("AQEBAQ", "????"),
        ("changed 1 ", "changed 1"),
        ("previous ", "previous  "),
        ("example.org/heads\n", ""),
    ],
)
def test_a_text_of_another_form_is_refused(part: str, instead: str) -> None:
    assert part in TEXT.text()

    with pytest.raises(NotACheckpoint):
        checkpoint.read(TEXT.text().replace(part, instead))


def test_every_fact_is_in_the_text() -> None:
    others = {
        "origin": "x",
        "sessions": 3,
        "root": bytes(32),
        "number": 8,
        "taken_at": TEXT.taken_at + timedelta(microseconds=1),
        "events": 31,
        "changed": 2,
        "changed_root": bytes(32),
        "previous": bytes(32),
    }

    assert set(others) == set(CheckpointText.__slots__)
    for name, value in others.items():
        assert replace(TEXT, **{name: value}).hash() != TEXT.hash(), name
