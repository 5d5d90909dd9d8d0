"""A file becomes sessions, events, turns and steps; importing it again, or a longer one, only adds."""

from __future__ import annotations

from pathlib import Path

import pytest

from contextapp.contexts.models import Ledger, Step
from contextapp.eventlog.services import verify_session
from contextapp.intake import selectors
from contextapp.intake.models import ImportState
from contextapp.intake.services import run_import, start_import, start_upload
from contextapp.jobs.services import run_now
from tests.importers.parsing import SESSION, assistant, to_lines, user
from tests.intake.files import OTHER, TEXT, bring_in, chat, conversation, event_count, sessions, stored, write
from tests.world import World


def test_a_transcript_becomes_a_session_with_turns_steps_and_a_workspace(world: World, tmp_path: Path) -> None:
    batch = bring_in(world, write(tmp_path, "a.jsonl", conversation()))

    session = sessions(world)[0]
    file = selectors.files_of(batch.id)[0]
    assert (session.title, session.agent, session.origin) == ("Fix the parser", "claude-code", "import")
    assert session.workspace is not None and session.workspace.root == "/home/dev/shop"
    assert (session.turn_count, session.step_count, file.steps, file.turns) == (1, 2, 2, 1)
    assert (file.format, file.format_version, file.lines, file.produced) == ("claude_code", "2.1.120", 4, 4)


def test_the_first_call_of_an_imported_session_is_explained(world: World, tmp_path: Path) -> None:
    bring_in(world, write(tmp_path, "a.jsonl", conversation()))

    step = Step.objects.get(session=sessions(world)[0], number=2)
    ledger = Ledger.objects.get(step=step, origin="observed")
    assert ledger.residue["billed"] == 503
    assert step.usage is not None and step.usage["output"] == 40


def test_an_imported_session_says_what_it_is_unchanged_since(world: World, tmp_path: Path) -> None:
    path = write(tmp_path, "a.jsonl", conversation())
    bring_in(world, path)

    session = sessions(world)[0]
    source = selectors.source_of(session.id)

    assert source is not None and source.path == str(path) and len(source.sha256) == 64
    assert verify_session(session.id).is_verified


def test_importing_again_adds_nothing_and_counts_the_same(world: World, tmp_path: Path) -> None:
    path = write(tmp_path, "a.jsonl", conversation() + b"broken\n")
    first = selectors.files_of(bring_in(world, path).id)[0]
    before = event_count()

    second = selectors.files_of(bring_in(world, path).id)[0]

    assert event_count() == before
    assert (second.lines, second.produced, second.folded, second.quarantined) == (5, 4, 0, 1)
    assert (second.events_new, second.events_seen) == (0, first.events_new)
    assert second.sessions == first.sessions


def test_the_same_bytes_at_another_place_add_nothing(world: World, tmp_path: Path) -> None:
    bring_in(world, write(tmp_path, "a.jsonl", conversation()))
    before = event_count()

    copy = selectors.files_of(bring_in(world, write(tmp_path, "copy/b.jsonl", conversation())).id)[0]

    assert event_count() == before
    assert (copy.events_new, copy.events_seen) == (0, before)


@pytest.mark.parametrize("cut", [0.3, 0.6, 0.95])
def test_a_longer_snapshot_ends_like_the_whole_file(world: World, tmp_path: Path, cut: float) -> None:
    body = conversation() + to_lines(user("And the lexer", 5), assistant(TEXT, 6, message_id="msg_3"))
    path = write(tmp_path, f"{OTHER}.jsonl", body[: int(len(body) * cut)])
    bring_in(world, path)

    path.write_bytes(body)
    bring_in(world, path)
    grown = stored(sessions(world)[0])
    bring_in_elsewhere = start_import(
        project=world.foreign_project, paths=[str(path)], requested_by="user:charlie", in_background=False
    )
    run_import(bring_in_elsewhere.id)

    whole = world.foreign_project.sessions.get()
    assert grown == stored(whole)
    assert whole.step_count == sessions(world)[0].step_count == 3


def test_a_longer_chat_array_only_appends(world: World, tmp_path: Path) -> None:
    path = write(tmp_path, "chat.json", chat("Book a flight", "Where to?"))
    bring_in(world, path)
    before = stored(sessions(world)[0])

    path.write_bytes(chat("Book a flight", "Where to?", "Seattle", "Booked."))
    bring_in(world, path)

    after = stored(sessions(world)[0])
    assert after[: len(before)] == before
    assert len(after) > len(before)


def test_a_sub_agent_is_linked_to_its_parent_whichever_came_first(world: World, tmp_path: Path) -> None:
    child = to_lines(user("find todos", 1, isSidechain=True, agentId="a0ad", sessionId="agent-a0ad"))
    child_path = write(tmp_path, f"{SESSION}/subagents/agent-a0ad.jsonl", child)
    bring_in(world, child_path)

    bring_in(world, write(tmp_path, f"{SESSION}.jsonl", conversation()))

    parent, agent = sessions(world)
    assert agent.parent_id == parent.id
    assert agent.external_id == f"{parent.external_id}/agent-a0ad"


def test_an_interrupted_import_ends_in_the_same_events_when_run_again(world: World, tmp_path: Path) -> None:
    path = write(tmp_path, "a.jsonl", conversation())
    batch = start_import(project=world.project, paths=[str(path)], requested_by="user:alice", in_background=False)
    run_import(batch.id)
    events = stored(sessions(world)[0])
    batch.files.update(state=ImportState.RUNNING)  # as a killed process leaves it

    run_import(batch.id)

    file = selectors.files_of(batch.id)[0]
    assert stored(sessions(world)[0]) == events
    assert (file.state, file.lines, file.events_new, file.events_seen) == ("done", 4, 0, len(events))


def test_the_job_table_runs_a_background_import(world: World, tmp_path: Path) -> None:
    from contextapp.jobs.selectors import get_job

    path = write(tmp_path, "a.jsonl", conversation())
    batch = start_import(project=world.project, paths=[str(path)], requested_by="user:alice")
    job = get_job(selectors.JOB_KIND, str(batch.id))
    assert job is not None

    done = run_now(job.id)

    row = selectors.import_for([world.project.id], batch.id)
    assert done.state == "done", done.last_error
    assert row is not None and (row.state, row.progress_done, row.lines) == ("done", len(conversation()), 4)


def test_uploaded_bytes_are_imported_and_then_let_go(world: World) -> None:
    files = [("a.jsonl", conversation()), ("chat.json", chat("Hi", "Hello"))]
    batch = start_upload(project=world.project, files=files, requested_by="user:alice", in_background=False)

    run_import(batch.id)

    assert [file.state for file in selectors.files_of(batch.id)] == ["done", "done"]
    assert [session.title for session in sessions(world)] == ["Fix the parser", "Hi"]
    assert batch.uploads.count() == 0


def test_secrets_are_masked_in_titles_events_and_quarantine(world: World, tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    body = to_lines(user(f"use {secret} to fetch", 1)) + f'{{"type": 1, "x": "{secret}"}}\n'.encode()

    batch = bring_in(world, write(tmp_path, "a.jsonl", body))

    session = sessions(world)[0]
    assert secret not in session.title
    assert secret not in repr(stored(session))
    assert secret not in selectors.quarantine_of(batch.id).lines[0].excerpt


def test_a_stranger_does_not_see_an_import(world: World, tmp_path: Path) -> None:
    batch = bring_in(world, write(tmp_path, "a.jsonl", conversation()))

    assert selectors.import_for([world.foreign_project.id], batch.id) is None
    assert selectors.list_imports(world.foreign_project.id).total == 0
