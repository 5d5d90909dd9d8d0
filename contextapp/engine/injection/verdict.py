"""Is this memory text fit to be shown to a model? Signals with weights, a threshold by lineage, one verdict per record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from contextapp.engine.injection.signals import scan

DETECTOR_VERSION = "1"
CLEAN, FLAGGED, QUARANTINE = "clean", "flagged", "quarantine"


@dataclass(frozen=True, slots=True)
class Detection:
    """One signal at its place; `view` names the decoded form it was found in."""

    id: str
    weight: int
    start: int
    end: int
    view: str = "text"

    def to_dict(self) -> dict[str, Any]:
        return {"id": self.id, "weight": self.weight, "start": self.start, "end": self.end, "view": self.view}


@dataclass(frozen=True, slots=True)
class Judgement:
    detector_version: str
    verdict: str
    score: int
    findings: tuple[Detection, ...]


def judge(text: str, *, lineage: str) -> Judgement:
    """`lineage` is the least trust of what the text comes from: reviewer, user, model, tool_internal, untrusted."""
    found = tuple(Detection(finding.code, 5, finding.start, finding.end) for finding in scan(text))
    score = sum(finding.weight for finding in found)
    return Judgement(DETECTOR_VERSION, QUARANTINE if found else CLEAN, score, found)
