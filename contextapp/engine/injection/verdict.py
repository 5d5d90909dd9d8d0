"""Is this memory text fit to be shown to a model? Signals with weights, a threshold by lineage, one verdict per record.

Detectors sort the queue and stop text that nobody can see. They are not the boundary: that is approval by people, lineage, and
rendering memory as data. A change of what they find changes DETECTOR_VERSION, and live records are judged again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from contextapp.engine.injection import hidden, markup, orders, views
from contextapp.engine.injection.detection import FLAG, HARD, Detection

DETECTOR_VERSION = "4"
CLEAN, FLAGGED, QUARANTINE = "clean", "flagged", "quarantine"
THRESHOLDS = {"reviewer": 5, "user": 5, "model": 4, "tool_internal": 3, "untrusted": 3}
DECODED = 2  # more for what had to be decoded first
COMMANDED = 2  # more for a command from text nobody vouches for
LONG_CHARS = 500
MOST_FOUND = 40


@dataclass(frozen=True, slots=True)
class Judgement:
    """`score` is the sum of the soft signals; a hard one quarantines whatever the score."""

    detector_version: str
    verdict: str
    score: int
    findings: tuple[Detection, ...]


def judge(text: str, *, lineage: str) -> Judgement:
    """`lineage` is the least trust of what the text comes from; an unknown one counts as untrusted."""
    threshold = THRESHOLDS.get(lineage, THRESHOLDS["untrusted"])
    found = [*hidden.found(text), *_read(text, lineage)]
    styled = [finding for finding in found if finding.id == "D09"]
    soft = _soft(found)
    if styled and soft:  # dressed-up letters around an order are no decoration
        found = [replace(finding, weight=HARD) if finding.id == "D09" else finding for finding in found]
    score = sum(soft.values())
    if score and threshold == THRESHOLDS["untrusted"] and orders.is_imperative(text):
        found.append(Detection("D26", COMMANDED, 0, len(text)))
        score += COMMANDED
    if len(text) > LONG_CHARS:
        found.append(Detection("D31", FLAG, LONG_CHARS, len(text)))
    is_hard = any(finding.is_hard for finding in found)
    verdict = QUARANTINE if is_hard or score >= threshold else FLAGGED if found else CLEAN
    kept = sorted(set(found), key=lambda finding: (-finding.weight, finding.id, finding.start))[:MOST_FOUND]
    return Judgement(DETECTOR_VERSION, verdict, score, tuple(kept))


def _read(text: str, lineage: str) -> list[Detection]:
    """Markup and orders, as written and as each decoder would read them."""
    readable = views.plain(text)
    found = [*markup.found(text), *orders.found(text)]
    if readable != text:
        found += [*markup.found(readable, "plain"), *orders.found(readable, "plain")]
    if THRESHOLDS.get(lineage, 3) == THRESHOLDS["untrusted"]:
        found += orders.praise(readable)
    for name, view in views.decoded(readable):
        if name in ("rot13", "reversed") and not views.is_prose(view):
            continue
        for finding in orders.found(view, name, is_gated=False):
            if view[finding.start : finding.end] in readable:
                continue  # it stands there as written too, and was weighed there
            found.append(replace(finding, weight=finding.weight + DECODED))
        found += [
            finding
            for finding in markup.found(view, name)
            if finding.is_hard and name not in ("rot13", "reversed", "leet")
        ]
    return found


def _soft(found: list[Detection]) -> dict[str, int]:
    """The weight of each soft signal, its heaviest hit counted once."""
    weights: dict[str, int] = {}
    for finding in found:
        if not finding.is_hard and finding.weight:
            weights[finding.id] = max(weights.get(finding.id, 0), finding.weight)
    return weights
