"""Reads of this app, for pages and doors. Values leave, models don't; `contexts.values` lists what each gives."""

from __future__ import annotations

from contextapp.contexts.selectors.comparing import compare_steps
from contextapp.contexts.selectors.ledgers import get_step, ledger_by_id, ledger_json, list_steps, origins_of_step
from contextapp.contexts.selectors.memory import (
    StepFate,
    WouldHave,
    steps_entered,
    steps_kept_out,
    titles_of,
    would_have,
)
from contextapp.contexts.selectors.previewing import policy_preview, preview_step, preview_steps
from contextapp.contexts.selectors.requests import step_request
from contextapp.contexts.selectors.savings import savings_of
from contextapp.contexts.selectors.saw import saw_blocks
from contextapp.contexts.selectors.sessions import chart_series, origins_of, session_page
from contextapp.contexts.selectors.states import state_at, state_now, state_upto
from contextapp.contexts.selectors.steps import row_detail, step_page
from contextapp.contexts.selectors.strip import film
from contextapp.contexts.selectors.transcripts import transcript_page
from contextapp.contexts.selectors.turns import turn_page
from contextapp.contexts.selectors.whence import parts_of_call, whence
from contextapp.contexts.selectors.why import why

__all__ = [
    "StepFate",
    "WouldHave",
    "chart_series",
    "compare_steps",
    "film",
    "get_step",
    "ledger_by_id",
    "ledger_json",
    "list_steps",
    "origins_of",
    "origins_of_step",
    "parts_of_call",
    "policy_preview",
    "preview_step",
    "preview_steps",
    "row_detail",
    "savings_of",
    "saw_blocks",
    "session_page",
    "state_at",
    "state_now",
    "state_upto",
    "step_page",
    "step_request",
    "steps_entered",
    "steps_kept_out",
    "titles_of",
    "transcript_page",
    "turn_page",
    "whence",
    "why",
    "would_have",
]
