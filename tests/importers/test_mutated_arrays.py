"""Arrays and pairs with random parts replaced or missing: never an exception, one disposition each, every payload storable."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from contextapp.evidence import canonical
from contextapp.importers.arrays.formats import parse_anthropic, parse_pairs, parse_responses
from contextapp.importers.contract import ParsedLine, UnfitFile
from contextapp.importers.recognise import recognise
from tests.importers.parsing import Parser, events_of, read, to_lines
from tests.importers.test_arrays import ANSWERS, ASK, CALL, CALLS, DONE, GIVES, RESULT, SAYS, THINKS
from tests.importers.test_mutated_records import mutated
from tests.importers.test_pairs import ANTHROPIC, CHAT, GEMINI, RESPONSES

TOOLS = [{"name": "weather", "input_schema": {}}, {"type": "namespace", "tools": [{"name": "a"}]}]
ADDS = {"role": "system", "content": [{"type": "tool_addition", "tool": {"tool_name": "weather"}}]}
GOES = {"role": "assistant", "content": [{"type": "compaction", "content": "s"}, {"type": "redacted_thinking"}]}
HOSTED = (
    {"type": "mcp_call", "id": "m", "name": "n", "arguments": "{}", "output": "x", "error": None},
    {"type": "image_generation_call", "id": "i", "status": "completed", "result": "aGk="},
    {"type": "tool_search_output", "tools": TOOLS, "call_id": None, "execution": "server"},
    {"type": "mcp_approval_response", "approval_request_id": "a", "approve": True},
    {"type": "custom_tool_call", "call_id": "c", "name": "n", "input": "x"},
)
CASES: tuple[tuple[Parser, Any], ...] = (
    (
        parse_anthropic,
        {"system": [{"type": "text", "text": "s"}], "tools": TOOLS, "messages": [ASK, CALL, RESULT, ADDS, GOES]},
    ),
    (parse_anthropic, [ASK, CALL, RESULT, DONE]),
    (parse_responses, {"instructions": "s", "tools": TOOLS, "input": [SAYS, THINKS, CALLS, GIVES, ANSWERS, *HOSTED]}),
    (parse_responses, [SAYS, {"object": "response", "output": [ANSWERS, CALLS], "usage": {"input_tokens": 1}}]),
    (parse_pairs, [CHAT, ANTHROPIC, RESPONSES]),
    (parse_pairs, [GEMINI]),
)


@pytest.mark.parametrize("case", range(len(CASES)))
@pytest.mark.parametrize("seed", range(40))
def test_mutated_arrays_are_read_or_quarantined(seed: int, case: int) -> None:
    chance = random.Random(f"{case}:{seed}")
    parser, value = CASES[case]
    made = [mutated(mutated(value, chance), chance) for _ in range(4)]

    lines: list[ParsedLine] = []
    for name, body in (("/a.json", json.dumps(made[0]).encode()), ("/a.jsonl", to_lines(*made))):
        try:
            lines += read(body, name, parser)
        except UnfitFile:
            continue
        recognise(body, name)

    assert all(bool(line.reason) != bool(line.drafts) for line in lines)
    for event in events_of(lines):
        canonical.encode(event.payload)
