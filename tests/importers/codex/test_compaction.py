"""A compaction keeps the history that the model got, message by message."""

from __future__ import annotations

from contextapp.engine.events import Event
from contextapp.engine.observed import ObservedWindow
from tests.engine.builder.worlds import CharCounter
from tests.engine.observed.windows import PROFILE
from tests.importers.codex.rollouts import bill, call, event, head, line, message, read_rollout, result, thought
from tests.importers.parsing import events_of, of_type, outcomes

PERMISSIONS = "<permissions instructions>\nAsk."
HISTORY = [
    message(PERMISSIONS, "developer")["payload"],
    message("Fix the parser")["payload"],
    message("I fixed half of it.", "assistant")["payload"],
    {"type": "compaction", "encrypted_content": "gAAAA"},
]
COMPACTED = line("compacted", {"message": "", "replacement_history": HISTORY})
BEFORE = (head(), message("Fix the parser"), thought(), call("c1"), bill(9000, 9000), result("c1", "long " * 100))


def test_the_new_history_is_kept_in_order_and_as_one_text() -> None:
    lines = read_rollout(*BEFORE, COMPACTED)

    found = of_type(lines, "session.compacted")[0]
    assert found["replacement"] == [
        {"role": "user", "text": "Fix the parser"},
        {"role": "assistant", "text": "I fixed half of it."},
        {"role": "compaction", "text": "", "redacted": True},
    ]
    assert found["summary"] == "Fix the parser\n\nI fixed half of it."
    assert (found["part"], found["by"], found["before_tokens"]) == ("whole", "codex", 9000)


def test_instructions_in_the_new_history_are_instructions_and_its_prompts_open_no_turn() -> None:
    lines = read_rollout(*BEFORE, COMPACTED)

    assert [draft.type for draft in lines[-1].drafts] == ["session.compacted", "instructions.loaded"]


def test_the_event_that_tells_of_it_again_is_folded() -> None:
    lines = read_rollout(*BEFORE, COMPACTED, bill(9000, 300), event("context_compacted"))

    assert outcomes(lines)[-2:] == [("folded", "repeated_usage"), ("folded", "repeated")]


def test_an_event_alone_is_a_boundary_without_a_summary() -> None:
    lines = read_rollout(*BEFORE, event("context_compacted"))

    assert of_type(lines, "session.compacted") == [{"part": "boundary", "by": "codex", "before_tokens": 9000}]


def test_before_histories_were_kept_the_message_is_the_summary() -> None:
    lines = read_rollout(*BEFORE, line("compacted", {"message": "Half is fixed."}))

    found = of_type(lines, "session.compacted")[0]
    assert (found["part"], found["summary"]) == ("whole", "Half is fixed.")
    assert "replacement" not in found


def test_a_call_after_a_compaction_is_a_new_one() -> None:
    lines = read_rollout(*BEFORE, COMPACTED, call("c2"))

    assert [found["message_id"] for found in of_type(lines, "tool.requested")] == ["call-1", "call-2"]


def test_the_observed_window_after_it_holds_the_new_history_and_nothing_else() -> None:
    window = ObservedWindow()
    for seq, draft in enumerate(events_of(read_rollout(*BEFORE, COMPACTED)), start=1):
        window.feed(Event(seq, draft.type, draft.payload, visibility=draft.visibility))

    rows = [row for row in window.ledger(1, None, 1.0, CharCounter(), PROFILE).rows if row.is_included]

    counter = CharCounter()
    assert [(row.role, row.after_tokens) for row in rows] == [
        ("system", counter.count(PERMISSIONS)),
        ("user", counter.count("Fix the parser")),
        ("assistant", counter.count("I fixed half of it.")),
    ]
