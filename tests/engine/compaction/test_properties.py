"""Over random sessions: a summary loses no constraint, raises no trust and splits nothing; the next build is sound."""

from __future__ import annotations

import json
import os
from dataclasses import replace

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from contextapp.engine.builder import build
from contextapp.engine.compaction import Fate, Plan, Setting, Summary, plan, summarise, survival
from contextapp.engine.compaction.summary import sections_of
from contextapp.engine.compaction.survival import Duty, duty
from contextapp.engine.events import Event
from contextapp.engine.policy import IDENTITY, Policy
from contextapp.engine.projection.fold import project
from contextapp.engine.projection.state import SessionState
from contextapp.engine.request import anthropic, openai, responses
from contextapp.engine.values import Trust
from tests.engine.builder.streams import logs
from tests.engine.builder.worlds import CharCounter, Log, inputs_of

EXAMPLES = int(os.environ.get("ENGINE_EXAMPLES", "8")) * 5
Made = tuple[list[Event], SessionState, Plan, Duty, Summary]


@st.composite
def summaries(draw: st.DrawFn) -> Made:
    begun = _begun()
    events = [*begun, *(replace(event, seq=event.seq + len(begun)) for event in draw(logs()))]
    state = project(events)
    made = plan(state, events, Setting(tail_messages=draw(st.integers(0, 3)), least_gain=-(10**9)))
    assume(isinstance(made, Plan))
    assert isinstance(made, Plan)
    earlier = sections_of(made.earlier.payload.get("sections")) if made.earlier else {}
    lines = [(name, line) for name, held in earlier.items() for line in held]
    owed = duty(state, made.last_seq, lines, events)
    return events, state, made, owed, summarise(made, state, owed)


def _begun() -> list[Event]:
    """Something closed for a start, so that most sessions have a range to summarise."""
    log = Log()
    log.user("Make the tests pass. Never push to main.")
    for number in range(4):
        log.call("bash", f"{number} passed", command=f"pytest part{number}")
    return log.events


def event_of(events: list[Event], summary: Summary) -> Event:
    return Event(
        len(events) + 1,
        "session.compacted",
        {
            "part": "whole", "summary": summary.text(), "covers": [1, summary.last_seq], "trust": str(summary.trust),
            "sections": summary.to_dict(),
        },
    )  # fmt: skip


@given(summaries())
@settings(max_examples=EXAMPLES, deadline=None)
def test_no_constraint_and_no_modified_file_is_lost(made: Made) -> None:
    _, state, _, owed, summary = made

    fates = survival(summary, owed, state)

    assert all(fate.fate == Fate.VERBATIM for fate in fates if fate.kind == "constraint"), fates
    assert all(fate.fate != Fate.LOST for fate in fates)


@given(summaries())
@settings(max_examples=EXAMPLES, deadline=None)
def test_it_reads_back_equal_and_is_the_same_each_time(made: Made) -> None:
    _, state, planned, owed, summary = made

    assert summarise(planned, state, owed).text() == summary.text()
    assert sections_of(json.loads(json.dumps(summary.to_dict()))) == dict(summary.sections)


@given(summaries())
@settings(max_examples=EXAMPLES, deadline=None)
def test_the_build_after_it_is_sound_and_holds_every_constraint(made: Made) -> None:
    events, _, planned, _, summary = made
    after = [*events, event_of(events, summary)]

    built = build(inputs_of(after, window=10_000_000), Policy(baseline=IDENTITY), CharCounter())

    assert built.request is not None, built.overflow
    text = "\n".join(block.text for block in built.request.blocks)
    state = project(after)
    assert state.summary_mark is not None and state.summary_mark.covers_to == planned.last_seq
    assert all(" ".join(held.text.split()) in " ".join(text.split()) for held in state.constraints if held.confirmed)
    assert all(provider.validate(provider.render(built.request)) == () for provider in (openai, anthropic, responses))
    rows = [row for row in built.ledger.rows if row.source_kind == "summary"]
    assert all(row.trust != Trust.TRUSTED for row in rows)
    assert built.ledger.difference == 0


@given(summaries())
@settings(max_examples=EXAMPLES, deadline=None)
def test_what_is_open_is_not_under_it(made: Made) -> None:
    _, state, planned, _, _ = made

    assert all(call.seq > planned.last_seq for call in state.open_calls)
