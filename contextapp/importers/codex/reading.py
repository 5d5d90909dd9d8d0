"""What one record says, before it is placed in its session: a value, so that a line that fails halfway leaves no trace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from contextapp.importers.codex.usage import Bill
from contextapp.importers.contract import Json
from contextapp.importers.identity import Fact


class Effect(Enum):
    """What a record does to turns and model calls, beside its facts."""

    NONE = "none"
    TURN_STARTS = "turn starts"
    TURN_ENDS = "turn ends"
    PROMPT = "prompt"  # a person speaks: opens a turn where nothing else has
    ANSWER = "answer"  # a thought or text of the model
    CALL = "call"  # a tool call of the model
    RESULT = "result"
    COMPACTION = "compaction"
    BILL = "bill"


class Copy(Enum):
    """What a record repeats that stands elsewhere; it produces only if the other is missing."""

    NONE = "none"
    PROMPT = "prompt"
    COMPACTION = "compaction"
    FILES = "files"
    INSTRUCTIONS = "instructions"
    HEAD = "head"


@dataclass(frozen=True, slots=True)
class OpenCall:
    """A call that waits for its result: what the result's own record does not repeat."""

    call_id: str
    name: str
    input: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reading:
    """Facts in order. Without facts the line is folded, for the reason `folded`. `said` is a person's text, or the text of
    instructions, to know its copy by."""

    facts: tuple[Fact, ...] = ()
    folded: str = ""
    effect: Effect = Effect.NONE
    copy: Copy = Copy.NONE
    said: tuple[str, ...] = ()
    opened: OpenCall | None = None
    closed: str = ""
    bill: Bill | None = None
    turn_id: str = ""
    title: str = ""
    is_given_title: bool = False
    model: str = ""


Calls = Mapping[str, OpenCall]


def folded(reason: str) -> Reading:
    return Reading(folded=reason)
