"""Runs our builder over a recorded step: what the policy would have sent. It did not happen, and nothing enters the log."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from contextapp.contexts.building import build_counted
from contextapp.contexts.errors import CannotBuild, NotFound
from contextapp.contexts.models import Step
from contextapp.contexts.models.ledgers import Origin
from contextapp.contexts.rebuilding import Plan, plan_simulation
from contextapp.contexts.services.ledgers import Kept, keep_ledgers
from contextapp.contexts.values import Simulated
from contextapp.engine.policy import Policy


def simulate_step(*, step_id: int, policy: Policy | None = None) -> Simulated:
    """Build the step's input and keep its ledger; the request is not kept, it is built again when somebody looks.

    An unknown window gives no ledger and a message that says what to do.
    """
    step = Step.objects.select_related("turn", "session__project", "session__workspace").filter(id=step_id).first()
    if step is None:
        raise NotFound(_("there is no step with id %(id)s") % {"id": step_id})
    try:
        plan = plan_simulation(step, policy)
    except CannotBuild as error:
        return Simulated(step.number, None, "", "", str(error))
    return _simulate(step, plan)


def step_id_of(*, session_id: UUID, number: int) -> int:
    """The id that jobs and services take, for a step that a page knows by its number."""
    found = Step.objects.filter(session_id=session_id, number=number).values_list("id", flat=True).first()
    if found is None:
        raise NotFound(_("this session has no step %(number)s") % {"number": number})
    return found


def _simulate(step: Step, plan: Plan) -> Simulated:
    built, counts = build_counted(plan.inputs, plan.policy)
    with transaction.atomic():
        counts.save()
        kept = Kept(step, built, counts.method)
        [ledger] = keep_ledgers(origin=Origin.SIMULATED, policy=plan.policy, kept=[kept])
    return Simulated(step.number, ledger.id, ledger.verdict, ledger.request_sha256, "")
