"""The rule for results of no family: both ends, with the middle counted. Also the last cut for every other family."""

from __future__ import annotations

from contextapp.engine.observations.markers import gap, marker
from contextapp.engine.observations.sizes import head_and_tail, is_small, room
from contextapp.engine.observations.text import number
from contextapp.engine.observations.values import Observation
from contextapp.engine.policy import Limits
from contextapp.engine.reasons import Reason

_MARKER_CHARS = 160


def reduce(
    content: str, *, summary: str, kind: str, limits: Limits, artifact: str, head_percent: int = 60
) -> Observation:
    total = len(content)
    if is_small(content, limits):
        return Observation(kind, summary, content, total, total, "characters")
    text, shown = cut(content, room(content, limits), artifact, head_percent)
    return Observation(kind, summary, text, shown, total, "characters", Reason.TOOL_RESULT_LIMIT)


def cut(content: str, limit: int, artifact: str, head_percent: int) -> tuple[str, int]:
    """At most `limit` characters with markers, and how many of the content they hold."""
    first, last = head_and_tail(content, max(0, limit - _MARKER_CHARS - len(artifact)), head_percent)
    shown = len(first) + len(last)
    omitted = gap(len(content) - shown, "characters")
    return f"{first}\n{omitted}\n{last}\n{marker(shown, len(content), 'characters', artifact)}", shown


def describe(content: str) -> str:
    lines = content.count("\n") + bool(content and not content.endswith("\n"))
    return f"{number(lines)} lines, {number(len(content))} characters"
