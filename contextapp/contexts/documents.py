"""The ledger as JSON in the form of docs/ledger.md, for the API, the command and exports. Holds no content of events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from contextapp.contexts.packing import Body
from contextapp.engine.ledger import Row
from contextapp.engine.reasons import Reason

EXCLUDED = (
    "sourceId",
    "sourceKind",
    "bucket",
    "rank",
    "reason",
    "trust",
    "beforeTokens",
    "events",
    "displacedBy",
    "count",
)
COMPACTED = (Reason.COMPACTION_SUMMARY, Reason.HARNESS_SUMMARY)


def ledger_document(ledger: Mapping[str, Any], body: Body) -> dict[str, Any]:
    """`ledger` are the columns of the Ledger row, with `session`, `turn` and `step`. The same record gives the same bytes."""
    figures = body.figures
    reserve = ledger["buckets"].get("reserve", {}).get("used", 0)
    document = {
        "session": str(ledger["session"]),
        "turn": ledger["turn"],
        "step": ledger["step"],
        "origin": ledger["origin"],
        "modelInputId": ledger["request_sha256"],
        "verdict": ledger["verdict"],
        "estimatedTokens": ledger["total_tokens"] - reserve,
        "totalTokens": ledger["total_tokens"],
        "windowTokens": ledger["window_tokens"],
        "policyVersion": ledger["policy_number"],
        "engineVersion": ledger["engine_version"],
        "requestSha256": ledger["request_sha256"],
        "inputsSha256": ledger["inputs_sha256"],
        "included": [_included(row) for row in body.included],
        "excluded": [_excluded(row) for row in body.excluded],
        "compactions": _compactions(body),
        "buckets": ledger["buckets"],
        "floor": figures.get("floor", 0),
        "overhead": figures.get("overhead", 0),
        "margin": figures.get("margin", 0),
        "cachedPrefixTokens": figures.get("cached_prefix", 0),
    }
    if ledger["residue"]:
        document["residue"] = ledger["residue"]
    if body.overflow:
        document["overflow"] = body.overflow
    return document


def _included(row: Row) -> dict[str, Any]:
    return row.to_dict()


def _excluded(row: Row) -> dict[str, Any]:
    stored = row.to_dict()
    return {name: stored[name] for name in EXCLUDED}


def _compactions(body: Body) -> list[dict[str, Any]]:
    """Which summary stands in the request, and the range of the log that it stands in for."""
    covered = [
        row.events
        for row in body.excluded
        if row.reason in (Reason.SUMMARIZED, Reason.HARNESS_COMPACTED) and row.events
    ]
    original = [min(first for first, _ in covered), max(last for _, last in covered)] if covered else None
    return [
        {"sourceId": row.source_id, "summaryId": row.block or row.source_id, "originalRef": original}
        for row in body.included
        if row.reason in COMPACTED
    ]
