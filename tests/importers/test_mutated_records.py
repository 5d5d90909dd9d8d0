"""Records with random parts replaced or missing: never an exception, every line one disposition, every payload storable."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from contextapp.evidence import canonical
from contextapp.importers.contract import UnfitFile
from tests.importers.parsing import assistant, call, events_of, read, read_chat, record, result, to_lines, user

JUNK: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, "", "x", [], {}, [1], {"a": 1}, "\0", "\ud800", 10**30, [[]], ["x", None], "2026-01-01",
)  # fmt: skip
READ = {"filePath": "/a", "content": "x", "startLine": 1, "numLines": 2, "totalLines": 9}
EDIT = {"filePath": "/a", "oldString": "x", "newString": "y", "structuredPatch": [], "originalFile": None}
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}
RECORDS = (
    user("Fix it"),
    user([{"type": "text", "text": "see"}, IMAGE], 2),
    user("done", 3, isMeta=True, sourceToolUseID="c1", origin={"kind": "human"}),
    user("summary", 4, isCompactSummary=True),
    assistant({"type": "text", "text": "ok"}, 5),
    assistant({"type": "thinking", "thinking": "hm", "signature": "s"}, 6),
    assistant({"type": "web_search_tool_result", "tool_use_id": "w", "content": [{"type": "x"}]}, 7),
    assistant({"type": "text", "text": "API Error: 500"}, 8, model="<synthetic>", apiErrorStatus=500),
    call("c1", file_path="/a"),
    result("c1", "x", 9, toolUseResult={"type": "text", "file": READ}),
    result("c1", [{"type": "text", "text": "x"}, IMAGE, {"type": "tool_reference", "tool_name": "T"}], 10),
    result("c1", "Updated", 11, toolUseResult=EDIT | {"newTodos": [{"content": "a", "status": "b"}]}),
    result("c1", "x", 12, toolUseResult={"stdout": "x", "interrupted": False, "persistedOutputSize": 9}),
    record("system", 13, subtype="compact_boundary", compactMetadata={"trigger": "auto", "preTokens": 9}),
    record("system", 14, subtype="microcompact_boundary",
           microcompactMetadata={"trigger": "a", "preTokens": 9, "tokensSaved": 3, "compactedToolIds": ["c1"]}),
    record("system", 15, subtype="api_error", error={"formatted": "x", "status": 5}),
    record("system", 16, subtype="turn_duration", durationMs=5),
    record("attachment", 17, attachment={"type": "queued_command", "prompt": [{"type": "text", "text": "x"}]}),
    record("attachment", 18, attachment={"type": "hook_success", "hookEvent": "SessionStart", "content": "x"}),
    record("attachment", 19, attachment={"type": "diagnostics", "files": [{"uri": "u", "diagnostics": [{"message": 1}]}]}),
    record("attachment", 20, attachment={"type": "task_reminder", "content": [{"subject": "x", "status": "y"}]}),
    record("attachment", 21, attachment={"type": "deferred_tools_delta", "addedNames": ["x"], "removedNames": []}),
    record("attachment", 22, attachment={"type": "nested_memory", "path": "/a", "content": {"content": "x"}}),
    record("attachment", 23, attachment={"type": "file", "filename": "/a", "content": {"file": {"content": "x"}}}),
    user("side", 24, isSidechain=True, agentId="a", parentUuid=None),
    record("tool_use", 25, name="bash", input={"a": 1}),
    record("tool_result", 26, name="bash", output="x"),
    {"type": "ai-title", "aiTitle": "t", "sessionId": "s"},
)  # fmt: skip
CHAT = {
    "task_id": 1,
    "model": "m",
    "tools": [{"type": "function", "function": {"name": "f", "description": "d", "parameters": {}}}],
    "messages": [
        {"role": "system", "content": "s"},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}]},
        {"role": "assistant", "content": None, "reasoning_content": "r",
         "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c", "name": "f", "content": "x"},
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{"}},
        {"role": "function", "name": "f", "content": "x"},
    ],
}  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, below in inner:
        yield (*path, key)
        yield from places(below, (*path, key))


def mutated(value: Any, chance: random.Random) -> Any:
    made = copy.deepcopy(value)
    path = chance.choice(list(places(made)))
    holder = made
    for key in path[:-1]:
        holder = holder[key]
    if chance.random() < 0.25 and isinstance(holder, dict):
        del holder[path[-1]]
    else:
        holder[path[-1]] = copy.deepcopy(chance.choice(JUNK))
    return made


@pytest.mark.parametrize("seed", range(30))
def test_mutated_claude_code_records_are_read_or_quarantined(seed: int) -> None:
    chance = random.Random(seed)
    made = [one if chance.random() < 0.2 else mutated(one, chance) for one in RECORDS * 4]

    lines = read(to_lines(*made))

    assert len(lines) == len(made)
    assert all(bool(line.reason) != bool(line.drafts) for line in lines)
    for event in events_of(lines):
        canonical.encode(event.payload)


@pytest.mark.parametrize("seed", range(60))
def test_mutated_chats_are_read_or_refused(seed: int) -> None:
    chance = random.Random(seed)
    made = [mutated(mutated(CHAT, chance), chance) for _ in range(5)]

    try:
        lines = read_chat(json.dumps(made).encode()) + read_chat(to_lines(*made), "/runs/chat.jsonl")
    except UnfitFile:
        return

    assert all(bool(line.reason) != bool(line.drafts) for line in lines)
    for event in events_of(lines):
        canonical.encode(event.payload)
