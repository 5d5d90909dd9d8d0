"""The file to which checkpoints are published, one signed note after another. Only ever appended to.

It is outside the database on purpose: a log that was rewound together with its checkpoints contradicts it.
"""

from __future__ import annotations

import os
from pathlib import Path

from django.conf import settings

from contextapp.evidence import saved
from contextapp.evidence.checkpoint import CheckpointText, NotACheckpoint, read
from contextapp.evidence.saved import NotSaved
from contextapp.evidence.signed_note import NoteRefused, PublicKey, opened

TAIL_BYTES = 64 * 1024  # far more than a note with many witnesses


class FileDamaged(Exception):
    """The published file holds something that is not a checkpoint of ours."""


def append(note: str) -> None:
    """Write the note and wait until it is on the disk. A note that stands last already is not written twice."""
    path = Path(settings.CHECKPOINT_FILE)
    path.parent.mkdir(parents=True, exist_ok=True)
    if _tail(path).endswith(f"{note}\n"):
        return
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{note}\n")
        file.flush()
        os.fsync(file.fileno())


def last_published(keys: tuple[PublicKey, ...]) -> tuple[CheckpointText, str] | None:
    """The newest note in the file and what it says; reads the end only. None where there is no file."""
    path = Path(settings.CHECKPOINT_FILE)
    try:
        blocks = _tail(path).rstrip("\n").split("\n\n")
    except (OSError, UnicodeDecodeError) as error:
        raise FileDamaged(f"the published checkpoints can't be read: {error}") from error
    if blocks == [""]:
        return None
    note = "\n\n".join(blocks[-2:]).lstrip("\n") + "\n"
    try:
        return checkpoint_of(note, keys), note
    except (NoteRefused, NotACheckpoint) as error:
        raise FileDamaged(f"the last checkpoint in {path} is damaged: {error}") from error


def published(keys: tuple[PublicKey, ...]) -> dict[int, str]:
    """The notes in the file by checkpoint number, each signed by one of the keys. Empty where there is no file."""
    path = Path(settings.CHECKPOINT_FILE)
    try:
        content = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise FileDamaged(f"the published checkpoints can't be read: {error}") from error
    found: dict[int, str] = {}
    try:
        for note in saved.read(content).notes:
            number = checkpoint_of(note, keys).number
            if found.setdefault(number, note) != note:
                raise FileDamaged(f"{path} holds two different checkpoints {number}")
    except (NotSaved, NoteRefused, NotACheckpoint) as error:
        raise FileDamaged(f"{path} is damaged: {error}") from error
    return found


def _tail(path: Path) -> str:
    try:
        with path.open("rb") as file:
            file.seek(max(path.stat().st_size - TAIL_BYTES, 0))
            return file.read().decode("utf-8", "replace")
    except FileNotFoundError:
        return ""


def checkpoint_of(note: str, keys: tuple[PublicKey, ...]) -> CheckpointText:
    """What a note says, if a known key signed it (NoteRefused or NotACheckpoint otherwise)."""
    return read(opened(note, keys)[0])
