"""Makes a recorded request again from its recorded inputs, and says: same bytes, or what differs. Writes nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _

from contextapp.contexts.errors import CannotBuild, NotFound
from contextapp.contexts.loading import Place, load_inputs, profile_of
from contextapp.contexts.models import Ledger
from contextapp.contexts.models.ledgers import Origin
from contextapp.contexts.packing import Body, unpack_body
from contextapp.contexts.rebuilding import Plan, plan_simulation, rebuild
from contextapp.contexts.values import Reproduction
from contextapp.engine.inputs import Built, MemoryRevision
from contextapp.engine.policy import Policy
from contextapp.engine.sources.snapshot import differing
from contextapp.engine.version import ENGINE_VERSION
from contextapp.memory.selectors import revisions_named
from contextapp.policy.selectors import policy_at


def reproduce(ledger_id: int) -> Reproduction:
    """For built and simulated ledgers. difference: engine, tokenizer, erased, ranking or inputs."""
    ledger = (
        Ledger.objects.filter(id=ledger_id)
        .select_related("body", "step__turn", "step__session__project", "step__session__workspace")
        .first()
    )
    if ledger is None:
        raise NotFound(_("there is no ledger with id %(id)s") % {"id": ledger_id})
    if ledger.origin == Origin.OBSERVED:
        raise CannotBuild(_("an observed ledger was not built here; there is no request of ours to make again"))
    return repeat(ledger, unpack_body(ledger.body.rows))


def repeat(ledger: Ledger, body: Body) -> Reproduction:
    """`ledger` with its step, turn, session, project and workspace loaded."""
    try:
        plan = _plan(ledger, body)
    except CannotBuild as error:
        return Reproduction(False, "inputs", str(error), None)
    built = rebuild(plan)
    if built.request_sha256 == ledger.request_sha256 and built.verdict == ledger.verdict:
        ranked = _ranked_otherwise(ledger, built)
        return Reproduction(True, "ranking" if ranked else "", ranked, built.request)
    difference, detail = _difference(ledger, plan, built)
    return Reproduction(False, difference, detail, built.request)


def _plan(ledger: Ledger, body: Body) -> Plan:
    step = ledger.step
    policy = policy_at(step.session.project_id, ledger.policy_number)
    if policy is None and ledger.policy_number != 1:
        raise CannotBuild(_("policy version %(number)s is not there any more") % {"number": ledger.policy_number})
    if ledger.origin == Origin.SIMULATED:
        return plan_simulation(step, policy or Policy(), calibration=int(ledger.header.get("calibration") or 0))
    recorded = body.inputs
    if recorded is None:
        raise CannotBuild(_("this ledger does not say what it was built from"))
    profile = profile_of(step.session, recorded["model"], recorded["calibration"])
    profile = replace(profile, window_tokens=recorded["window_tokens"])
    chosen = policy or Policy()
    place = Place(recorded["step"], recorded["turn"], recorded["log_seq"], recorded["as_of"])
    inputs = load_inputs(
        step.session,
        place,
        profile,
        chosen,
        previous_blocks=tuple((digest, tokens) for digest, tokens in recorded["previous_blocks"]),
        memory=_memory(step.session.project_id, recorded["memory"]),
    )
    return Plan(replace(inputs, workspace_root=recorded["workspace_root"], user=recorded.get("user", "")), chosen)


def _memory(project_id: UUID, recorded: list[Mapping[str, Any]]) -> list[MemoryRevision]:
    """The revisions as they stood: claims never change, what moves (state, validity) was recorded."""
    references = [entry["reference"] for entry in recorded]
    found = revisions_named(project_id, references)
    missing = [reference for reference in references if reference not in found]
    if missing:
        raise CannotBuild(_("memory %(reference)s is not there any more") % {"reference": missing[0]})
    return [replace(found[entry["reference"]], **entry) for entry in recorded]


def _difference(ledger: Ledger, plan: Plan, built: Built) -> tuple[str, str]:
    if ledger.engine_version != ENGINE_VERSION:
        return "engine", _("built by engine %(then)s, made again by %(now)s") % {
            "then": ledger.engine_version,
            "now": ENGINE_VERSION,
        }
    then, now = ledger.header.get("tokenizer"), plan.inputs.profile.tokenizer
    if then != now:
        return "tokenizer", _("counted by %(then)s then, by %(now)s now") % {"then": then, "now": now}
    if plan.inputs.state.redacted or any(event.payload.get("erased") is True for event in plan.inputs.events):
        return "erased", _("events this request was made from were erased since")
    if ranked := _ranked_otherwise(ledger, built):
        return "ranking", ranked
    return "inputs", _("inputs had hash %(then)s then and have %(now)s now") % {
        "then": ledger.inputs_sha256[:12],
        "now": built.inputs_sha256[:12],
    }


def _ranked_otherwise(ledger: Ledger, built: Built) -> str:
    """What of the ranking of memory is not as it was recorded; empty for the same, and for ids of an older form."""
    then, now = str(ledger.header.get("rankingSnapshot") or ""), str(built.header["rankingSnapshot"])
    parts = differing(then, now)
    if not parts:
        return ""
    return _("memory was ranked from other inputs (%(parts)s): snapshot %(then)s then, %(now)s now") % {
        "parts": ", ".join(parts),
        "then": then,
        "now": now,
    }
