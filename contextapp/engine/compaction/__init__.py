"""Compaction: what a summary may stand for, what it says, and what survived it. Pure; writes no event and drops none."""

from __future__ import annotations

from contextapp.engine.compaction.deterministic import summarise
from contextapp.engine.compaction.plan import DEFAULT, NotPlanned, Plan, Setting, plan
from contextapp.engine.compaction.summary import Line, Summary
from contextapp.engine.compaction.survival import Fate, Survived, survival

__all__ = [
    "DEFAULT",
    "Fate",
    "Line",
    "NotPlanned",
    "Plan",
    "Setting",
    "Summary",
    "Survived",
    "plan",
    "summarise",
    "survival",
]
