"""Events that the state names by number, found among a build's inputs. A missing one is an error, never a silent gap."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from operator import attrgetter

from contextapp.engine.errors import InvalidInput
from contextapp.engine.events import Event
from contextapp.engine.inputs import BuildInputs

_seq = attrgetter("seq")


def named_events(inputs: BuildInputs, seqs: Iterable[int]) -> tuple[Event, ...]:
    """The events of these numbers, in the order of the numbers given."""
    found = []
    for seq in seqs:
        event = _find(inputs.events, seq) or _find(inputs.indexed, seq)
        if event is None:
            raise InvalidInput(
                f"event {seq} of session {inputs.session_id!r} is named by its state and was not given; "
                f"load state.indexed_seqs() into `indexed`"
            )
        found.append(event)
    return tuple(found)


def _find(events: Sequence[Event], seq: int) -> Event | None:
    place = bisect_left(events, seq, key=_seq)
    return events[place] if place < len(events) and events[place].seq == seq else None
