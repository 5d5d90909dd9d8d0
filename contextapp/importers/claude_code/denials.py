"""Refusals, read from the words of a tool result, for the transcript records no decisions. A grant is never inferred."""

from __future__ import annotations

import re
from dataclasses import dataclass

from contextapp.engine.events import PERMISSION_RESOLVED
from contextapp.importers.identity import Fact


@dataclass(frozen=True, slots=True)
class _Refusal:
    pattern: re.Pattern[str]
    by: str  # person, rule, mode
    explicit: bool


_REFUSALS = (
    _Refusal(re.compile(r"The user doesn't want to proceed with this tool use\."), "person", True),
    _Refusal(re.compile(r"The user doesn't want to take this action right now\."), "person", True),
    _Refusal(re.compile(r"Permission for this action has been denied\."), "rule", True),
    _Refusal(re.compile(r"Permission to use \S+ .{0,2000}?has been denied", re.DOTALL), "rule", True),
    _Refusal(re.compile(r"(?:PreToolUse:\S+ hook error|\S+ operation blocked by hook)\b"), "rule", True),
    _Refusal(
        re.compile(r"Claude requested permissions? to .{0,2000}?haven't granted it yet", re.DOTALL), "mode", False
    ),
)
_SAID = re.compile(r"(?:the user said|Reason|reason):\s*(.+)", re.DOTALL)


def denial_fact(call_id: str, content: str) -> Fact | None:
    """The decision that a failed result speaks of; the result itself stays an event of its own beside it."""
    head = content.removeprefix("<tool_use_error>").lstrip()[:4000]
    for refusal in _REFUSALS:
        if found := refusal.pattern.match(head):
            said = _SAID.search(head)
            payload = {
                "call_id": call_id,
                "decision": "denied",
                "reason": said[1].strip() if said else found[0],  # the person's words, else the harness's
                "by": refusal.by,
                "explicit": refusal.explicit,
            }
            return Fact(PERMISSION_RESOLVED, payload)
    return None
