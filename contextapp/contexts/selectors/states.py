"""The state of the work as it stood when a step's input was assembled."""

from __future__ import annotations

from uuid import UUID

from contextapp.contexts.errors import NotFound
from contextapp.contexts.models import Step
from contextapp.contexts.states import state_upto
from contextapp.contexts.values import StateView


def state_at(session_id: UUID, number: int) -> StateView:
    """What the fold said when the step's input was assembled."""
    log_seq = Step.objects.filter(session_id=session_id, number=number).values_list("log_seq", flat=True).first()
    if log_seq is None:
        raise NotFound(f"session {session_id} has no step {number}")
    return StateView(step=number, log_seq=log_seq, state=state_upto(session_id, log_seq))


def state_now(session_id: UUID, number: int, indexed_seq: int) -> StateView:
    """As the log stands, after the last step: what was decided since is in it."""
    return StateView(step=number, log_seq=indexed_seq, state=state_upto(session_id, indexed_seq))
