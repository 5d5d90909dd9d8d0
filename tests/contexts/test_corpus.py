"""Recorded transcripts through index, ledgers and pages: figures add up at every call, and nothing raises."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

import pytest

from contextapp.config.local.places import PROJECT
from contextapp.contexts import selectors
from contextapp.contexts.models import Ledger, Step
from contextapp.contexts.packing import unpack_body
from contextapp.contexts.services import index_session, simulate_session
from contextapp.eventlog.services import append
from contextapp.eventlog.values import Draft
from contextapp.importers.contract import Source
from contextapp.importers.recognise import HEAD_BYTES, recognise
from tests.world import World

FOLDER = PROJECT.parent / "shared" / "data"
FILES = (
    "claude_code/v2114_microcompact_and_compact.jsonl",
    "claude_code/v2112_multi_sessionid.jsonl",
    "claude_code/v20_full_session_four.jsonl",
    "claude_code/v21159_api_error_away_summary.jsonl",
    "codex_cli/v0118_fork_subagent_compacted.jsonl",
    "codex_cli/v0145a18_multi_agent_compacted_mcp.jsonl",
    "codex_cli/v0400_usage_reset.jsonl",
)


def imported(world: World, path: Path) -> list[UUID]:
    with path.open("rb") as stream:
        form = recognise(stream.read(HEAD_BYTES), path.name)
        assert form is not None
        stream.seek(0)
        drafts: dict[str, list[Draft]] = {}
        for line in form.parse(Source(name=path.name, stream=stream)):
            for each in line.drafts:
                draft = Draft(each.event_id, each.type, each.payload, each.occurred_at, each.visibility)
                drafts.setdefault(each.session_key, []).append(draft)
    sessions = []
    for key, events in drafts.items():
        session = world.open_session(origin="import", external_id=key[:300], workspace_root="/work")
        append(session_id=session.id, drafts=events, actor="test")
        index_session(session_id=session.id)
        sessions.append(session.id)
    return sessions


@pytest.mark.corpus
@pytest.mark.parametrize("name", FILES)
def test_recorded_sessions_add_up_at_every_call(world: World, name: str) -> None:
    if not FOLDER.is_dir():
        pytest.skip(f"{FOLDER} is not there; the corpus stands beside the project")

    for session_id in imported(world, FOLDER / name):
        simulate_session(session_id=session_id)

        ledgers = Ledger.objects.filter(session_id=session_id).select_related("body")
        steps = Step.objects.filter(session_id=session_id).count()
        assert steps > 0
        assert ledgers.filter(origin="observed").count() == ledgers.filter(origin="simulated").count() == steps
        for ledger in ledgers:
            body = unpack_body(ledger.body.rows).ledger
            assert body.difference == 0
            if ledger.residue:
                explained = sum(row.after_tokens for row in body.included)
                parts = sum(ledger.residue[part] for part in ("preamble", "correction", "unexplained"))
                assert explained + parts == ledger.residue["billed"] == ledger.total_tokens
            elif ledger.origin == "simulated":
                assert ledger.total_tokens <= (ledger.window_tokens or 0)
        assert selectors.saw_blocks(session_id, steps, origin="simulated").check == "same_bytes"
        assert selectors.chart_series(session_id).peak_tokens > 0
        after: int | None = 0
        while after is not None:
            after = selectors.transcript_page(session_id, after_seq=after).next_after
