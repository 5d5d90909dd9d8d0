"""Plans builds over recorded steps, and makes their requests again. Reads only; what is built here is compared, not kept."""

from __future__ import annotations

from dataclasses import dataclass

from contextapp.contexts.building import build_counted
from contextapp.contexts.loading import Place, load_inputs, profile_of
from contextapp.contexts.models import Ledger, Step
from contextapp.contexts.models.ledgers import Origin
from contextapp.contexts.packing import unpack_blocks
from contextapp.engine.inputs import BuildInputs, Built
from contextapp.engine.policy import Policy
from contextapp.engine.version import ENGINE_VERSION
from contextapp.policy.selectors import active_policy


@dataclass(frozen=True, slots=True)
class Plan:
    """Inputs and policy of one build."""

    inputs: BuildInputs
    policy: Policy


def plan_simulation(step: Step, policy: Policy | None = None, calibration: int | None = None) -> Plan:
    """`step` with its turn and session (project, workspace) loaded. CannotBuild when the window is unknown."""
    session = step.session
    chosen = policy or active_policy(session.project_id)
    profile = profile_of(session, step.model or session.model, calibration)
    place = place_of(step)
    previous = previous_blocks(step, Origin.SIMULATED, chosen.number)
    return Plan(load_inputs(session, place, profile, chosen, previous_blocks=previous), chosen)


def place_of(step: Step) -> Place:
    started = step.started_at or step.session.started_at
    return Place(step.number, step.turn.number, step.log_seq, started.isoformat() if started else "")


def previous_blocks(step: Step, origin: str, policy_number: int) -> tuple[tuple[str, int], ...]:
    """Blocks of the step before under the same policy and engine, for what a provider's cache keeps; empty: not known."""
    before = (
        Ledger.objects.filter(
            session_id=step.session_id,
            step_number=step.number - 1,
            origin=origin,
            policy_number=policy_number,
            engine_version=ENGINE_VERSION,
        )
        .select_related("body")
        .first()
    )
    return () if before is None else unpack_blocks(before.body.rows)


def rebuild(plan: Plan) -> Built:
    return build_counted(plan.inputs, plan.policy)[0]
