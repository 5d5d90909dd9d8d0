"""Files of saved heads and checkpoints: what is written is read, and anything else is named."""

from __future__ import annotations

import json
from pathlib import Path
from uuid import UUID

import pytest

from contextapp.evidence import saved
from contextapp.evidence.merkle import KnownHead
from contextapp.evidence.saved import NotSaved, Saved

VECTORS = json.loads((Path(__file__).parents[2] / "docs" / "checkpoint-vectors.json").read_text(encoding="utf-8"))
NOTES = tuple(vector["note"] for vector in VECTORS["checkpoints"])
HEADS = (KnownHead(UUID(int=1), 3, bytes([1] * 32)), KnownHead(UUID(int=2), 1, bytes([2] * 32)))


@pytest.mark.parametrize("notes", [(), NOTES[:1], NOTES])
@pytest.mark.parametrize("heads", [(), HEADS])
def test_what_is_written_is_read(notes: tuple[str, ...], heads: tuple[KnownHead, ...]) -> None:
    assert saved.read(saved.write(notes, heads)) == Saved(notes, heads)


def test_notes_appended_one_after_another_are_read() -> None:
    assert saved.read("".join(f"{note}\n" for note in NOTES)).notes == NOTES


def test_comments_and_other_line_ends_are_no_matter() -> None:
    text = f"# kept by the auditor\n{saved.write((), HEADS)}".replace("\n", "\r\n")

    assert saved.read(text).heads == HEADS


@pytest.mark.parametrize(
    "text",
    [
        "something else\n",
        NOTES[0].partition("\n\n")[0],
        NOTES[0].partition("\n\n")[2],
        f"{UUID(int=1)} 3 {'0' * 64}\n{UUID(int=1)} 3\n",
        f"{'-' * 36} 3 {'0' * 64}\n",
    ],
)
def test_anything_else_is_named(text: str) -> None:
    with pytest.raises(NotSaved):
        saved.read(text)
