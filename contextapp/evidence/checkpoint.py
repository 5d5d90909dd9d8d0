"""The text of a checkpoint (C2SP tlog-checkpoint): origin, size, root, then one line per further fact. Signs nothing.

Each checkpoint names the hash of the text before it, so that they form a chain of their own, and commits to the heads that
changed since: every stored head is then covered by a signature, without the whole set being kept each time.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256

FORMAT = "ctx.checkpoint.v1"
FIRST = bytes(32)  # what the first checkpoint names as the one before it


class NotACheckpoint(ValueError):
    """The text is no checkpoint of this form."""


@dataclass(frozen=True, slots=True)
class CheckpointText:
    """Everything a checkpoint says. `sessions` are the leaves below `root`, `changed` those below `changed_root`."""

    origin: str
    sessions: int
    root: bytes
    number: int
    taken_at: datetime
    events: int
    changed: int
    changed_root: bytes
    previous: bytes

    def text(self) -> str:
        """The bytes that are signed; the same facts always give the same text."""
        taken_at = self.taken_at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
        lines = (
            self.origin,
            str(self.sessions),
            _base64(self.root),
            FORMAT,
            f"number {self.number}",
            f"taken {taken_at}",
            f"events {self.events}",
            f"changed {self.changed} {_base64(self.changed_root)}",
            f"previous {_base64(self.previous)}",
        )
        return "".join(f"{line}\n" for line in lines)

    def hash(self) -> bytes:
        return text_hash(self.text())


def text_hash(text: str) -> bytes:
    """What the next checkpoint names as `previous`. Signatures are outside it: a witness may add one later."""
    return sha256(text.encode()).digest()


def read(text: str) -> CheckpointText:
    """The facts of a text that reads exactly as `text()` writes it; anything else is refused."""
    try:
        lines = text.removesuffix("\n").split("\n")
        origin, sessions, root, form, number, taken_at, events, changed, previous = lines
        if form != FORMAT:
            raise NotACheckpoint(f"checkpoint format {form[:40]!r} is unknown; {FORMAT} is read here")
        changed_count, _, changed_root = _value(changed, "changed").partition(" ")
        found = CheckpointText(
            origin=origin,
            sessions=int(sessions),
            root=_bytes(root),
            number=int(_value(number, "number")),
            taken_at=datetime.fromisoformat(_value(taken_at, "taken")),
            events=int(_value(events, "events")),
            changed=int(changed_count),
            changed_root=_bytes(changed_root),
            previous=_bytes(_value(previous, "previous")),
        )
        written = found.text()
    except (ValueError, OverflowError) as error:
        raise NotACheckpoint(f"not a checkpoint text: {error}") from error
    if written != text:
        raise NotACheckpoint("the checkpoint text is not written in its one form")
    return found


def _value(line: str, name: str) -> str:
    found, _, value = line.partition(" ")
    if found != name:
        raise NotACheckpoint(f"line {line[:60]!r} should begin with {name!r}")
    return value


def _base64(value: bytes) -> str:
    return base64.b64encode(value).decode()


def _bytes(text: str) -> bytes:
    try:
        value = base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise NotACheckpoint(f"{text[:60]!r} is not base64") from error
    if len(value) != 32:
        raise NotACheckpoint(f"a hash has 32 bytes, this one {len(value)}")
    return value
