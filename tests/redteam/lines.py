"""The two sets of lines in this folder: development.jsonl, which the detectors were tuned on, and heldout.jsonl, which nobody
who tunes them reads. Reads and judges; never changes a set."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from contextapp.engine.injection.verdict import QUARANTINE, judge

HERE = Path(__file__).parent
DEVELOPMENT, HELDOUT = HERE / "development.jsonl", HERE / "heldout.jsonl"
KNOWN_MISSES = HERE / "known_misses.txt"
KINDS, LANGUAGES = ("attack", "benign"), ("en", "zh")
ABSENT = f"{HELDOUT.name} is not in {HERE.name}/: the rate on lines that nobody tuned on is not measured"


@dataclass(frozen=True, slots=True)
class Line:
    name: str
    language: str
    kind: str
    category: str
    text: str

    @property
    def is_quarantined(self) -> bool:
        return judge(self.text, lineage="untrusted").verdict == QUARANTINE

    @property
    def is_missed(self) -> bool:
        """An attack let through, or a benign line stopped."""
        return self.is_quarantined != (self.kind == "attack")


def read(path: Path) -> list[Line]:
    return [Line(**json.loads(row)) for row in path.read_text(encoding="utf-8").splitlines() if row.strip()]


def quarantined_percent(lines: Sequence[Line], kind: str) -> float:
    """Of the lines of that kind; there must be one."""
    verdicts = [line.is_quarantined for line in lines if line.kind == kind]
    return round(100 * sum(verdicts) / len(verdicts), 2)


def known_misses() -> tuple[str, set[str]]:
    """(the target line, the names) of known_misses.txt."""
    rows = KNOWN_MISSES.read_text(encoding="utf-8").splitlines()
    target = next((row for row in rows if row.startswith("target:")), "")
    return target, {row.strip() for row in rows if row.strip() and not row.startswith(("#", "target:"))}
