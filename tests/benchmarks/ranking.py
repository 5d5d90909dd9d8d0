"""Whether the record that a question is about is among the first five of ten thousand, by kind of question, and how long it
takes: `python -m tests.benchmarks.ranking --json [--quick]`. Beside it, in the same run, BM25 over lower-cased words between
spaces. Questions and records come from one seed (tests/benchmarks/questions.py); no recorded text is read.
"""

from __future__ import annotations

import math
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from contextapp.engine.inputs import BuildInputs, MemoryRevision
from contextapp.engine.policy import Policy
from contextapp.engine.projection.state import Goal, SessionState
from contextapp.engine.sources import recall
from tests.benchmarks import questions, report
from tests.benchmarks.questions import Question

FLOOR = {f"recall5_{kind}": (">=", 95.0) for kind in ("en", "zh", "zh_nospace", "case", "path")}
LIMITS = {**FLOOR, "ms_p95_10k": ("<=", 50.0)}
EACH, QUICK_EACH = 50, 15
FIRST = 5
BEGUN = datetime(2026, 1, 1, tzinfo=UTC)
AS_OF = "2026-12-01T00:00:00+00:00"

Ranked = Callable[[str], Sequence[str]]  # a question's text to references, the best first


def measure(options: report.Options) -> dict[str, float]:
    records = questions.records()
    asked = questions.asked(QUICK_EACH if options.quick else EACH)
    revisions = [_revision(place, reference, claim) for place, (reference, claim) in enumerate(records)]
    started = time.perf_counter()
    recall.statistics(tuple(revision.claim for revision in revisions))
    figures = {"index_ms_10k": round((time.perf_counter() - started) * 1000, 3)}
    report.progress(f"{len(records)} records, {len(asked)} questions")
    taken: list[float] = []
    ours = _recalls(asked, lambda text: _ours(text, revisions, taken))
    figures |= {f"recall5_{kind}": percent for kind, percent in ours.items()}
    peer = _words_between_spaces(records)
    figures |= {f"peer_recall5_{kind}": percent for kind, percent in _recalls(asked, peer).items()}
    figures["ms_p50_10k"] = report.median(taken)
    figures["ms_p95_10k"] = report.percentile(taken, 95)
    return figures


def _recalls(asked: Sequence[Question], ranked: Ranked) -> dict[str, float]:
    """Percent of the questions whose record is among the first, over all and by kind."""
    found: dict[str, list[bool]] = defaultdict(list)
    for question in asked:
        is_found = question.reference in ranked(question.text)[:FIRST]
        found["all"].append(is_found)
        found[question.kind].append(is_found)
    return {kind: round(100 * sum(hits) / len(hits), 1) for kind, hits in found.items()}


def _ours(text: str, revisions: Sequence[MemoryRevision], taken: list[float]) -> list[str]:
    """As a build ranks, floor included: what does not enter is not found."""
    inputs = BuildInputs("p", "s", 1, 1, replace(SessionState(), goal=Goal(text, 1, text, 1)), (), as_of=AS_OF)
    started = time.perf_counter()
    judged = recall.compete(revisions, inputs, Policy())
    taken.append((time.perf_counter() - started) * 1000)
    return [one.revision.reference for one in judged if one.refusal is None]


def _words_between_spaces(records: Sequence[tuple[str, str]]) -> Ranked:
    counted = [Counter(claim.lower().split()) for _reference, claim in records]
    lengths = [counts.total() for counts in counted]
    average = sum(lengths) / len(lengths)
    holding: dict[str, list[int]] = defaultdict(list)
    for place, counts in enumerate(counted):
        for word in counts:
            holding[word].append(place)

    def ranked(text: str) -> list[str]:
        scores: dict[int, float] = defaultdict(float)
        for word in set(text.lower().split()):
            places = holding.get(word, [])
            rarity = math.log(1 + (len(records) - len(places) + 0.5) / (len(places) + 0.5))
            for place in places:
                times = counted[place][word]
                scores[place] += rarity * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * lengths[place] / average))
        best = sorted(scores, key=lambda place: (-scores[place], place))[:FIRST]
        return [records[place][0] for place in best]

    return ranked


def _revision(place: int, reference: str, claim: str) -> MemoryRevision:
    verified = (BEGUN + timedelta(hours=place % 8_000)).isoformat()
    return MemoryRevision(
        reference=reference, state="approved", kind="fact", scope="global", scope_key="", claim=claim, source="a session",
        confidence=1.0, valid_from=None, valid_until=None, last_verified_at=verified, trust="fact",
    )  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    return report.run("ranking", measure, LIMITS, arguments)


if __name__ == "__main__":
    sys.exit(main())
