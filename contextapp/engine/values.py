"""The closed sets of words that rows, policies and pages share. A word has one meaning everywhere (DESIGN section 2)."""

from __future__ import annotations

from enum import StrEnum


class Bucket(StrEnum):
    INSTRUCTIONS = "instructions"
    MEMORY = "memory"
    TOOL_SCHEMAS = "tool_schemas"
    MCP_RESOURCES = "mcp_resources"
    TRANSCRIPT = "transcript"
    RESERVE = "reserve"


class Trust(StrEnum):
    TRUSTED = "trusted"
    FACT = "fact"
    UNTRUSTED = "untrusted"

    @property
    def level(self) -> int:
        return {"untrusted": 0, "fact": 1, "trusted": 2}[self.value]


def lowest_trust(levels: list[Trust]) -> Trust:
    return min(levels, key=lambda trust: trust.level, default=Trust.UNTRUSTED)


class Action(StrEnum):
    KEEP = "keep"
    TRUNCATE = "truncate"
    DROP = "drop"
    SUMMARIZE = "summarize"
    REFERENCE = "reference"


class Mode(StrEnum):
    FULL = "full"
    EXCERPT = "excerpt"
    SUMMARY = "summary"
    REFERENCE = "reference"
    NONE = "none"


class Phase(StrEnum):
    DIAGNOSING = "diagnosing"
    PLANNING = "planning"
    EDITING = "editing"
    VERIFYING = "verifying"
    SUMMARIZING = "summarizing"
    BLOCKED = "blocked"


class Method(StrEnum):
    """How a token count was made."""

    EXACT = "exact"
    ESTIMATED = "estimated"
    PROVIDER = "provider"


class Verdict(StrEnum):
    OK = "ok"
    OVERFLOW = "context_overflow"
