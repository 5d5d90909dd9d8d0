"""Writes of this app: the index of a session, simulated and built inputs, and the proof that a request can be made again."""

from __future__ import annotations

from contextapp.contexts.reproducing import reproduce
from contextapp.contexts.services.build import build_step
from contextapp.contexts.services.constraints import CONFIRM, DISMISS, decide_constraint
from contextapp.contexts.services.counterfactual import (
    COUNTERFACTUAL,
    counterfactual_job,
    find_counterfactual,
    request_counterfactual,
)
from contextapp.contexts.services.exporting import export_session, family_of
from contextapp.contexts.services.index import INDEX_SESSION, index_session, index_session_job, request_index
from contextapp.contexts.services.purge import purge_session
from contextapp.contexts.services.simulate import simulate_step, step_id_of
from contextapp.contexts.services.simulate_session import (
    SIMULATE_SESSION,
    request_simulation,
    simulate_session,
    simulate_session_job,
)

__all__ = [
    "CONFIRM",
    "COUNTERFACTUAL",
    "DISMISS",
    "INDEX_SESSION",
    "SIMULATE_SESSION",
    "build_step",
    "counterfactual_job",
    "decide_constraint",
    "export_session",
    "family_of",
    "find_counterfactual",
    "index_session",
    "index_session_job",
    "purge_session",
    "reproduce",
    "request_counterfactual",
    "request_index",
    "request_simulation",
    "simulate_session",
    "simulate_session_job",
    "simulate_step",
    "step_id_of",
]
