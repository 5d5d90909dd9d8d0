"""A person says of a suspected constraint that it holds, or that it is none. An event like any other: nothing is rewritten."""

from __future__ import annotations

from uuid import UUID, uuid4

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from contextapp.accounts.models import Project
from contextapp.accounts.services import record
from contextapp.contexts.errors import CannotDecide, HeadMoved
from contextapp.contexts.services.index import advance, index_session
from contextapp.engine.events import CONSTRAINT_ADDED, CONSTRAINT_LIFTED
from contextapp.engine.projection.state import Constraint
from contextapp.eventlog import services as log
from contextapp.eventlog.errors import WrongHead
from contextapp.eventlog.models.sessions import SessionOrigin
from contextapp.eventlog.values import Draft

CONFIRM, DISMISS = "confirm", "dismiss"
ATTEMPTS = 5


def decide_constraint(*, project: Project, session_id: UUID, constraint_id: str, action: str, actor: str) -> int:
    """The seq of the event that says so. CannotDecide where there is no such suspected constraint any more, or where the log
    is another tool's."""
    for _attempt in range(ATTEMPTS):
        advanced = advance(session_id, begins=True)
        if advanced.run is None or advanced.session.origin != SessionOrigin.API or advanced.session.erased_at:
            raise CannotDecide(_("only in the session of a live agent can a constraint be confirmed or dismissed"))
        state = advanced.run.state
        found = next((one for one in state.constraints if one.id == constraint_id and not one.confirmed), None)
        if found is None:
            raise CannotDecide(_("this constraint is not suspected any more; reload the page to see how it stands"))
        try:
            with transaction.atomic():
                appended = log.append(
                    session_id=session_id, drafts=[_draft(found, action, actor)], actor=actor, expected_seq=state.seq
                )
                record(
                    project=project,
                    actor=actor,
                    action=f"constraint.{'confirmed' if action == CONFIRM else 'dismissed'}",
                    target=f"session:{session_id}",
                    before={"id": found.id, "text": found.text, "seq": found.seq, "confirmed": False},
                    after={"confirmed": True} if action == CONFIRM else None,
                )
        except WrongHead:
            continue
        index_session(session_id=session_id)
        return appended.results[0].seq
    raise HeadMoved(_("session %(session)s kept growing; try again") % {"session": session_id})


def _draft(found: Constraint, action: str, actor: str) -> Draft:
    payload: dict[str, object] = {"id": found.id, "by": actor, "evidence": [found.seq]}
    kind = CONSTRAINT_LIFTED
    if action == CONFIRM:
        kind, payload = CONSTRAINT_ADDED, payload | {"text": found.text, "kind": found.kind}
    return Draft(event_id=uuid4(), type=kind, payload=payload, occurred_at=timezone.now())
