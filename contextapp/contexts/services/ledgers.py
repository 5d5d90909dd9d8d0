"""Stores the ledgers of builds. Unique per step, origin, policy and engine: the same build leaves the same row."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

from contextapp.contexts.models import Ledger, LedgerBody, Step
from contextapp.contexts.packing import Body, pack_body
from contextapp.engine.inputs import Built, Overflow
from contextapp.engine.policy import Policy
from contextapp.engine.version import ENGINE_VERSION
from contextapp.memory.services import Use, record_uses

MEMORY = "memory"  # the kind of their sources


@dataclass(frozen=True, slots=True)
class Kept:
    """What becomes one ledger: a step, its build and how tokens were counted; the last two of a request handed out."""

    step: Step
    built: Built
    method: str
    build_id: UUID | None = None
    inputs: Mapping[str, Any] | None = None


def keep_ledgers(*, origin: str, policy: Policy, kept: Sequence[Kept]) -> list[Ledger]:
    """Header figures in columns, rows and block digests in the body. Runs in its caller's transaction."""
    ledgers = Ledger.objects.bulk_create(
        [_ledger(each, origin, policy) for each in kept],
        update_conflicts=True,
        unique_fields=["step", "origin", "policy_number", "engine_version"],
        update_fields=[
            "build_id", "verdict", "window_tokens", "total_tokens", "buckets", "header", "request_sha256", "inputs_sha256",
        ],
    )  # fmt: skip
    bodies = [
        LedgerBody(ledger=ledger, rows=pack_body(body_of_built(each.built, each.method, each.inputs)))
        for ledger, each in zip(ledgers, kept, strict=True)
    ]
    LedgerBody.objects.bulk_create(bodies, update_conflicts=True, unique_fields=["ledger"], update_fields=["rows"])
    _keep_uses(origin, kept)
    return ledgers


def _keep_uses(origin: str, kept: Sequence[Kept]) -> None:
    """Which memory stood in which request: the record's own page asks it, and the test for echoes."""
    if not kept:
        return
    session = kept[0].step.session
    uses = [
        Use(row.source_id, each.step.number, row.reason, row.detail, row.after_tokens)
        for each in kept
        for row in each.built.ledger.included
        if row.source_kind == MEMORY
    ]
    steps = [each.step.number for each in kept]
    record_uses(project_id=session.project_id, session_id=session.id, origin=origin, steps=steps, uses=uses)


def _ledger(kept: Kept, origin: str, policy: Policy) -> Ledger:
    step, built = kept.step, kept.built
    return Ledger(
        step=step,
        origin=origin,
        policy_number=policy.number,
        engine_version=ENGINE_VERSION,
        session_id=step.session_id,
        step_number=step.number,
        build_id=kept.build_id,
        verdict=built.verdict.value,
        window_tokens=built.ledger.window_tokens,
        total_tokens=built.ledger.total_tokens,
        buckets={name: dict(figures) for name, figures in built.ledger.buckets.items()},
        header=dict(built.header),
        request_sha256=built.request_sha256,
        inputs_sha256=built.inputs_sha256,
    )


def body_of_built(built: Built, method: str, inputs: Mapping[str, Any] | None = None) -> Body:
    request = built.request
    return Body(
        ledger=built.ledger,
        blocks=block_digests(built) if request else (),
        method=method,
        overflow=_as_json(built.overflow) if built.overflow else None,
        request={"model": request.model, "max_output_tokens": request.max_output_tokens} if request else None,
        inputs=inputs,
    )


def _as_json(overflow: Overflow) -> dict[str, Any]:
    """With lists for tuples, as it comes back from storage."""
    stored: dict[str, Any] = json.loads(json.dumps(asdict(overflow)))
    return stored


def block_digests(built: Built) -> tuple[tuple[str, int], ...]:
    """(digest, tokens) of the request's blocks in their order: each has exactly one row."""
    rows = sorted((row for row in built.ledger.included if row.block), key=lambda row: row.order)
    return tuple((row.block, row.after_tokens) for row in rows)
