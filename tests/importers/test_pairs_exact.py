"""What stood in the window at a recorded call is what its request held, text for text: read anew from the request, by hand."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from contextapp.engine.events import Event
from contextapp.engine.inputs import ModelProfile
from contextapp.engine.observed.window import ObservedWindow
from contextapp.engine.projection.calls import is_model_part
from contextapp.engine.values import Method
from contextapp.importers.arrays.formats import parse_pairs
from contextapp.importers.contract import Source
from contextapp.importers.otlp.attributes import read_json

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data" / "provider_pairs"
FILES = sorted(FOLDER.glob("*.jsonl"))
PLAIN = {
    "text",
    "tool_use",
    "tool_result",
    "input_text",
    "output_text",
    "message",
    "function_call",
    "function_call_output",
}

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not FILES, reason=f"the recorded requests are not at {FOLDER}"),
]


class Listening:
    """Counts the characters that are no space, and remembers what it was asked to count."""

    name = "listening"
    method = Method.ESTIMATED
    is_exact = False

    def __init__(self) -> None:
        self.heard: list[str] = []

    def count(self, text: str) -> int:
        self.heard.append(squeezed(text))
        return len(self.heard[-1])


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


def written(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def window_of(line: bytes) -> str:
    """Everything in the window right before the last answer of the pair."""
    drafts = [draft for one in parse_pairs(Source("/pairs.jsonl", io.BytesIO(line))) for draft in one.drafts]
    told = [Event(seq, one.type, one.payload, visibility=one.visibility) for seq, one in enumerate(drafts, start=1)]
    answer = next(event.payload["message_id"] for event in reversed(told) if is_model_part(event))
    window = ObservedWindow()
    for event in told:
        if event.payload.get("message_id") == answer and is_model_part(event):
            break
        window.feed(event)
    counter = Listening()
    ledger = window.ledger(1, None, 1.0, counter, ModelProfile("m", 200_000, 0))
    heard, total = "", sum(row.after_tokens for row in ledger.rows if row.after_tokens)
    for text in counter.heard:
        if len(heard) < total:
            heard += text
    return heard


def expected(request: dict[str, Any]) -> str:
    standing = [text for name in ("system", "instructions") for text in texts(request.get(name))]
    messages = request.get("messages", request.get("input"))
    messages = [{"role": "user", "content": messages}] if isinstance(messages, str) else messages
    standing += [
        text for one in messages if one.get("role") in ("system", "developer") for text in texts(one["content"])
    ]
    for tool in request.get("tools") or ():
        inner = tool.get("function", tool)
        schema = inner.get("parameters") or inner.get("input_schema") or {}
        shown = {"name": inner["name"], "description": inner.get("description") or "", "schema": schema}
        standing.append(written(shown))
    said = [text for one in messages if one.get("role") not in ("system", "developer") for text in message_texts(one)]
    return squeezed("".join(standing) + "".join(said))


def texts(content: Any) -> Iterator[str]:
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, dict) and part.get("type") == "tool_reference":
            yield f"[tool reference: {part['tool_name']}]"
        elif isinstance(part, dict):
            yield part.get("text") or ""
        elif part:
            yield part


def message_texts(message: dict[str, Any]) -> Iterator[str]:
    results, words, calls = [], [], []
    parts = message.get("content")
    for part in parts if isinstance(parts, list) else [parts]:
        kind = part.get("type") if isinstance(part, dict) else "text"
        if kind == "tool_result":
            results += list(texts(part.get("content")))
        elif kind == "tool_use":
            calls.append(f"{part['name']} {written(part['input'])}")
        else:
            words += list(texts(part))
    if message.get("type") == "function_call":
        calls.append(f"{message['name']} {written(read_json(message['arguments']) or {})}")
    if message.get("type") == "function_call_output":
        results += list(texts(message["output"]))
    for call in message.get("tool_calls") or ():
        calls.append(f"{call['function']['name']} {written(read_json(call['function']['arguments']) or {})}")
    thoughts = texts(message.get("reasoning_content") or message.get("reasoning"))
    yield from (*results, *thoughts, *words, *calls)


def is_plain(request: dict[str, Any]) -> bool:
    """Nothing but texts, calls and results: no tool of the provider, no picture, and no thoughts of a closed turn, which the
    window takes to be dropped, as one provider does."""
    messages = request.get("messages", request.get("input"))
    if isinstance(messages, str):
        messages = []
    parts = [part for one in messages for part in (one.get("content") if isinstance(one.get("content"), list) else [])]
    prompts = [place for place, one in enumerate(messages) if one.get("role") == "user"]
    if any(one.get("reasoning_content") or one.get("reasoning") for one in messages[: max(prompts, default=0)]):
        return False
    kinds = {one.get("type", "message") for one in messages} | {part.get("type") for part in parts}
    tools = request.get("tools") or ()
    declared = all(isinstance(tool.get("function", tool).get("name"), str) for tool in tools)
    return kinds <= PLAIN and declared and all("input_schema" in one or one.get("type") == "function" for one in tools)


@pytest.mark.parametrize("path", FILES or [Path()], ids=[path.name for path in FILES] or ["none"])
def test_the_window_at_a_recorded_call_is_its_request(path: Path) -> None:
    checked, different = 0, []
    for number, line in enumerate(path.read_bytes().splitlines(keepends=True), start=1):
        request = json.loads(line)["request"]
        if not is_plain(request) or "functions" in request:
            continue
        checked += 1
        if window_of(line) != expected(request):
            different.append(number)

    assert different == []
    assert checked > 100
