"""What doors get from the selectors of this app: frozen values, no models.

    session_page(session_id) -> SessionPage            chart_series(session_id, origin=None, turn=None) -> Chart
    transcript_page(session_id, *, after_seq=0, before_seq=None, turn=None, limit=120) -> TranscriptPage
    turn_page(session_id, number, origin=None) -> TurnPage
    step_page(session_id, number, *, origin=None, filters=LedgerFilter()) -> StepPage
    saw_blocks(session_id, number, *, origin=None, first=1, limit=200) -> Saw
    row_detail(session_id, number, *, origin=None, key) -> RowDetail
    compare_steps(session_id, number, *, other=None, origin=None) -> Comparison
    list_steps(session_id, *, after=0, limit=50) -> StepList
    state_at(session_id, number) -> StateView          ledger_json(session_id, number, origin=None) -> dict

All raise `contextapp.contexts.errors.NotFound` for what is not there. The caller has checked access to the session
(`eventlog.selectors.session_for`).
"""

from __future__ import annotations

from contextapp.contexts.values.ledgers import (
    BucketGroup,
    Comparison,
    Facet,
    LedgerFilter,
    LedgerRow,
    LedgerView,
    Residue,
    RowChange,
    RowDetail,
    Saw,
    SawBlock,
    StateView,
    StepPage,
    Usage,
)
from contextapp.contexts.values.outcomes import BuildOutcome, Indexed, Reproduction, Simulated
from contextapp.contexts.values.sessions import (
    Chart,
    ChartStep,
    ChartTurn,
    ReasonSum,
    SessionLink,
    SessionPage,
    StepEntry,
    StepLink,
    StepList,
    TurnPage,
)
from contextapp.contexts.values.transcript import (
    PREVIEW_CHARS,
    CallItem,
    EventPiece,
    Preview,
    TranscriptItem,
    TranscriptPage,
    TranscriptTurn,
)

__all__ = [
    "BucketGroup",
    "BuildOutcome",
    "CallItem",
    "Chart",
    "ChartStep",
    "ChartTurn",
    "Comparison",
    "EventPiece",
    "Facet",
    "Indexed",
    "LedgerFilter",
    "LedgerRow",
    "LedgerView",
    "PREVIEW_CHARS",
    "Preview",
    "ReasonSum",
    "Reproduction",
    "Residue",
    "RowChange",
    "RowDetail",
    "Saw",
    "SawBlock",
    "SessionLink",
    "SessionPage",
    "Simulated",
    "StateView",
    "StepEntry",
    "StepLink",
    "StepList",
    "StepPage",
    "TranscriptItem",
    "TranscriptPage",
    "TranscriptTurn",
    "TurnPage",
    "Usage",
]
