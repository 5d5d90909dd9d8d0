"""Ledgers as stored: found by step and origin, read whole, given as JSON. Raises NotFound in words that say what to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _

from contextapp.contexts.documents import ledger_document
from contextapp.contexts.errors import NotFound
from contextapp.contexts.models import Ledger, Step
from contextapp.contexts.packing import Body, unpack_body
from contextapp.contexts.values import StepEntry, StepList

OPENING_ORDER = ("built", "observed", "simulated")  # the first of these that a step has is what opens


def find_ledger(session_id: UUID, number: int, origin: str | None = None) -> Ledger | None:
    """Of several policies and engines the newest; without an origin the first of OPENING_ORDER."""
    found = Ledger.objects.filter(session_id=session_id, step_number=number).select_related("body", "step__turn")
    if origin is not None:
        return found.filter(origin=origin).order_by("-created_at", "-id").first()
    newest: dict[str, Ledger] = {}
    for ledger in found.order_by("created_at", "id"):
        newest[ledger.origin] = ledger
    return next((newest[name] for name in OPENING_ORDER if name in newest), None)


def need_ledger(session_id: UUID, number: int, origin: str | None = None) -> tuple[Ledger, Body]:
    ledger = find_ledger(session_id, number, origin)
    if ledger is None:
        raise NotFound(
            _("step %(number)s of this session has no %(origin)s ledger")
            % {"number": number, "origin": origin or _("recorded")}
        )
    return ledger, unpack_body(ledger.body.rows)


def origins_of_step(session_id: UUID, number: int) -> tuple[str, ...]:
    found = Ledger.objects.filter(session_id=session_id, step_number=number).values_list("origin", flat=True)
    present = set(found)
    return tuple(origin for origin in OPENING_ORDER if origin in present)


def ledger_json(session_id: UUID, number: int, origin: str | None = None) -> dict[str, Any]:
    """The form of docs/ledger.md."""
    ledger, body = need_ledger(session_id, number, origin)
    return ledger_document(columns_of(ledger), body)


def ledger_by_id(ledger_id: int) -> dict[str, Any]:
    ledger = Ledger.objects.select_related("body", "step__turn").get(id=ledger_id)
    return ledger_document(columns_of(ledger), unpack_body(ledger.body.rows))


def columns_of(ledger: Ledger) -> Mapping[str, Any]:
    return {
        "session": ledger.session_id,
        "turn": ledger.step.turn.number,
        "step": ledger.step_number,
        "origin": ledger.origin,
        "verdict": ledger.verdict,
        "policy_number": ledger.policy_number,
        "engine_version": ledger.engine_version,
        "window_tokens": ledger.window_tokens,
        "total_tokens": ledger.total_tokens,
        "buckets": ledger.buckets,
        "residue": ledger.residue,
        "request_sha256": ledger.request_sha256,
        "inputs_sha256": ledger.inputs_sha256,
    }


def list_steps(session_id: UUID, *, after: int = 0, limit: int = 50) -> StepList:
    steps = Step.objects.filter(session_id=session_id)
    page = list(steps.filter(number__gt=after).select_related("turn").order_by("number")[: limit + 1])
    shown = page[:limit]
    origins: dict[int, set[str]] = {}
    ledgers = Ledger.objects.filter(step__in=shown).values_list("step_number", "origin")
    for number, origin in ledgers:
        origins.setdefault(number, set()).add(origin)
    return StepList(
        steps=tuple(_entry(step, origins.get(step.number, set())) for step in shown),
        next_after=shown[-1].number if len(page) > limit else None,
        total=steps.count(),
    )


def get_step(session_id: UUID, number: int) -> StepEntry:
    step = Step.objects.filter(session_id=session_id, number=number).select_related("turn").first()
    if step is None:
        raise NotFound(_("this session has no step %(number)s") % {"number": number})
    return _entry(step, set(origins_of_step(session_id, number)))


def _entry(step: Step, origins: set[str]) -> StepEntry:
    return StepEntry(
        number=step.number,
        turn=step.turn.number,
        log_seq=step.log_seq,
        first_seq=step.first_seq,
        last_seq=step.last_seq,
        model=step.model,
        phase=step.phase,
        marks=tuple(step.marks),
        origins=tuple(name for name in OPENING_ORDER if name in origins),
    )
