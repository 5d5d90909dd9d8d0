"""Refusals, read from what Codex puts in a result's place. A rollout records no decisions, and no grant is inferred."""

from __future__ import annotations

import re

from contextapp.engine.events import PERMISSION_RESOLVED
from contextapp.importers.identity import Fact

_REFUSALS = (
    (
        re.compile(r"(?:(?:exec command|patch) )?rejected by user\s*$|user (?:rejected|cancelled) MCP tool call"),
        "person",
    ),
    (re.compile(r"[^\n]{0,300}rejected by user approval settings"), "rule"),
    (re.compile(r"[^\n]{0,300}rejected: blocked by policy"), "rule"),
    (re.compile(r"This action was rejected due to unacceptable risk\."), "rule"),
)


def denial_fact(call_id: str, head: str) -> Fact | None:
    """The decision that the start of a result speaks of."""
    for pattern, by in _REFUSALS:
        if pattern.match(head):
            reason = head.strip().split("\n")[0]
            payload = {"call_id": call_id, "decision": "denied", "reason": reason, "by": by, "explicit": True}
            return Fact(PERMISSION_RESOLVED, payload)
    return None
