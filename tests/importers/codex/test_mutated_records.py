"""Rollout lines with random parts replaced or missing: never an exception, one fate per line, every payload storable."""

from __future__ import annotations

import random

import pytest

from contextapp.evidence import canonical
from contextapp.importers.codex.parser import parse
from tests.importers.codex.rollouts import (
    PARENT,
    Line,
    bill,
    call,
    context,
    ends,
    event,
    head,
    item,
    line,
    message,
    result,
    starts,
    thought,
)  # fmt: skip
from tests.importers.codex.test_compaction import COMPACTED
from tests.importers.codex.test_lines import BARE
from tests.importers.parsing import events_of, read, to_lines
from tests.importers.test_mutated_records import mutated

PICTURE = {"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo="}
STEP = {"step": "Read", "status": "completed"}
RECORDS: tuple[Line, ...] = (
    head(
        forked_from_id=PARENT, base_instructions={"text": "x"}, dynamic_tools=[{"name": "t", "tools": [{"name": "u"}]}]
    ),
    head(PARENT, source={"subagent": {"thread_spawn": {"parent_thread_id": "p"}}}),
    starts(),
    context(),
    line("world_state", {"full": True, "state": {"agents_md": {"directory": "/w", "text": "Be brief."}}}),
    item("message", role="user", content=[{"type": "input_text", "text": "Fix it"}, PICTURE]),
    event("user_message", message="Fix it"),
    thought("hm"),
    message("Done.", "assistant", phase="final_answer"),
    call("c1"),
    item("custom_tool_call", name="apply_patch", call_id="c2", input="*** Begin Patch"),
    event("patch_apply_end", call_id="c2", success=True, changes={"/a": {"type": "add"}, "/b": {"move_path": "/c"}}),
    item("custom_tool_call_output", call_id="c2", output="Success. Updated the following files:\nA a.py\n"),
    result("c1", [{"type": "input_text", "text": "x"}, PICTURE]),
    result("c1", {"content": "x", "success": False}),
    result("c1", '{"output": "x", "metadata": {"exit_code": 1}}'),
    item("function_call", name="update_plan", call_id="c3", arguments={"plan": [STEP]}),
    result("c3", "Plan updated"),
    item("local_shell_call", call_id="c4", action={"type": "exec", "command": ["ls"]}),
    item("web_search_call", status="completed", action={"type": "search"}),
    item("tool_search_output", call_id="c5", tools=[{"name": "t"}]),
    item("agent_message", author="a", content=[{"type": "input_text", "text": "x"}]),
    bill(900, 900, cached=3),
    COMPACTED,
    event("context_compacted"),
    event("error", error={"message": "x", "status": 500}),
    event("turn.completed", usage={"input_tokens": 5, "output_tokens": 1}),
    event("turn_aborted", reason="interrupted"),
    event("thread_name_updated", thread_name="x"),
    ends(),
    line("new_kind", {"a": 1}),
    *BARE,
)


@pytest.mark.parametrize("seed", range(40))
def test_mutated_rollouts_are_read_or_quarantined(seed: int) -> None:
    chance = random.Random(seed)
    made = [one if chance.random() < 0.2 else mutated(one, chance) for one in RECORDS * 3]

    lines = read(to_lines(*made), "rollout.jsonl", parse)

    assert len(lines) == len(made)
    assert all(bool(line.reason) != bool(line.drafts) for line in lines)
    for found in events_of(lines):
        canonical.encode(found.payload)
