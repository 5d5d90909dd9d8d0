"""One message of Cline or Roo to the facts it states: Anthropic's blocks, files put beside a prompt, compactions, a bill in
words of its own. Changes nothing."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from contextapp.engine import events
from contextapp.importers import fields
from contextapp.importers.arrays import anthropic
from contextapp.importers.contract import Json
from contextapp.importers.conversation import Said
from contextapp.importers.identity import Fact
from contextapp.importers.otlp.attributes import count, read_json

_LATEST_MS = 4_102_444_800_000  # the year 2100


def moment_of(record: Json) -> datetime | None:
    """Milliseconds since 1970; what is none of the years we know is no time."""
    value = record.get("ts")
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < _LATEST_MS:
        return None
    return datetime.fromtimestamp(value / 1000, UTC)


def read_message(message: Json, index: int, native: str) -> Said:
    at = moment_of(message)
    path = f"messages[{index}]."
    blocks = anthropic.blocks_of(message, path)
    if summary := _summary(message, blocks):
        return Said((summary,), at=at)
    if message.get("role") == "assistant":
        model = fields.string(fields.mapping(message, "modelInfo", path=f"{path}modelInfo") or {}, "id")
        facts = anthropic.read_answer(blocks, native, path, model)
        return Said((*facts, *_bill(message, native, model, path)), at=at)
    files = [block for block in blocks if block.get("type") == "file"]
    rest = [block for block in blocks if block.get("type") != "file"]
    included = [_file(block, f"{native}:{number}", path) for number, block in enumerate(files)]
    spoken = anthropic.read_message({**message, "content": rest}, index, path, {}) if rest or not files else ()
    return Said((*spoken, *included), at=at)


def _summary(message: Json, blocks: list[Json]) -> Fact | None:
    """A message that stands for those before it is a compaction, never a person's words."""
    metadata = message.get("metadata")
    kind = metadata.get("kind") if isinstance(metadata, dict) else None
    if message.get("isSummary") is not True and kind not in ("compaction", "compaction_summary"):
        return None
    given = metadata.get("summary") if isinstance(metadata, dict) else None
    texts = [block["text"] for block in blocks if isinstance(block.get("text"), str)]
    text = given if isinstance(given, str) and given else "\n\n".join(texts)
    payload: Json = {"part": "whole", "summary": text, "by": "harness"}
    before = count(metadata, "tokensBefore", "usageBefore") if isinstance(metadata, dict) else None
    return Fact(events.SESSION_COMPACTED, payload | ({"before_tokens": before} if before else {}))


def _file(block: Json, native: str, path: str) -> Fact:
    place = fields.string(block, "path", path=f"{path}content.path")
    text = fields.string(block, "content", path=f"{path}content.content")
    payload = {"id": native, "kind": "file", "title": place.rpartition("/")[2], "path": place, "text": text}
    return Fact(events.RESOURCE_INCLUDED, payload | {"by": "user"})


def _bill(message: Json, native: str, model: str, path: str) -> tuple[Fact, ...]:
    """Here the input counts in what the cache gave and took."""
    metrics = fields.mapping(message, "metrics", path=f"{path}metrics")
    names = ("inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens")
    figures = [fields.count(metrics or {}, name, path=f"{path}metrics.{name}") or 0 for name in names]
    given, output, read, wrote = figures
    return (bill(max(given - read - wrote, 0), output, read, wrote, native, model, "exact"),) if any(figures) else ()


def bill(uncached: int, output: int, read: int, wrote: int, native: str, model: str, quality: str) -> Fact:
    payload = {"message_id": native, "model": model, "input_uncached": uncached, "cache_read": read}
    payload |= {"cache_write": wrote, "output": output, "reasoning": None, "quality": quality}
    return Fact(events.USAGE_REPORTED, payload)


def read_shown(record: Json) -> Said:
    """What Cline classic showed to a person. Only its bills say what the conversation beside it does not."""
    at = moment_of(record)
    kind = record.get("say") or record.get("ask")
    found: Any = read_json(record.get("text")) if kind in ("api_req_started", "deleted_api_reqs") else None
    if isinstance(found, dict):
        names = ("tokensIn", "tokensOut", "cacheReads", "cacheWrites")
        figures = [count(found, name) or 0 for name in names]
        if any(figures):
            given, output, read, wrote = figures
            return Said((bill(given, output, read, wrote, "", "", "cumulative"),), at=at)
    return Said(folded="shown_to_person", at=at)
