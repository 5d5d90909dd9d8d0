"""What became of everything that must not get lost: each constraint, modified file and open request, one by one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from contextapp.engine import events as kinds
from contextapp.engine.compaction.summary import CONSTRAINTS, MODIFIED, Line, Summary
from contextapp.engine.events import Event
from contextapp.engine.projection.payloads import id_of, payload_of, short
from contextapp.engine.projection.state import LINE_CHARS, MAX_CONSTRAINTS, MAX_FILES, Call, SessionState


class Fate(StrEnum):
    VERBATIM = "verbatim"  # its words stand in the summary, or it was not summarised at all
    IN_STATE = "in_state"  # not in the summary, but the projection gives it to every build
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Survived:
    kind: str  # constraint, file, request
    name: str
    seq: int
    fate: Fate


@dataclass(frozen=True, slots=True)
class Duty:
    """What a summary owes: as the state knows it, and as the earlier summary handed it down."""

    constraints: tuple[Line, ...]
    files: tuple[Line, ...]


def duty(state: SessionState, last_seq: int, earlier: Iterable[tuple[str, Line]], events: Sequence[Event]) -> Duty:
    """Constraints and modified files up to `last_seq`. What an earlier summary named is owed all the same where the state's
    list is full and may have pushed it out; unless it was lifted since (`events`: the log since that summary)."""
    constraints = {
        held.id: Line(f"[{held.kind}{'' if held.confirmed else ', suspected'}] {held.text}", (held.seq,), held.id)
        for held in state.constraints
        if held.seq <= last_seq
    }
    files = {
        file.path: Line(file.path, (file.modified_seq,), file.path)
        for file in state.files
        if 0 < file.modified_seq <= last_seq
    }
    lifted = {id_of(payload_of(event), "id") for event in events if event.type == kinds.CONSTRAINT_LIFTED}
    for section, line in earlier:
        if section == CONSTRAINTS and len(state.constraints) >= MAX_CONSTRAINTS and line.key not in lifted:
            constraints.setdefault(line.key, line)
        elif section == MODIFIED and len(state.files) >= MAX_FILES:
            files.setdefault(line.key, line)
    return Duty(tuple(constraints.values()), tuple(files.values()))


def survival(summary: Summary, owed: Duty, state: SessionState) -> tuple[Survived, ...]:
    """One fate for each. Requests that still wait are never summarised, so they stand in the transcript as they are."""
    said = " ".join(summary.text().split())
    held = {constraint.id for constraint in state.constraints}
    known = {file.path for file in state.files}
    found = [_fate("constraint", line, words_of(line), said, line.key in held) for line in owed.constraints]
    found += [_fate("file", line, line.text, said, line.key in known) for line in owed.files]
    found += [_request(call) for call in state.open_calls]
    return tuple(found)


def lost_constraints(fates: Iterable[Survived]) -> tuple[Survived, ...]:
    return tuple(fate for fate in fates if fate.kind == "constraint" and fate.fate == Fate.LOST)


def _fate(kind: str, line: Line, words: str, said: str, in_state: bool) -> Survived:
    is_there = " ".join(words.split()) in said
    fate = Fate.VERBATIM if is_there else Fate.IN_STATE if in_state else Fate.LOST
    return Survived(kind, short(line.text, LINE_CHARS), line.seqs[0] if line.seqs else 0, fate)


def _request(call: Call) -> Survived:
    return Survived("request", call.name or call.call_id, call.seq, Fate.VERBATIM)


def words_of(line: Line) -> str:
    """A constraint's own words, without the kind in front of them."""
    return line.text.partition("] ")[2] if line.text.startswith("[") and "] " in line.text else line.text
