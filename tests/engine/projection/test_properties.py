"""What holds for any log whatever, also for one that no writer should write."""

from __future__ import annotations

import json
import os

from hypothesis import given, settings
from hypothesis import strategies as st

from contextapp.engine.events import Event
from contextapp.engine.projection import state as caps
from contextapp.engine.projection.atoms import Transcript
from contextapp.engine.projection.calls import is_model_part, model_call_key
from contextapp.engine.projection.fold import advance, event_weight, project
from contextapp.engine.projection.state import SessionState
from contextapp.engine.projection.transcript import PROJECTED, assemble, stale_reads
from contextapp.engine.projection.weights import MOST
from tests.engine.logs import soups

EXAMPLES = int(os.environ.get("ENGINE_EXAMPLES", "8"))  # more of them before a release


@settings(max_examples=2 * EXAMPLES)
@given(soups(), st.integers(0, 40))
def test_folding_in_two_parts_is_folding_at_once(events: list[Event], cut: int) -> None:
    whole = project(events)

    assert advance(project(events[:cut]), events[cut:]) == whole
    assert advance(whole, events) == whole


@settings(max_examples=2 * EXAMPLES)
@given(soups())
def test_a_state_survives_json_and_goes_on_from_there(events: list[Event]) -> None:
    state = project(events)

    stored = json.loads(json.dumps(state.to_dict()))

    assert SessionState.from_dict(stored) == state
    assert "\0" not in json.dumps(stored).replace("\\u0000", "\0")


@settings(max_examples=EXAMPLES)
@given(soups(), st.integers(2, 12))
def test_a_state_stays_capped_however_long_the_log(events: list[Event], times: int) -> None:
    repeated = [Event(seq, event.type, event.payload) for seq, event in enumerate(events * times, start=1)]

    state = project(repeated)

    assert len(state.files) <= caps.MAX_FILES
    assert len(state.commands) <= caps.MAX_COMMANDS
    assert len(state.denials) <= caps.MAX_DENIALS
    assert len(state.constraints) <= caps.MAX_CONSTRAINTS
    assert len(state.open_calls) <= caps.MAX_OPEN_CALLS
    assert len(state.plan) <= caps.MAX_PLAN
    assert len(state.recent_message_ids) <= caps.MAX_MESSAGE_IDS
    assert len(state.earlier_compactions) <= caps.MAX_MARKS
    for seqs in (
        state.user_seqs,
        state.instruction_seqs,
        state.tools_seqs,
        state.resource_seqs,
        state.cleared_calls,
        state.redacted,
    ):
        assert len(seqs) <= caps.MAX_INDEXED


@settings(max_examples=2 * EXAMPLES)
@given(soups())
def test_the_weight_is_the_sum_of_what_each_event_adds(events: list[Event]) -> None:
    weights = [event_weight(event) for event in events]

    assert project(events).weight == sum(weights)
    assert all(0 <= weight <= MOST for weight in weights)
    assert all(weight == 0 for event, weight in zip(events, weights, strict=True) if event.visibility != "model")


@settings(max_examples=2 * EXAMPLES)
@given(soups())
def test_no_call_stands_without_its_result_unless_it_is_open_and_no_result_without_its_call(
    events: list[Event],
) -> None:
    state = project(events)

    made = assemble(events, state)

    for atom in made.atoms:
        calls = {call.seq for message in atom.messages for call in message.calls}
        answers = [message.call_seq for message in atom.messages if message.role == "tool"]
        assert len(answers) == len(set(answers))
        assert set(answers) <= calls
        if not atom.is_open:
            assert calls == set(answers)
        assert calls - set(answers) <= {call.seq for call in state.open_calls}
        assert all(message.role == "tool" for message in atom.messages[1:])


@settings(max_examples=2 * EXAMPLES)
@given(soups())
def test_every_projected_event_is_in_an_atom_or_refused(events: list[Event]) -> None:
    made = assemble(events, project(events))

    covered = _covered(made)
    for event in events:
        if event.type in PROJECTED and event.type not in ("permission.resolved", "session.compacted"):
            assert event.seq in covered, event
        if not event.is_known:
            assert event.seq in covered


def _covered(made: Transcript) -> set[int]:
    spans = [(message.first_seq, message.last_seq) for atom in made.atoms for message in atom.messages]
    spans += [(row.first_seq, row.last_seq) for row in made.refused]
    return {seq for first, last in spans for seq in range(first, last + 1)}


@settings(max_examples=2 * EXAMPLES)
@given(soups(), st.randoms(use_true_random=False))
def test_assembling_is_the_same_each_time_and_in_any_order_of_delivery(events: list[Event], chance: object) -> None:
    state = project(events)
    shuffled = [*events, *events[:3]]
    chance.shuffle(shuffled)  # type: ignore[attr-defined]

    made = assemble(events, state)

    assert assemble(events, state) == made
    assert assemble(shuffled, state) == made


@settings(max_examples=2 * EXAMPLES)
@given(soups())
def test_assembling_what_stands_refuses_nothing_more(drawn: list[Event]) -> None:
    # Which message a part without an id belongs to depends on its neighbours, and so on what is taken out.
    # A denial marks the result it stands beside, so it is left out too.
    named = [event for event in drawn if model_call_key(event) or not is_model_part(event)]
    events = [event for event in named if event.visibility == "model" and event.type != "permission.resolved"]
    state = project(events)
    repairs = {"orphan_result", "duplicate_result", "dead_call"}
    gone = {row.first_seq for row in assemble(events, state).refused if row.reason in repairs}

    again = assemble([event for event in events if event.seq not in gone], state)

    assert not repairs & {row.reason for row in again.refused}


@settings(max_examples=2 * EXAMPLES)
@given(soups())
def test_text_that_enters_a_transcript_can_be_encoded(events: list[Event]) -> None:
    made = assemble(events, project(events))

    for atom in made.atoms:
        for message in atom.messages:
            message.text.encode()
            message.thinking.encode()
            for call in message.calls:
                call.arguments.encode()


@settings(max_examples=2 * EXAMPLES)
@given(soups())
def test_a_read_is_superseded_only_by_a_later_call(events: list[Event]) -> None:
    stale = stale_reads(assemble(events, project(events)).atoms)

    assert all(seq < by for seq, by in stale.items())
