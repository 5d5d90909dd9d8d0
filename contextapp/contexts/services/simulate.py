"""Runs our builder over a recorded step: what the policy would have sent. It did not happen, and nothing enters the log."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from contextapp.contexts.building import build_counted
from contextapp.contexts.errors import CannotBuild, NotFound
from contextapp.contexts.models import Ledger, Step
from contextapp.contexts.models.ledgers import Origin
from contextapp.contexts.rebuilding import Plan, plan_simulation
from contextapp.contexts.services.ledgers import keep_ledger
from contextapp.contexts.values import Simulated
from contextapp.engine.policy import Policy
from contextapp.eventlog.models import Session
from contextapp.jobs.handle import JobHandle
from contextapp.jobs.services import enqueue

SIMULATE_SESSION = "contexts.simulate_session"


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
        ledger = keep_ledger(step=step, origin=Origin.SIMULATED, policy=plan.policy, built=built, method=counts.method)
    return Simulated(step.number, ledger.id, ledger.verdict, ledger.request_sha256, "")


def request_simulation(*, session_id: UUID) -> int | None:
    """Simulate the session's steps in the background, unless all of them are. The job's id, or None."""
    session = Session.objects.get(id=session_id)
    done = Ledger.objects.filter(session=session, origin=Origin.SIMULATED).values("step").distinct().count()
    if session.erased_at is not None or session.model_window_tokens is None or done >= session.step_count:
        return None
    job = enqueue(
        kind=SIMULATE_SESSION,
        key=str(session.id),
        payload={"session": str(session.id)},
        project_id=session.project_id,
    )
    return int(job.pk)


def simulate_session(job: JobHandle) -> None:
    """Handler of `contexts.simulate_session`: every step without a simulated ledger, in order."""
    session_id = UUID(job.payload["session"])
    steps = Step.objects.filter(session_id=session_id)
    total = steps.count()
    done = set(
        Ledger.objects.filter(session_id=session_id, origin=Origin.SIMULATED).values_list("step_number", flat=True)
    )
    for step_id, number in steps.order_by("number").values_list("id", "number"):
        job.progress(number - 1, total, _("step %(number)s of %(total)s") % {"number": number, "total": total})
        if number not in done:
            simulate_step(step_id=step_id)
    job.progress(total, total)
