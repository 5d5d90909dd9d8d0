"""Compaction as work in the background: asked for once per session, done once however often it is delivered."""

from __future__ import annotations

from uuid import UUID

from contextapp.compaction.services.making import AUTO, prepare
from contextapp.compaction.services.storing import record_failure, store
from contextapp.compaction.summarisers import Summariser
from contextapp.compaction.values import NotMade, Stored
from contextapp.engine.compaction import DEFAULT, Setting
from contextapp.jobs.handle import JobHandle
from contextapp.jobs.services import enqueue

COMPACT = "compaction.compact"
ACTOR = "system:compaction"


def request_compaction(*, session_id: UUID, project_id: UUID, trigger: str = AUTO) -> None:
    """A row of the caller's transaction; a session that waits for one already is not asked for twice."""
    payload = {"session": str(session_id), "trigger": trigger}
    enqueue(kind=COMPACT, key=str(session_id), payload=payload, project_id=project_id)


def compact_job(job: JobHandle) -> None:
    made = compact_session(session_id=UUID(job.payload["session"]), trigger=job.payload.get("trigger", AUTO))
    if isinstance(made, Stored):
        job.progress(made.covers_to, made.covers_to, f"{made.before_tokens} -> {made.after_tokens} tokens")
    else:
        job.progress(0, 0, f"{made.code}: {made.detail}")


def compact_session(
    *,
    session_id: UUID,
    trigger: str,
    actor: str = ACTOR,
    setting: Setting = DEFAULT,
    summariser: Summariser | None = None,
) -> Stored | NotMade:
    """Summarise what is closed, if that is worth it. What was tried and thrown away the log tells as `compaction.failed`."""
    made = prepare(session_id=session_id, trigger=trigger, setting=setting, summariser=summariser)
    if isinstance(made, NotMade):
        if made.is_recorded:
            record_failure(session_id=session_id, failed=made, trigger=trigger, actor=actor)
        return made
    return store(session_id=session_id, made=made, actor=actor)
