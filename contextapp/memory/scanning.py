"""What the engine's detectors say of a claim, and the text a model would get. Decides nothing about people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from contextapp.engine.injection import verdict, visible


@dataclass(frozen=True, slots=True)
class Scan:
    """`verdict` is clean, flagged or quarantine; findings are JSON objects for the row."""

    detector_version: str
    verdict: str
    findings: tuple[dict[str, Any], ...]  # {"id", "weight", "start", "end", "view"}
    shown: str

    @property
    def is_quarantined(self) -> bool:
        return self.verdict == verdict.QUARANTINE


def scan(claim: str, source_trust: str) -> Scan:
    """A detector that fails quarantines: a record nobody could check reaches nobody."""
    judged = verdict.judge(claim, lineage=source_trust)
    return Scan(
        judged.detector_version,
        judged.verdict,
        tuple(finding.to_dict() for finding in judged.findings),
        visible.shown(claim),
    )
