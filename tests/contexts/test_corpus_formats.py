"""Recorded sessions of every further format through index and ledgers: the rows add up at every call, and nothing raises."""

from __future__ import annotations

from pathlib import Path

import pytest

from contextapp.config.local.places import PROJECT
from contextapp.contexts.models import Ledger, Step
from contextapp.contexts.packing import unpack_body
from contextapp.contexts.services import index_session, simulate_session
from contextapp.eventlog.services import append
from contextapp.eventlog.values import Draft
from contextapp.importers.contract import Json, ParsedEvent, Source
from contextapp.importers.recognise import HEAD_BYTES, recognise
from tests.importers.test_corpus import NO_TRANSCRIPTS
from tests.world import World

DATA = PROJECT.parent / "shared" / "data"
FOLDERS = (
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
SAMPLE = 12  # sessions of one file: pairs are hundreds of small ones
FILES = sorted(
    path
    for folder in FOLDERS
    for path in (DATA / folder).rglob("*")
    if path.is_file() and path.name not in NO_TRANSCRIPTS
)

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not FILES, reason=f"the recorded transcripts are not at {DATA}"),
]


def recorded(path: Path) -> dict[str, list[ParsedEvent]]:
    """The events of a sample of a file's sessions, spread over the file."""
    sessions: dict[str, list[ParsedEvent]] = {}
    with path.open("rb") as stream:
        form = recognise(stream.read(HEAD_BYTES), str(path))
        assert form is not None
        stream.seek(0)
        for line in form.parse(Source(name=str(path), stream=stream)):
            for each in line.drafts:
                sessions.setdefault(each.session_key, []).append(each)
    every = max(1, len(sessions) // SAMPLE)
    return {key: events for number, (key, events) in enumerate(sessions.items()) if number % every == 0}


def with_known_window(payload: Json) -> Json:
    """Calls of a model whose window nobody knows are not simulated; many a format names no model at all."""
    return payload | {"model": "gpt-4o"} if "model" in payload else payload


@pytest.mark.parametrize("path", FILES or [Path()], ids=[path.name for path in FILES] or ["none"])
def test_recorded_sessions_walk_through_the_ledgers(world: World, path: Path) -> None:
    for key, events in recorded(path).items():
        session = world.open_session(origin="import", external_id=key[:300], workspace_root="/work")
        drafts = [
            Draft(each.event_id, each.type, with_known_window(each.payload), each.occurred_at, each.visibility)
            for each in events
        ]
        append(session_id=session.id, drafts=drafts, actor="test")

        index_session(session_id=session.id)
        simulate_session(session_id=session.id)

        ledgers = Ledger.objects.filter(session_id=session.id).select_related("body")
        steps = Step.objects.filter(session_id=session.id).count()
        called = any(event.type in ("model.message", "tool.requested") for event in events)
        assert (steps > 0) is called
        assert ledgers.filter(origin="observed").count() == ledgers.filter(origin="simulated").count() == steps
        for ledger in ledgers:
            assert unpack_body(ledger.body.rows).ledger.difference == 0
            if ledger.residue:
                parts = sum(ledger.residue[part] for part in ("preamble", "correction", "unexplained"))
                explained = sum(row.after_tokens for row in unpack_body(ledger.body.rows).ledger.included)
                assert explained + parts == ledger.residue["billed"] == ledger.total_tokens
