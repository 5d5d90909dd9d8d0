"""What somebody saved outside the log: signed checkpoints and heads in one text, blocks divided by empty lines.

A checkpoint is its text block and the signature block below it, as it was published. A block of heads has a line
`SESSION SEQ HASH` for each. Lines that begin with `#` are ignored. Nothing is believed here; that is the caller's task.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from contextapp.evidence.merkle import KnownHead

_HEAD = re.compile(r"([0-9a-f-]{36}) ([1-9][0-9]{0,18}) ([0-9a-f]{64})")
_SIGNATURE = "\N{EM DASH} "


class NotSaved(ValueError):
    """The text holds something that is neither a checkpoint nor a head."""


@dataclass(frozen=True, slots=True)
class Saved:
    notes: tuple[str, ...]
    heads: tuple[KnownHead, ...]


def read(text: str) -> Saved:
    notes: list[str] = []
    heads: list[KnownHead] = []
    waiting = ""
    lines = [line for line in text.replace("\r\n", "\n").split("\n") if not line.startswith("#")]
    for block in re.split(r"\n{2,}", "\n".join(lines).strip("\n")):
        if not block:
            continue
        if block.startswith(_SIGNATURE):
            if not waiting:
                raise NotSaved(f"signature {block[:60]!r} stands below no checkpoint")
            notes.append(f"{waiting}\n\n{block}\n")
            waiting = ""
            continue
        if waiting:
            raise NotSaved(f"{waiting[:60]!r} has no signature below it")
        if _HEAD.fullmatch(block.partition("\n")[0]):
            heads += [_head(line) for line in block.split("\n")]
        else:
            waiting = block
    if waiting:
        raise NotSaved(f"{waiting[:60]!r} is neither a signed checkpoint nor lines of SESSION SEQ HASH")
    return Saved(tuple(notes), tuple(heads))


def write(notes: Iterable[str], heads: Iterable[KnownHead]) -> str:
    """The text that `read` takes apart."""
    lines = [f"{head.session_id} {head.seq} {head.hash.hex()}\n" for head in heads]
    return "\n".join([*notes, "".join(lines)] if lines else notes)


def _head(line: str) -> KnownHead:
    found = _HEAD.fullmatch(line)
    if found is None:
        raise NotSaved(f"line {line[:120]!r} is not SESSION SEQ HASH")
    try:
        session_id = UUID(found[1])
    except ValueError as error:
        raise NotSaved(f"{found[1]!r} is not a session id") from error
    return KnownHead(session_id, int(found[2]), bytes.fromhex(found[3]))
