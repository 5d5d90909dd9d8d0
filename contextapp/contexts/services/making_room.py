"""When a build overflows: would one summary make it fit? Tried in memory before anything is written, since a build is pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from contextapp.compaction.services import draft_of, prepare
from contextapp.compaction.services.making import OVERFLOW
from contextapp.compaction.values import NotMade
from contextapp.contexts.building import build_counted
from contextapp.engine.events import SESSION_COMPACTED, Event
from contextapp.engine.inputs import BuildInputs
from contextapp.engine.policy import Policy
from contextapp.engine.projection.fold import Fold
from contextapp.engine.values import Verdict
from contextapp.eventlog.values import Draft

WOULD_NOT_FIT = "would_not_fit"


@dataclass(frozen=True, slots=True)
class Room:
    """`summary`: the event that makes the build fit; None where none would, and `told` says why."""

    summary: Draft | None
    told: dict[str, Any]  # {"tried", "reason", "detail"} and figures, for the ledger and the answer


def make_room(session_id: UUID, inputs: BuildInputs, policy: Policy) -> Room:
    made = prepare(session_id=session_id, trigger=OVERFLOW, state=inputs.state)
    if isinstance(made, NotMade):
        return Room(None, {"tried": False, "reason": made.code, "detail": made.detail})
    draft = draft_of(session_id, made)
    fold = Fold(inputs.state)
    event = Event(inputs.state.seq + 1, SESSION_COMPACTED, draft.payload)
    fold.feed(event)
    built, _counts = build_counted(replace(inputs, state=fold.state(), events=(*inputs.events, event)), policy)
    figures = {"before_tokens": made.before_tokens, "after_tokens": made.after_tokens, "covers_to": made.covers_to}
    if built.verdict == Verdict.OVERFLOW:
        detail = (
            f"a summary of events 1 to {made.covers_to} saves {made.before_tokens - made.after_tokens} tokens, too few"
        )
        return Room(None, {"tried": False, "reason": WOULD_NOT_FIT, "detail": detail, **figures})
    return Room(draft, {"tried": True, "reason": "", "detail": "", **figures})
