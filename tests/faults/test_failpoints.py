"""The connection is lost at each statement of append, erase, import, index and build: old state or new, never half, and a
retry ends where a clean run does."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4, uuid5

import pytest

from contextapp.accounts.models import AuditEntry, Project
from contextapp.accounts.services import create_project
from contextapp.compaction.services import compact_session
from contextapp.contexts.models import BlockUse, Ledger, Step, Turn
from contextapp.contexts.services import build_step, index_session
from contextapp.eventlog.models import ArtifactUse, Event, Payload, Session
from contextapp.eventlog.services import append, erase_session, open_session, update_session_facts
from contextapp.intake.models import Import, QuarantinedLine
from contextapp.intake.services import run_import, start_import
from contextapp.policy.services import ensure_default
from tests.compaction.sessions import live_session
from tests.compaction.test_making_room import keep_everything
from tests.contexts.stories import open_recorded, two_turns
from tests.eventlog.test_content import image
from tests.faults.failpoint import at_every_statement
from tests.faults.stored import is_clean
from tests.importers.parsing import assistant, to_lines, user
from tests.intake.files import TEXT, write
from tests.world import World, draft

pytestmark = pytest.mark.slow
State = dict[str, Any]  # what is stored of a session, by the name of what it is


def state_of(session: UUID) -> State:
    """Everything a person could see of it; ids that differ from run to run are left out."""
    found = Session.objects.get(id=session)
    return {
        "events": list(
            Event.objects.filter(session_id=session).order_by("seq").values_list("seq", "type", "payload_len")
        ),
        "payloads": list(Payload.objects.filter(session_id=session).order_by("seq").values_list("seq", flat=True)),
        "artifacts": ArtifactUse.objects.filter(session_id=session).count(),
        "facts": (found.title, bool(found.external_id), found.erased_at is None, found.indexed_seq, found.step_count),
        "turns": list(Turn.objects.filter(session_id=session).order_by("number").values_list("number", "first_seq")),
        "steps": list(Step.objects.filter(session_id=session).order_by("number").values_list("number", "log_seq")),
        "ledgers": Ledger.objects.filter(session_id=session).count(),
        "blocks": BlockUse.objects.filter(session_id=session).count(),
        "erasures": AuditEntry.objects.filter(target=f"session:{session}", action="session.erased").count(),
    }


def try_everywhere(make: Callable[[], UUID], act: Callable[[UUID], object], *, steps_between: bool = False) -> int:
    """A fresh session for each statement. With `steps_between` the action commits more than once: it may have gone part of
    the way, and only its end is known."""
    clean = make()
    before = state_of(clean)
    act(clean)
    after = state_of(clean)
    assert before != after

    def check(session: UUID, statement: str) -> None:
        found = state_of(session)
        assert is_clean(session), statement
        assert steps_between or found in (before, after), statement
        act(session)
        assert state_of(session) == after, statement
        assert is_clean(session), statement

    return at_every_statement(make, act, check)


def test_append(crash_world: World) -> None:
    def act(session: UUID) -> None:
        drafts = [
            draft("user.message", {"text": "look", "media": [image()]}, uuid5(session, "1")),
            draft("tool.completed", {"content": "long " * 60_000}, uuid5(session, "2")),
            draft("user.message", {"text": "go on"}, uuid5(session, "3")),
        ]
        append(session_id=session, drafts=drafts, actor="test")

    count = try_everywhere(lambda: crash_world.open_session().id, act)

    assert count >= 6


def test_opening_a_session(crash_world: World) -> None:
    names = map("run-{}".format, itertools.count())

    def act(name: str) -> None:
        open_session(project_id=crash_world.project.id, origin="api", external_id=name, workspace_root="/work")

    def check(name: str, statement: str) -> None:
        found = Session.objects.filter(external_id=name)
        assert [hasattr(session, "head") for session in found] in ([], [True]), statement
        act(name)
        assert append(session_id=found.get().id, drafts=[draft("user.message", {})], actor="test").head_seq == 1, (
            statement
        )

    assert at_every_statement(lambda: next(names), act, check) >= 4


def test_erase(crash_world: World) -> None:
    def make() -> UUID:
        session = open_recorded(crash_world)
        Session.objects.filter(id=session.id).update(title="secret")
        crash_world.append(session, *two_turns(), ("user.message", {"media": [image(uuid4().bytes)]}))
        index_session(session_id=session.id)
        return UUID(str(session.id))

    def act(session: UUID) -> None:
        erase_session(session_id=session, reason="asked to", actor="user:alice")

    count = try_everywhere(make, act)

    assert count >= 10


@pytest.mark.fault("F25", "F29")
def test_index(crash_world: World) -> None:
    def make() -> UUID:
        session = open_recorded(crash_world)
        crash_world.append(session, *two_turns())
        return UUID(str(session.id))

    def act(session: UUID) -> None:
        index_session(session_id=session)

    assert try_everywhere(make, act, steps_between=True) >= 10


def test_build(crash_world: World) -> None:
    def make() -> UUID:
        session = crash_world.open_session(model="gpt-4o")
        crash_world.append(session, ("user.message", {"text": "Fix the parser."}))
        return session.id

    def act(session: UUID) -> None:
        assert build_step(session_id=session, build_id=uuid5(session, "build"), actor="test").request is not None

    assert try_everywhere(make, act, steps_between=True) >= 10


@pytest.mark.fault("F57")
def test_import(crash_world: World, tmp_path: Path) -> None:
    path = write(tmp_path, "a.jsonl", to_lines(user("Fix the parser", 1), assistant(TEXT, 2)) + b"{not json\n")
    numbers = itertools.count()

    def begin() -> UUID:
        project = _project(next(numbers))
        return start_import(project=project, paths=[str(path)], requested_by="test", in_background=False).id

    clean = begin()
    run_import(clean)
    whole = _imported(clean)

    def check(import_id: UUID, statement: str) -> None:
        found = _imported(import_id)
        assert whole["events"][: len(found["events"])] == found["events"], statement
        assert all(is_clean(session) for session in _sessions(import_id)), statement
        run_import(import_id)
        assert _imported(import_id) == whole, statement

    assert at_every_statement(begin, run_import, check) >= 20


def _project(number: int) -> Project:
    project = create_project(slug=f"import-{number}", name="Import", by="test")
    ensure_default(project)
    return project


def _sessions(import_id: UUID) -> list[UUID]:
    project = Import.objects.get(id=import_id).project
    return list(Session.objects.filter(project=project, origin="import").values_list("id", flat=True))


def _imported(import_id: UUID) -> State:
    batch = Import.objects.get(id=import_id)
    events = Event.objects.filter(session_id__in=_sessions(import_id)).order_by("seq")
    return {
        "events": list(events.values_list("seq", "event_id", "type", "payload_len")),
        "state": batch.state,
        "sessions": [{**state_of(session), "facts": None} for session in _sessions(import_id)],
        "lines": list(batch.files.values_list("lines", "produced", "folded", "quarantined", "error")),
        "quarantine": QuarantinedLine.objects.filter(file__batch=batch).count(),
    }


@pytest.mark.fault("F29")
def test_compact(crash_world: World) -> None:
    def make() -> UUID:
        session = live_session(crash_world, parts=12, words=400)
        index_session(session_id=session.id)
        return session.id

    def act(session: UUID) -> None:
        compact_session(session_id=session, trigger="manual")
        index_session(session_id=session)

    assert try_everywhere(make, act, steps_between=True) > 8


@pytest.mark.fault("F29")
def test_compact_to_make_room(crash_world: World) -> None:
    keep_everything(crash_world)

    def make() -> UUID:
        session = live_session(crash_world, parts=12, words=400)
        update_session_facts(session_id=session.id, model_window_tokens=16_000)
        return session.id

    def act(session: UUID) -> None:
        build_step(session_id=session, build_id=uuid5(session, "build"), actor="key:test")

    assert try_everywhere(make, act, steps_between=True) > 12
