"""Every recorded rollout: each line accounted for, nothing lost, and the figures that the file itself tells."""

from __future__ import annotations

import io
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from contextapp.engine.events import Event
from contextapp.engine.ledger import Row
from contextapp.engine.observed import ObservedWindow
from contextapp.engine.values import Method
from contextapp.importers.codex.parser import parse
from contextapp.importers.contract import Disposition, ParsedLine, Source
from contextapp.importers.recognise import HEAD_BYTES, recognise
from tests.engine.observed.windows import PROFILE
from tests.importers.parsing import events_of

DATA = Path(__file__).resolve().parents[4] / "shared" / "data" / "codex_cli"
FILES = sorted(DATA.rglob("*.jsonl"))
COMPACTED = [path for path in FILES if b'"type":"compacted"' in path.read_bytes()]

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not FILES, reason=f"the recorded rollouts are not at {DATA}"),
]


class Texts:
    """Counts a text as its number in a list, so that a row's tokens tell which text it holds."""

    name = "texts"
    method = Method.ESTIMATED

    def __init__(self) -> None:
        self._known: list[str] = [""]

    def count(self, text: str) -> int:
        if text not in self._known:
            self._known.append(text)
        return self._known.index(text)

    def of(self, row: Row) -> str:
        return self._known[row.after_tokens]


def parsed(path: Path) -> list[ParsedLine]:
    return list(parse(Source(str(path), io.BytesIO(path.read_bytes()))))


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


@pytest.mark.parametrize("path", FILES or [Path()], ids=lambda path: path.name)
def test_every_line_of_a_rollout_is_accounted_for_and_read_twice_alike(path: Path) -> None:
    lines, again = parsed(path), parsed(path)

    fates = Counter(line.disposition for line in lines)
    assert sum(fates.values()) == len(path.read_bytes().splitlines())
    assert fates[Disposition.QUARANTINED] == 0
    assert all(line.drafts or line.reason for line in lines)
    assert [event.event_id for event in events_of(lines)] == [event.event_id for event in events_of(again)]


@pytest.mark.parametrize("path", FILES or [Path()], ids=lambda path: path.name)
def test_a_recorded_rollout_holds_nothing_unknown_and_a_shorter_snapshot_is_its_beginning(path: Path) -> None:
    body = path.read_bytes()
    found = recognise(body[:HEAD_BYTES], str(path))

    whole = events_of(parsed(path))

    assert found is not None and found.name == "codex_cli"
    assert [event.payload for event in whole if event.type == "import.unknown"] == []
    assert len({event.event_id for event in whole}) == len(whole)
    for share in (0.3, 0.77):
        part = events_of(list(parse(Source(str(path), io.BytesIO(body[: int(len(body) * share)])))))
        assert part == whole[: len(part)]


@pytest.mark.parametrize("path", FILES or [Path()], ids=lambda path: path.name)
def test_tokens_are_those_of_the_distinct_totals_that_are_its_own(path: Path) -> None:
    lines = parsed(path)
    billed: list[int] = []
    total: object = None
    for record, line in zip(records(path), lines, strict=True):
        info = record["payload"].get("info") if record["payload"].get("type") == "token_count" else None
        if info and info["total_token_usage"] != total:
            total = info["total_token_usage"]
            if line.reason != "replayed":
                billed.append(info["last_token_usage"]["input_tokens"])

    reported = [event.payload for event in events_of(lines) if event.type == "usage.reported"]

    exact = [usage for usage in reported if usage["quality"] == "exact"]
    assert sum(usage["input_uncached"] + usage["cache_read"] + usage["cache_write"] for usage in exact) == sum(billed)
    assert len(exact) == len(billed)
    assert len({usage["message_id"] for usage in exact}) == len(exact)


def test_a_counter_that_was_reset_loses_no_tokens() -> None:
    usage = [
        each.payload for each in events_of(parsed(DATA / "v0400_usage_reset.jsonl")) if each.type == "usage.reported"
    ]

    tokens = sum(each["input_uncached"] + each["cache_read"] + each["cache_write"] + each["output"] for each in usage)
    assert tokens == 1_400_951


@pytest.mark.parametrize("path", COMPACTED or [Path()], ids=lambda path: path.name)
def test_the_observed_window_after_a_compaction_is_the_recorded_history(path: Path) -> None:
    """Instructions stand beside the conversation, so every text of the history must be in a row of its own, once."""
    window, texts, seq, compared = ObservedWindow(), Texts(), 0, 0
    for record, line in zip(records(path), parsed(path), strict=True):
        for draft in line.drafts:
            seq += 1
            window.feed(Event(seq, draft.type, draft.payload, visibility=draft.visibility))
        if record["type"] != "compacted":
            continue
        compared += 1
        rows = [row for row in window.ledger(1, None, 1.0, texts, PROFILE).rows if row.is_included]
        instructions = {texts.of(row) for row in rows if row.source_kind == "instruction"}
        history = [
            (item["role"], part["text"])
            for item in record["payload"]["replacement_history"]
            if item["type"] == "message"
            for part in item["content"]
        ]
        sent = [(row.role, texts.of(row)) for row in rows if row.source_kind not in ("instruction", "tool")]
        assert sent == [(role, text) for role, text in history if text not in instructions]
    assert compared
