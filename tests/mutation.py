"""Sums up the last mutation run: killed of all, for each module. Says nothing of mutants that were not run."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

RESULTS = Path("mutants")
KILLED, SURVIVED = "killed", "survived"
LIMIT_PERCENT = 85


def outcomes() -> dict[str, Counter[str]]:
    """By module: how many mutants a test killed and how many none noticed. Exit codes are pytest's: 1 is a failed test."""
    found: dict[str, Counter[str]] = {}
    for meta in sorted(RESULTS.rglob("*.meta")):
        codes = json.loads(meta.read_text())["exit_code_by_key"].values()
        counts = Counter(SURVIVED if code in (0, 33) else KILLED for code in codes if code is not None)
        if counts:
            found[str(meta.relative_to(RESULTS)).removesuffix(".meta")] = counts
    return found


def main() -> int:
    found = outcomes()
    if not found:
        sys.stderr.write("no mutation run was found under mutants/; run make mutation\n")
        return 2
    total: Counter[str] = sum(found.values(), Counter())
    for name, counts in {**found, "all": total}.items():
        share = 100 * counts[KILLED] / counts.total()
        sys.stdout.write(f"{share:5.1f} %  {counts[KILLED]:4} of {counts.total():4} killed  {name}\n")
    return 0 if 100 * total[KILLED] >= LIMIT_PERCENT * total.total() else 1


if __name__ == "__main__":
    sys.exit(main())
