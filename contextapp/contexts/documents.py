"""The ledger as JSON in the form of docs/ledger.md, for the API, the command and exports. Holds no content of events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from contextapp.contexts.packing import Body


def ledger_document(columns: Mapping[str, Any], body: Body) -> dict[str, Any]:
    """`columns` are those of the Ledger row, with `session`, `turn` and `step`. The same record gives the same bytes."""
    reserve = columns["buckets"].get("reserve", {}).get("used", 0)
    document = {
        "session": str(columns["session"]),
        "turn": columns["turn"],
        "step": columns["step"],
        "origin": columns["origin"],
        "modelInputId": columns["request_sha256"],
        "verdict": columns["verdict"],
        "policyVersion": columns["policy_number"],
        "engineVersion": columns["engine_version"],
        "requestSha256": columns["request_sha256"],
        "inputsSha256": columns["inputs_sha256"],
        **body.ledger.to_dict(),
        "windowTokens": columns["window_tokens"],
        "totalTokens": columns["total_tokens"],
        "estimatedTokens": columns["total_tokens"] - reserve,
        "buckets": columns["buckets"],
    }
    if columns["residue"]:
        document["residue"] = columns["residue"]
    if body.overflow:
        document["overflow"] = body.overflow
    return document
