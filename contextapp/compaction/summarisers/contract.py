"""The interface of summarisers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from contextapp.engine.compaction import Plan, Summary
from contextapp.engine.compaction.survival import Duty


@dataclass(frozen=True, slots=True)
class Failed:
    """`reason` starts with a code: timeout, http_429, empty, not_json, ... It is stored as the reason of the fallback."""

    reason: str


class Summariser(Protocol):
    @property
    def name(self) -> str:
        """As `by` names it in the event, e.g. `llm:gpt-5-mini`."""

    def summarise(self, plan: Plan, deterministic: Summary, owed: Duty) -> Summary | Failed:
        """A summary of the plan's range. `deterministic` is the one that needs no model; `owed` has to be in it verbatim."""
