"""A source as a value: something that could enter the context, the forms it can take and, if it may not enter, why.

Collectors make sources; nothing here decides. A source never reads the log again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from contextapp.engine.reasons import Reason
from contextapp.engine.values import Action, Bucket, Mode, Trust

# Who keeps its tokens inside a bucket, strongest first (DESIGN 4.7). Rank is not position.
RANK_SAFETY = 1
RANK_INSTRUCTIONS = 2
RANK_GOAL = 3
RANK_STATE = 4
RANK_LATEST = 5
RANK_TAIL = 6
RANK_EVIDENCE = 7
RANK_RESOURCES = 8
RANK_MEMORY = 9
RANK_OLDER = 10


@dataclass(frozen=True, slots=True)
class Form:
    """One way a source can stand in the request. `reason` None: the source's own reason to be there."""

    text: str
    mode: Mode = Mode.FULL
    action: Action = Action.KEEP
    reason: Reason | None = None
    detail: str = ""
    calls: tuple[tuple[str, str, str], ...] = ()  # (id, name, arguments) of an assistant's message


# The ladder of DESIGN 4.5 above "exclude", cheapest loss first.
STALE, OLD, EXCERPT, REFERENCE = "stale", "old", "excerpt", "reference"
Rung = tuple[
    str, Callable[[], Form | None]
]  # its name and the form, made when asked for and once; None where there is none


@dataclass(frozen=True, slots=True)
class Place:
    """Where an atom stands in the log: what its sources' age and rights are judged by.

    group: its first event; ends: the log's weight where it ends. Edges compare with that.
    """

    group: int = 0
    ends: int = 0
    rank: int = RANK_OLDER
    latest_seq: int = 0  # the latest observation, where the atom holds it
    is_open: bool = False
    is_newest_message: bool = False
    is_anchor: bool = False

    @property
    def is_pinned(self) -> bool:
        return self.is_open or self.is_newest_message


@dataclass(frozen=True, slots=True)
class Source:
    """A candidate. `form` is the fullest form allowed; `ladder` leads down to cheaper ones.

    refusal: the gate that turned it away; its form is then never shown. title: how headers and pages call it.
    group: the atom it belongs to (its first event); sources of one group stay or go together. 0: it stands alone.
    ends: the log's weight where its atom ends; stale_ends: where the event ends that made it stale. Edges compare with these.
    """

    id: str
    kind: str
    bucket: Bucket
    rank: int
    trust: Trust
    reason: Reason
    form: Form
    role: str = "user"
    part: str = ""
    title: str = ""
    events: tuple[int, int] | None = None
    pinned: bool = False  # part of the floor
    is_anchor: bool = False  # keeps its place before the window's start
    compressible: bool = True
    family: str = ""  # of the tool whose result it is
    fence_label: str = ""  # not empty: quoted, never obeyed
    whole: str = ""  # the text before any reduction, where `form` holds less than that
    recorded_of: int = 0  # characters of the content, where its event holds only a part of them
    ladder: tuple[Rung, ...] = field(default=(), compare=False)
    refusal: Reason | None = None
    displaced_by: str = ""
    call_id: str = ""
    tools: tuple[Mapping[str, Any], ...] = ()
    group: int = 0
    count: int = 1
    weight: int = 0  # of sources that are summed up: nobody counted their tokens
    ends: int = 0
    stale_ends: int = 0

    def lower(self, name: str) -> Form | None:
        """The form on that rung of the ladder, if there is one."""
        for rung, make in self.ladder:
            if rung == name:
                return make()
        return None
