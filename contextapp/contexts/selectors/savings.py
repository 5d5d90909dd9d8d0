"""What the engine saved, from ledgers that are kept under the active policy. Builds nothing; a step without one is not counted.

A built ledger of a step counts more than a simulated one: it is what the agent was handed.
"""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

from contextapp.accounts.models import Project
from contextapp.contexts.models import Ledger
from contextapp.contexts.models.ledgers import Origin
from contextapp.contexts.packing import unpack_body
from contextapp.contexts.values.savings import FamilySavings, Savings, SessionSavings
from contextapp.engine import ledger as engine_ledger
from contextapp.engine.observations import tool_family
from contextapp.engine.observations.families import COMMAND, command_family
from contextapp.engine.reasons import Reason
from contextapp.engine.values import Bucket, Mode
from contextapp.engine.version import ENGINE_VERSION
from contextapp.eventlog.models import Session
from contextapp.eventlog.selectors import runs_of
from contextapp.policy.selectors import active_policy

# What our cuts leave out. A summary that the session itself holds stands under every policy, so what it covers is none.
CUT = frozenset({Reason.STALE, Reason.DUPLICATE, Reason.SUPERSEDED, Reason.BUCKET_BUDGET, Reason.WINDOW_BUDGET})
RESULT = "tool_result"


def savings_of(project: Project, session_id: UUID | None = None) -> Savings:
    """Of every session of the project that has a step, or of one; those with the most saved first."""
    policy = active_policy(project.id).number
    sessions = runs_of([project.id]).filter(step_count__gt=0)
    if session_id is not None:
        sessions = sessions.filter(id=session_id)
    found = [_of_session(session, policy) for session in sessions.iterator(chunk_size=200)]
    found.sort(key=lambda one: (one.active_tokens - one.identity_tokens, str(one.session_id)))
    return Savings(project.slug, policy, ENGINE_VERSION, tuple(found))


def _of_session(session: Session, policy_number: int) -> SessionSavings:
    families: dict[str, FamilySavings] = {}
    seen: set[str] = set()
    identity = active = counted = 0
    for ledger in _ledgers(session.id, policy_number):
        counted += 1
        whole, shown = _totals(ledger)
        identity, active = identity + whole, active + shown
        for row in ledger.rows:
            if row.source_kind != RESULT or row.count != 1 or row.source_id in seen:
                continue
            seen.add(row.source_id)
            one = _entered(row)
            families[one.family] = one.plus(families.get(one.family, FamilySavings(one.family)))
    parts = tuple(families[name] for name in sorted(families))
    return SessionSavings(session.id, session.title, session.step_count, counted, identity, active, parts)


def _ledgers(session_id: UUID, policy_number: int) -> Iterator[engine_ledger.Ledger]:
    """One of each step that has one, in order of the steps."""
    found = (
        Ledger.objects.filter(
            session_id=session_id,
            policy_number=policy_number,
            engine_version=ENGINE_VERSION,
            origin__in=(Origin.BUILT, Origin.SIMULATED),
        )
        .order_by("step_number", "origin")  # built before simulated
        .select_related("body")
    )
    last = 0
    for stored in found.iterator(chunk_size=50):
        if stored.step_number != last:
            last = stored.step_number
            yield unpack_body(stored.body.rows).ledger


def _totals(ledger: engine_ledger.Ledger) -> tuple[int, int]:
    """(tokens had every source stayed whole, tokens of the request), both without the reserve."""
    included = [row for row in ledger.included if row.bucket != Bucket.RESERVE]
    shown = sum(row.after_tokens for row in included)
    left_out = sum(row.before_tokens for row in ledger.excluded if row.reason in CUT)
    whole = sum(_whole(row) for row in included) + left_out + ledger.overhead_tokens
    as_sent = shown + ledger.overhead_tokens
    margin = ledger.margin_tokens  # a share of what is counted: more tokens, more margin
    return whole + (margin * whole // as_sent if as_sent else 0), as_sent + margin


def _whole(row: engine_ledger.Row) -> int:
    """Tokens of the source before our cuts. What the record itself holds shortened is full as far as we have it."""
    return row.after_tokens if row.mode == Mode.FULL else max(row.before_tokens, row.after_tokens)


def _entered(row: engine_ledger.Row) -> FamilySavings:
    after = row.after_tokens if row.is_included else 0
    before = _whole(row)
    return FamilySavings(_family(row.title), 1, int(after < before), before, after)


def _family(title: str) -> str:
    """By what a row calls its result: the tool's name, then what was asked (`families.call_label`)."""
    name, _space, about = title.partition(" ")
    family = tool_family(name)
    return command_family(about) if family == COMMAND else family
