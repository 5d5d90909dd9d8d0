"""The head of a session as pages show it, and its chart. A constant number of queries, whatever the session's length."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db.models import F

from contextapp.contexts.errors import NotFound
from contextapp.contexts.models import Ledger, Step, Turn
from contextapp.contexts.values import Chart, ChartStep, ChartTurn, SessionLink, SessionPage
from contextapp.engine.values import Bucket
from contextapp.eventlog.models import Session

# The first of these that a session has is what opens.
OPENING_ORDER = ("built", "observed", "simulated")
ENGINE_BUCKETS = tuple(bucket.value for bucket in Bucket if bucket != Bucket.RESERVE)


def session_page(session_id: UUID) -> SessionPage:
    session = Session.objects.select_related("project", "workspace", "parent", "head").filter(id=session_id).first()
    if session is None:
        raise NotFound(f"there is no session {session_id}")
    children = session.children.order_by("started_at", "id").only("id", "title", "agent", "step_count")
    origins = origins_of(session_id)
    preferred = [origin for origin in OPENING_ORDER if origin in origins]
    return SessionPage(
        id=session.id,
        project_slug=session.project.slug,
        title=session.title,
        origin=session.origin,
        agent=session.agent,
        agent_version=session.agent_version,
        model=session.model,
        window_tokens=session.model_window_tokens,
        workspace=session.workspace.name if session.workspace else "",
        workspace_root=session.workspace.root if session.workspace else "",
        started_at=session.started_at,
        ended_at=session.ended_at,
        created_at=session.created_at,
        event_count=session.event_count,
        turn_count=session.turn_count,
        step_count=session.step_count,
        compaction_count=session.compaction_count,
        overflow_count=session.overflow_count,
        denial_count=session.denial_count,
        error_count=session.error_count,
        quarantine_count=session.quarantine_count,
        indexed_seq=session.indexed_seq,
        head_seq=session.head.head_seq,
        parent=_link(session.parent) if session.parent else None,
        children=tuple(_link(child) for child in children),
        guide=session.guide,
        origins=origins,
        default_origin=preferred[0] if preferred else _expected_origin(session),
        erased_at=session.erased_at,
    )


def origins_of(session_id: UUID) -> tuple[str, ...]:
    found = set(Ledger.objects.filter(session_id=session_id).order_by().values_list("origin", flat=True).distinct())
    return tuple(origin for origin in OPENING_ORDER if origin in found)


def chart_series(session_id: UUID, origin: str | None = None, turn: int | None = None) -> Chart:
    """One column per step of the session, or of one turn. Steps without a ledger of this origin are there, empty."""
    page_origin = origin or _opening_origin(session_id)
    steps = (
        Step.objects.filter(session_id=session_id).order_by("number").values("number", "marks", "model", "turn__number")
    )
    turns = Turn.objects.filter(session_id=session_id).order_by("number")
    ledgers = Ledger.objects.filter(session_id=session_id, origin__in=[page_origin, "simulated"])
    if turn is not None:
        steps = steps.filter(turn__number=turn)
        turns = turns.filter(number=turn)
        ledgers = ledgers.filter(step__turn__number=turn)
    shown, thin = _by_step(ledgers, page_origin)
    columns = tuple(_column(step, shown.get(step["number"]), thin.get(step["number"])) for step in steps)
    window = Session.objects.filter(id=session_id).values_list("model_window_tokens", flat=True).first()
    windows = {ledger["window_tokens"] for ledger in shown.values() if ledger["window_tokens"]}
    return Chart(
        origin=page_origin,
        window_tokens=max(windows, default=window),
        peak_tokens=max((column.total_tokens for column in columns), default=0),
        steps=columns,
        turns=_chart_turns(turns.values("number", "title"), columns),
    )


def _by_step(ledgers: Any, origin: str) -> tuple[dict[int, dict[str, Any]], dict[int, int]]:
    """The ledgers of the origin, and the simulated totals, by step; of several policies and engines the newest counts."""
    columns = ("step_number", "origin", "total_tokens", "window_tokens", "buckets", "residue", "verdict")
    overhead = {"overhead": F("header__overheadTokens"), "policy": F("policy_number")}
    shown: dict[int, dict[str, Any]] = {}
    thin: dict[int, int] = {}
    for ledger in ledgers.order_by("created_at", "id").values(*columns, **overhead):
        if ledger["origin"] == origin:
            shown[ledger["step_number"]] = ledger
        if ledger["origin"] == "simulated":
            thin[ledger["step_number"]] = ledger["total_tokens"] - _reserve(ledger["buckets"])
    return shown, thin


def _column(step: Mapping[str, Any], ledger: Mapping[str, Any] | None, simulated: int | None) -> ChartStep:
    buckets = ledger["buckets"] if ledger else {}
    residue = ledger["residue"] if ledger else {}
    reserve = _reserve(buckets)
    return ChartStep(
        number=step["number"],
        turn=step["turn__number"],
        total_tokens=ledger["total_tokens"] - reserve if ledger else 0,
        segments=tuple((name, buckets[name]["used"]) for name in ENGINE_BUCKETS if name in buckets),
        reserve_tokens=reserve,
        overhead=int(ledger["overhead"] or 0) if ledger else 0,
        preamble=residue.get("preamble") or 0,
        correction=residue.get("correction") or 0,
        unexplained=residue.get("unexplained") or 0,
        marks=tuple(step["marks"]),
        model=step["model"],
        verdict=ledger["verdict"] if ledger else "",
        simulated_tokens=simulated,
    )


def _chart_turns(turns: Any, columns: tuple[ChartStep, ...]) -> tuple[ChartTurn, ...]:
    bounds: dict[int, list[int]] = {}
    for column in columns:
        bounds.setdefault(column.turn, [column.number, column.number])[1] = column.number
    return tuple(
        ChartTurn(
            number=turn["number"],
            title=turn["title"],
            first_step=bounds[turn["number"]][0],
            last_step=bounds[turn["number"]][1],
        )
        for turn in turns
        if turn["number"] in bounds
    )


def _reserve(buckets: Mapping[str, Any]) -> int:
    return int(buckets.get(Bucket.RESERVE.value, {}).get("used", 0))


def _opening_origin(session_id: UUID) -> str:
    found = origins_of(session_id)
    if found:
        return found[0]
    session = Session.objects.filter(id=session_id).only("origin").first()
    if session is None:
        raise NotFound(f"there is no session {session_id}")
    return _expected_origin(session)


def _expected_origin(session: Session) -> str:
    return "built" if session.origin == "api" else "observed"


def _link(session: Session) -> SessionLink:
    return SessionLink(id=session.id, title=session.title, agent=session.agent, step_count=session.step_count)
