"""What one record says, before it is placed in its session: a value, so that a line that fails halfway leaves no trace."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum

from contextapp.engine.observations.text import title_line
from contextapp.importers.contract import Json
from contextapp.importers.identity import Fact


class TitleRank(IntEnum):
    """A higher rank replaces a lower one; among equals the later one wins, except that a first prompt stays first."""

    NONE = 0
    COMMAND = 1
    COMMAND_WITH_WORDS = 2
    PROMPT = 3
    SUMMARY = 4
    GENERATED = 5
    GIVEN = 6


@dataclass(frozen=True, slots=True)
class OpenCall:
    """A call that still waits for its result: what the result's own record may not repeat."""

    call_id: str
    name: str
    path: str = ""
    has_native_id: bool = True


@dataclass(frozen=True, slots=True)
class Reading:
    """Facts in order, and what they mean for the session. Without facts the line is folded, for the reason `folded`."""

    facts: tuple[Fact, ...] = ()
    folded: str = ""
    starts_turn: bool = False
    ends_turn: bool = False
    is_model_call: bool = False
    opened: tuple[OpenCall, ...] = ()
    closed: tuple[str, ...] = ()
    title: str = ""
    title_rank: TitleRank = TitleRank.NONE
    model: str = ""


# The calls of the session that wait for a result, by id: a reader looks, it never changes them.
Calls = Mapping[str, OpenCall]
Reader = Callable[[Json, Calls], Reading]


def folded(reason: str) -> Reading:
    return Reading(folded=reason)


def first_line(text: str) -> str:
    """A title out of a text, short enough for a column."""
    return title_line(text)[:200]
