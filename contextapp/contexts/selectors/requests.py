"""The request of a step as it was handed out, checked twice: its bytes against its hash, and against a new build of them."""

from __future__ import annotations

from uuid import UUID

from django.utils.translation import gettext as _

from contextapp.contexts.errors import CannotBuild
from contextapp.contexts.models.ledgers import Origin
from contextapp.contexts.reproducing import repeat
from contextapp.contexts.selectors.blocks import stored_request
from contextapp.contexts.selectors.ledgers import need_ledger
from contextapp.contexts.values.requests import StepRequest


def step_request(session_id: UUID, number: int, origin: str | None = None) -> StepRequest:
    """NotFound without such a ledger; CannotBuild where there is no request: observed, overflowed or erased."""
    ledger, body = need_ledger(session_id, number, origin)
    if ledger.origin == Origin.OBSERVED:
        raise CannotBuild(
            _("step %(number)s was observed: its harness sent the request, and the transcript does not hold it")
            % {"number": number}
        )
    if ledger.verdict != "ok":
        raise CannotBuild(_("the build of step %(number)s did not fit; it has no request") % {"number": number})
    made = repeat(ledger, body)
    request = stored_request(ledger, body) if ledger.origin == Origin.BUILT else made.request
    if request is None:
        raise CannotBuild(made.detail)
    if request.sha256 != ledger.request_sha256 and ledger.origin == Origin.BUILT:
        difference, detail = "stored_bytes", _("the stored blocks do not have the hash that the ledger names")
    else:
        difference, detail = made.difference, made.detail
    return StepRequest(
        origin=ledger.origin,
        request=request,
        recorded_sha256=ledger.request_sha256,
        same_bytes=not difference,
        difference=difference,
        detail=detail,
    )
