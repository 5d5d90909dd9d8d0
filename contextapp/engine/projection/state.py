"""What the fold says now: a value that serialises, loads back equal and holds only capped lists.

Content never lives here beyond a preview; sequence numbers point to it. `FOLD_VERSION` changes whenever the same log
would fold to another state, and snapshots of other versions are ignored.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

FOLD_VERSION = 4
MAX_FILES = 200
MAX_COMMANDS = 30
MAX_DENIALS = 50
MAX_CONSTRAINTS = 200
MAX_INDEXED = 64
MAX_OPEN_CALLS = 64
MAX_BATCH = 4 * MAX_OPEN_CALLS  # calls and results of one answer
MAX_MARKS = 8
MAX_MESSAGE_IDS = 16
MAX_PLAN = 50
MAX_CALLED_TOOLS = 64
GOAL_CHARS = 2_000
LINE_CHARS = 300  # of a constraint, a command, a reason, a failure


@dataclass(frozen=True, slots=True)
class Goal:
    """The user's first words and the latest reading of them, with where they stand in the log."""

    text: str
    seq: int
    latest_text: str
    latest_seq: int


@dataclass(frozen=True, slots=True)
class Constraint:
    """`id` is the event's own or `seq:<n>.<k>` for a suspected one found in the n-th event."""

    id: str
    text: str
    kind: str  # prohibition, approval, verification, preference
    seq: int
    confirmed: bool


@dataclass(frozen=True, slots=True)
class FileState:
    path: str
    read_seq: int = 0
    modified_seq: int = 0
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """A call without a result yet. `approval` is pending, allowed, denied or empty; `subject` is what it is about: the
    command line, or the files, one a line."""

    call_id: str
    name: str
    seq: int
    approval: str = ""
    pending: bool = False
    family: str = ""
    subject: str = ""


@dataclass(frozen=True, slots=True)
class Command:
    command: str
    seq: int
    exit_code: int | None
    is_error: bool


@dataclass(frozen=True, slots=True)
class Denial:
    call_id: str
    tool: str
    reason: str
    seq: int


@dataclass(frozen=True, slots=True)
class CompactionMark:
    """A compaction in force: `summary_seq` is the event that carries its text (0: none was recorded)."""

    seq: int
    covers_to: int
    summary_seq: int
    by: str
    before_tokens: int | None = None
    after_tokens: int | None = None
    step: int = 0  # model calls before it: a summary belongs to the boundary of the same step


@dataclass(frozen=True, slots=True)
class SessionState:
    """State after the event `seq`. `weight` is the running size of projected content, the measure that edges use."""

    seq: int = 0
    agent: str = ""
    model: str = ""
    cwd: str = ""
    language: str = ""  # en, zh or empty: what the user writes
    turn: int = 0
    step: int = 0  # model calls seen so far
    step_message_id: str = ""
    step_open: bool = False  # the next part without a message id still belongs to this call
    recent_message_ids: tuple[str, ...] = ()  # the newest calls, whose late parts are no new call
    turn_fresh: bool = False  # the turn began and the model has not answered yet
    phase: str = ""
    phase_explicit: bool = False
    goal: Goal | None = None
    user_seqs: tuple[int, ...] = ()  # the first and the newest user messages, at most MAX_INDEXED
    constraints: tuple[Constraint, ...] = ()
    files: tuple[FileState, ...] = ()
    open_calls: tuple[Call, ...] = ()
    first_untrusted_seq: int = 0  # the first event whose text is quoted, never obeyed; a summary over it is no better
    has_modified: bool = False  # a file was changed, though `files` may have forgotten which
    batch_seqs: tuple[
        int, ...
    ] = ()  # the calls of the newest answer that made any, then their results, at most MAX_BATCH
    batch_step: int = 0  # the model call that gave that answer
    commands: tuple[Command, ...] = ()
    denials: tuple[Denial, ...] = ()
    plan: tuple[tuple[str, str], ...] = ()  # (text, status)
    plan_seq: int = 0
    latest_observation_seq: int = 0
    latest_failure_seq: int = 0
    latest_failure: str = ""
    compaction: CompactionMark | None = None  # the newest one that was not withdrawn
    earlier_compactions: tuple[CompactionMark, ...] = ()  # newest last, at most MAX_MARKS
    compaction_count: int = 0
    cleared_calls: tuple[str, ...] = ()  # results another harness cleared, newest MAX_INDEXED
    instruction_seqs: tuple[int, ...] = ()  # instructions.loaded in force, one per identity
    instruction_ids: tuple[str, ...] = ()  # their identities, in the same order
    instructions_lost: int = 0  # files over MAX_INDEXED, the weakest and oldest
    called_tools: tuple[str, ...] = ()  # names, each once, at most MAX_CALLED_TOOLS of the latest to be new
    tools_seqs: tuple[int, ...] = ()  # tools.available in force since the latest `set`
    resource_seqs: tuple[int, ...] = ()
    resource_ids: tuple[str, ...] = ()
    retrieval_seq: int = 0
    weight: int = 0
    redacted: tuple[tuple[int, int], ...] = ()
    ended: bool = False

    @property
    def summary_mark(self) -> CompactionMark | None:
        """The newest compaction that left a summary: the one a transcript may honour."""
        marks = (*self.earlier_compactions, self.compaction)
        return next((mark for mark in reversed(marks) if mark and mark.summary_seq), None)

    def indexed_seqs(self) -> tuple[int, ...]:
        """The events a build needs besides the tail: instructions, tools, resources, summary, goal, retrieval, the calls that
        still wait for a result, and the newest calls with theirs, whose weight together may exceed any tail."""
        found = {*self.instruction_seqs, *self.tools_seqs, *self.resource_seqs, self.retrieval_seq}
        if self.goal:
            found |= {self.goal.seq, self.goal.latest_seq}
        if mark := self.summary_mark:
            found |= {mark.summary_seq, mark.seq}
        found |= {call.seq for call in self.open_calls}
        found |= {*self.user_seqs, *self.batch_seqs}
        return tuple(sorted(seq for seq in found if seq))

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> SessionState:
        """The state that `to_dict` wrote; also after a trip through JSON."""
        made: dict[str, Any] = dict(stored)
        for name, kind in _NESTED.items():
            made[name] = tuple(kind(**entry) for entry in stored[name])
        made["earlier_compactions"] = tuple(CompactionMark(**entry) for entry in stored["earlier_compactions"])
        for name in ("plan", "redacted"):
            made[name] = tuple(tuple(entry) for entry in stored[name])
        for name, optional in (("goal", Goal), ("compaction", CompactionMark)):
            made[name] = optional(**stored[name]) if stored[name] else None
        for column in fields(cls):
            if isinstance(made[column.name], list):
                made[column.name] = tuple(made[column.name])
        return cls(**made)


_NESTED: dict[str, Any] = {
    "constraints": Constraint,
    "files": FileState,
    "open_calls": Call,
    "commands": Command,
    "denials": Denial,
}
