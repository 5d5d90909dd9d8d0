"""What may be summarised now: a prefix of closed atoms behind the tail, and whether that is worth it. Makes no summary.

The price is asked before anything is made, as Google's ADK does: what the range holds against what a summary came to last time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from contextapp.engine.events import SESSION_COMPACTED, Event
from contextapp.engine.projection.atoms import Atom
from contextapp.engine.projection.payloads import payload_of, text_of
from contextapp.engine.projection.state import SessionState
from contextapp.engine.projection.transcript import assemble
from contextapp.engine.tokens import weight

NOTHING_CLOSED, TOO_LITTLE = "nothing_closed", "too_little_to_gain"


@dataclass(frozen=True, slots=True)
class Setting:
    """`tail_messages`: how many of the newest messages stay as they are. `least_gain`: rough tokens below which a summary is
    not worth its place. `usual`: what one comes to while there was none yet."""

    tail_messages: int = 12
    least_gain: int = 1_000
    usual: int = 600


DEFAULT = Setting()


@dataclass(frozen=True, slots=True)
class Plan:
    """The summary stands for events 1 to `last_seq`; `atoms` are those since the earlier summary. Weights are rough tokens."""

    last_seq: int
    atoms: tuple[Atom, ...]
    earlier: Event | None  # the summary in force, which the new one takes up
    weight: int
    expected: int

    @property
    def gain(self) -> int:
        return self.weight - self.expected


@dataclass(frozen=True, slots=True)
class NotPlanned:
    """Why nothing is summarised: a code, and what there is to say."""

    code: str
    detail: str


def plan(state: SessionState, events: Sequence[Event], setting: Setting = DEFAULT) -> Plan | NotPlanned:
    """`events`: the log after the summary in force (all of it where there is none), with that summary's own event."""
    mark = state.summary_mark
    earlier = next((event for event in events if mark and event.seq == mark.summary_seq), None)
    covered = mark.covers_to if mark and earlier else 0
    atoms = [
        atom
        for atom in assemble([event for event in events if event.seq > covered], state).atoms
        if atom.kind != "summary" and atom.last_seq > covered
    ]
    closed = _closed(atoms, state, setting)
    if not closed:
        return NotPlanned(NOTHING_CLOSED, f"all {len(atoms)} atoms since event {covered} are open, asked for or recent")
    held = sum(map(atom_weight, closed))
    before = 0 if earlier is None else weight(text_of(payload_of(earlier), "summary"))
    made = Plan(
        last_seq=max(atom.last_seq for atom in closed),
        atoms=tuple(closed),
        earlier=earlier,
        weight=held + before,
        expected=max(before, setting.usual),
    )
    if made.gain < setting.least_gain:
        return NotPlanned(
            TOO_LITTLE,
            f"events {closed[0].first_seq} to {made.last_seq} weigh {held} tokens, a summary of them about "
            f"{made.expected - before} more; at least {setting.least_gain} have to be saved",
        )
    return made


def atom_weight(atom: Atom) -> int:
    return sum(
        weight(message.text) + weight(message.thinking) + sum(weight(call.arguments) for call in message.calls)
        for message in atom.messages
    )


def _closed(atoms: Sequence[Atom], state: SessionState, setting: Setting) -> list[Atom]:
    """The longest prefix without anything open, unanswered, latest or recent, that no later atom reaches into."""
    end = min(
        _before_tail(atoms, setting.tail_messages),
        _before_unanswered(atoms),
        *(place for place, atom in enumerate(atoms) if atom.is_open or _is_latest(atom, state)),
        len(atoms),
    )
    while end > 0 and end < len(atoms):
        last = max(atom.last_seq for atom in atoms[:end])
        if all(atom.first_seq > last for atom in atoms[end:]):
            break
        end -= 1
    return list(atoms[:end])


def _is_latest(atom: Atom, state: SessionState) -> bool:
    return any(
        message.role == "tool" and message.first_seq <= state.latest_observation_seq <= message.last_seq
        for message in atom.messages
    )


def _before_tail(atoms: Sequence[Atom], messages: int) -> int:
    place, held = len(atoms), 0
    while place > 0 and held + len(atoms[place - 1].messages) <= messages:
        place -= 1
        held += len(atoms[place].messages)
    return place


def _before_unanswered(atoms: Sequence[Atom]) -> int:
    """The place of the first of the user's messages at the end that no answer follows."""
    place = len(atoms)
    while place > 0 and atoms[place - 1].kind == "user":
        place -= 1
    return place


def is_summary(event: Event) -> bool:
    return event.type == SESSION_COMPACTED and bool(text_of(payload_of(event), "summary").strip())
