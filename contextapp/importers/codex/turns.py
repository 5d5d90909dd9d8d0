"""When a turn begins and ends: by its own events, or by the prompt where a version writes none. Never by a clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from contextapp.engine import events
from contextapp.importers.codex.reading import Effect, Reading
from contextapp.importers.identity import Fact


@dataclass(frozen=True, slots=True)
class Turning:
    """What stands before the facts of a record, and whether an open turn ends with it."""

    opening: tuple[Fact, ...] = ()
    ends: bool = False


class Turns:
    def __init__(self) -> None:
        self._is_open = self._has_own_events = self._is_answered = self._had_one = False

    def follow(self, reading: Reading, native: Callable[[], str]) -> Turning:
        match reading.effect:
            case Effect.TURN_STARTS:
                joins = self._is_open and not self._has_own_events and not self._is_answered  # its prompt came first
                return self._join() if joins else self._begin(reading.turn_id or native(), has_own_events=True)
            case Effect.TURN_ENDS:
                was_open, self._is_open = self._is_open, False
                return Turning(ends=was_open)
            case Effect.PROMPT if not self._is_open or (self._is_answered and not self._has_own_events):
                return self._begin(native(), has_own_events=False)
            case Effect.ANSWER | Effect.CALL:
                # The first answer of a file may follow a copied history instead of a prompt.
                begun = Turning() if self._had_one else self._begin(native(), has_own_events=False)
                self._is_answered = True
                return begun
        return Turning()

    def _join(self) -> Turning:
        self._has_own_events = True
        return Turning()

    def _begin(self, native_id: str, *, has_own_events: bool) -> Turning:
        closing = (Fact(events.TURN_COMPLETED, {"stop_reason": "next_prompt"}),) if self._is_open else ()
        self._is_open = self._had_one = True
        self._has_own_events, self._is_answered = has_own_events, False
        return Turning((*closing, Fact(events.TURN_STARTED, {"native_id": native_id})))
