"""Every recorded transcript of our formats: no exception, every line accounted for, and longer files only append."""

from __future__ import annotations

import io
from collections import Counter
from pathlib import Path

import pytest

from contextapp.importers.contract import Disposition, ParsedEvent, ParsedLine, Source
from contextapp.importers.recognise import HEAD_BYTES, recognise

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
OURS = (
    "claude_code",
    "openai_chat",
    "provider_pairs",
    "swe_agent",
    "mini_swe_agent",
    "openhands_v0",
    "openhands_v1",
    "atif",
    "gemini_cli",
    "pi_agent",
    "claude_agent_sdk",
    "anthropic_managed_agents",
    "cline",
    "aider",
)
NO_TRANSCRIPTS = {"usage.json", "chat-history-search-replace-gold.txt"}  # bills alone, and blocks cut out of answers
FILES = sorted(
    path for folder in OURS for path in (DATA / folder).rglob("*") if path.is_file() and path.name not in NO_TRANSCRIPTS
)
IDS = [str(path.relative_to(DATA)) for path in FILES]
NEEDED = pytest.mark.skipif(not FILES, reason=f"the recorded transcripts are not at {DATA}")
EVERY = pytest.mark.parametrize("path", FILES or [Path()], ids=IDS or ["none"])

pytestmark = [pytest.mark.corpus, NEEDED]


def parsed(body: bytes, path: Path) -> list[ParsedLine]:
    found = recognise(body[:HEAD_BYTES], str(path))
    assert found is not None and found.name == path.relative_to(DATA).parts[0]
    return list(found.parse(Source(str(path), io.BytesIO(body))))


def events(lines: list[ParsedLine]) -> list[ParsedEvent]:
    return [event for line in lines for event in line.drafts]


@EVERY
def test_every_line_has_exactly_one_disposition(path: Path) -> None:
    body = path.read_bytes()

    lines = parsed(body, path)

    if path.suffix == ".jsonl":
        assert len(lines) == body.count(b"\n") + (not body.endswith(b"\n"))
    assert [line.line for line in lines] == list(range(1, len(lines) + 1))
    assert all(bool(line.drafts) == (line.disposition is Disposition.PRODUCED) for line in lines)
    assert all(line.reason for line in lines if line.disposition is not Disposition.PRODUCED)


@EVERY
def test_nothing_of_a_recorded_transcript_is_quarantined_or_unknown_but_what_is_known_to_be(path: Path) -> None:
    lines = parsed(path.read_bytes(), path)

    quarantined = Counter(line.reason for line in lines if line.disposition is Disposition.QUARANTINED)
    assert set(quarantined) <= ({"rendered_text"} if "few_shot" in path.name else set())
    unknown = [event.payload for event in events(lines) if event.type == "import.unknown"]
    assert [payload for payload in unknown if payload["record_type"] != "choice"] == []


@EVERY
def test_ids_are_unique_and_hold_still(path: Path) -> None:
    body = path.read_bytes()

    first, again = events(parsed(body, path)), events(parsed(body, path))

    assert first == again
    assert len({(event.session_key, event.event_id) for event in first}) == len(first)


@EVERY
@pytest.mark.parametrize("share", [0.3, 0.77])
def test_a_shorter_snapshot_has_the_first_events_of_the_longer(path: Path, share: float) -> None:
    if path.suffix != ".jsonl":
        pytest.skip("a cut document is no document; longer arrays are tested with the format")
    body = path.read_bytes()
    cut = body[: int(len(body) * share)]
    if b"\n" not in cut:
        pytest.skip("the cut falls into the first line")

    shorter, longer = events(parsed(cut, path)), events(parsed(body, path))

    assert shorter == longer[: len(shorter)]


def test_usage_is_counted_once_per_message_and_not_once_per_line() -> None:
    path = DATA / "claude_code" / "v2114_microcompact_and_compact.jsonl"

    found = events(parsed(path.read_bytes(), path))

    messages = {event.payload["message_id"] for event in found if event.type == "usage.reported"}
    repeated = Counter(event.payload["message_id"] for event in found if event.type == "usage.reported")
    assert len(messages) > 20
    assert max(repeated.values()) <= 2
