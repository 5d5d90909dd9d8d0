"""Splits what a provider billed beyond our count, once a session is read: factor, preamble, correction, unexplained.

One pass over header figures, never over rows; running it again over the same session changes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import batched, pairwise
from uuid import UUID

from django.db import connection, transaction

from contextapp.contexts.models import Ledger
from contextapp.contexts.models.ledgers import Origin
from contextapp.contexts.walk import COMPACTION
from contextapp.engine.observed import billed_input, preamble_of, residue_of
from contextapp.engine.values import Method
from contextapp.eventlog.models import Session
from contextapp.policy.calibration import fit
from contextapp.policy.profiles import method_for
from contextapp.policy.selectors import newest_calibration
from contextapp.policy.services import store_calibration

POOL_SESSIONS = 10  # the newest sessions of a model that a fit looks at
SERIES_VALUES = 40
UPDATE_BATCH = 500
_UPDATE = """
UPDATE contexts_ledger AS ledger SET residue = found.residue, total_tokens = found.total_tokens, header = found.header
FROM unnest(%s::bigint[], %s::jsonb[], %s::integer[], %s::jsonb[]) AS found (id, residue, total_tokens, header)
WHERE ledger.id = found.id
"""


@dataclass(frozen=True, slots=True)
class Factor:
    """How many tokens a model's provider bills per token of ours; version 0: none was learned."""

    factor: float
    number: int


def split_residue(*, session_id: UUID) -> None:
    """Fill residue, totals and the session's bar from the newest calibration that its own steps had a part in."""
    with transaction.atomic():
        session = Session.objects.select_for_update(no_key=True).select_related("project").get(id=session_id)
        ledgers = list(
            Ledger.objects.filter(session=session, origin=Origin.OBSERVED)
            .select_related("step")
            .order_by("step_number")
        )
        factors = {model: _factor(session, model) for model in {ledger.step.model for ledger in ledgers}}
        preambles = {model: _preamble(ledgers, model, factor) for model, factor in factors.items()}
        changed = [
            ledger for ledger in ledgers if _split(ledger, factors[ledger.step.model], preambles[ledger.step.model])
        ]
        for batch in batched(changed, UPDATE_BATCH):
            _write(batch)
        session.fill_series = fill_series(ledgers)
        session.save(update_fields=["fill_series"])


def _write(ledgers: Sequence[Ledger]) -> None:
    """Many rows in one statement that is short to write and to plan."""
    with connection.cursor() as cursor:
        cursor.execute(
            _UPDATE,
            [
                [ledger.id for ledger in ledgers],
                [json.dumps(ledger.residue) for ledger in ledgers],
                [ledger.total_tokens for ledger in ledgers],
                [json.dumps(ledger.header) for ledger in ledgers],
            ],
        )


def _preamble(ledgers: Sequence[Ledger], model: str, factor: Factor) -> int:
    """What the model's calls are billed beyond their sources, where the window is freshest: at the first call, and at the
    first after each compaction. The lowest counts, since a transcript that begins in the middle has lost history on top."""
    beyond = []
    is_fresh = True
    for ledger in ledgers:
        is_fresh = is_fresh or COMPACTION in ledger.step.marks
        billed = billed_input(ledger.step.usage)
        if is_fresh and ledger.step.model == model and billed is not None:
            beyond.append(preamble_of(billed, estimated_tokens(ledger), factor.factor))
            is_fresh = False
    return min(beyond, default=0)


def _split(ledger: Ledger, factor: Factor, preamble: int) -> bool:
    """True when a figure changed."""
    estimated = estimated_tokens(ledger)
    billed = billed_input(ledger.step.usage)
    residue = residue_of(estimated, billed, factor.factor, preamble)
    total = estimated if billed is None else billed
    header = {**ledger.header, "totalTokens": total, "calibration": factor.number}
    if (ledger.residue, ledger.total_tokens, ledger.header) == (residue, total, header):
        return False
    ledger.residue, ledger.total_tokens, ledger.header = residue, total, header
    return True


def _factor(session: Session, model: str) -> Factor:
    if method_for(model) is Method.EXACT:
        return Factor(1.0, 0)
    found = fit(_growth(session, model))
    if found is not None:
        tokenizer = _tokenizer(session, model)
        stored = store_calibration(project=session.project, model=model, tokenizer=tokenizer, fit=found)
        return Factor(stored.factor, stored.number)
    newest = newest_calibration(session.project_id, model)
    return Factor(1.0, 0) if newest is None else Factor(newest.factor, newest.number)


def _tokenizer(session: Session, model: str) -> str:
    header = Ledger.objects.filter(session=session, step__model=model).values_list("header", flat=True).first()
    return str((header or {}).get("tokenizer", ""))


def _growth(session: Session, model: str) -> Iterator[tuple[int, int]]:
    """(estimated, billed) growth between neighbouring clean calls of the model, in this session and the newest others."""
    newest = Session.objects.filter(project_id=session.project_id, model=model).order_by("-created_at")
    pool = {session.id, *newest.values_list("id", flat=True)[:POOL_SESSIONS]}
    ledgers = Ledger.objects.filter(session_id__in=pool, origin=Origin.OBSERVED, step__model=model)
    columns = ("session_id", "step_number", "buckets", "step__usage", "step__marks")
    rows = ledgers.order_by("session_id", "step_number").values_list(*columns)
    for before, after in pairwise(rows):
        if before[0] != after[0] or after[1] != before[1] + 1 or COMPACTION in after[4]:
            continue
        billed_before, billed_after = billed_input(before[3]), billed_input(after[3])
        if billed_before is not None and billed_after is not None:
            yield _used(after[2]) - _used(before[2]), billed_after - billed_before


def estimated_tokens(ledger: Ledger) -> int:
    return _used(ledger.buckets)


def _used(buckets: dict[str, dict[str, int]]) -> int:
    return sum(figures["used"] for figures in buckets.values())


def fill_series(ledgers: Sequence[Ledger]) -> list[int]:
    """Per mille of the window at up to 40 steps, the last one always among them; none where no window is known."""
    known = [ledger for ledger in ledgers if ledger.window_tokens]
    if len(known) > SERIES_VALUES:
        last = len(known) - 1
        known = [known[round(place * last / (SERIES_VALUES - 1))] for place in range(SERIES_VALUES)]
    return [min(1000, 1000 * ledger.total_tokens // (ledger.window_tokens or 1)) for ledger in known]
