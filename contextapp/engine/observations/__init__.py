"""Tool results as they may enter a request: one reduction per tool family, each saying how much of how much it shows. One that
saves nothing is not taken, and a small result passes byte for byte."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from contextapp.engine.observations import binary, families, plain, reading, running, searching
from contextapp.engine.observations.families import FAMILIES, call_family, call_label, tool_family
from contextapp.engine.observations.markers import gap, marker
from contextapp.engine.observations.sizes import head_and_tail, is_small, room
from contextapp.engine.observations.text import clean
from contextapp.engine.observations.values import Observation
from contextapp.engine.policy import Limits
from contextapp.engine.reasons import Reason
from contextapp.engine.tokens import weight


def reduce(
    tool_name: str,
    arguments: Mapping[str, Any],
    content: str,
    *,
    is_error: bool,
    limits: Limits,
    artifact: str = "",
) -> Observation:
    """The result by the rule of its family, never longer than the content. `artifact` names where the whole is, in words
    the model can use (`artifact 9f2c…`, `event 131`)."""
    family = call_family(tool_name, arguments)
    summary = call_label(tool_name, arguments) or "tool"
    content = clean(content)
    readable, found = content, 0
    if binary.is_binary(content):
        readable, found = binary.describe_binary(content), 1
    elif len(content) >= binary.MIN_CHARS:
        readable, found = binary.without_binary(content)
    made = _by_family(family, readable, summary, is_error, limits, artifact)
    if not is_small(made.text, limits):
        text, shown = _cut(made.text, limits, artifact)
        reason = made.reason or Reason.TOOL_RESULT_LIMIT
        made = replace(made, text=text, shown=shown, total=len(content), unit="characters", reason=reason)
    if found and made.reason is None:
        made = replace(made, reason=Reason.MEDIA_REFERENCE)
    if len(made.text) >= len(content):
        made = replace(made, text=content, shown=made.total, reason=None)
    return replace(made, is_error=is_error)


def _cut(text: str, limits: Limits, artifact: str) -> tuple[str, int]:
    """The ends of a text that fit one result. What is heavy may stand at the ends alone, so the cut is weighed again."""
    space = room(text, limits)
    cut, shown = plain.cut(text, space, artifact, 60)
    while (heavy := weight(cut)) > limits.result_tokens and space > 1:
        space = min(space - 1, space * limits.result_tokens // heavy)
        cut, shown = plain.cut(text, max(1, space), artifact, 60)
    return cut, shown


def _by_family(family: str, content: str, summary: str, is_error: bool, limits: Limits, artifact: str) -> Observation:
    is_structured = content[:1] in ("{", "[") and content.rstrip()[-1:] in ("}", "]")
    match family:
        case families.READ if not is_error:
            return reading.reduce(content, summary=summary, limits=limits, artifact=artifact)
        case families.SEARCH if not (is_error or is_structured):
            return searching.search(content, summary=summary, limits=limits, artifact=artifact)
        case families.LIST if not (is_error or is_structured):
            return searching.listing(content, summary=summary, limits=limits, artifact=artifact)
        case families.COMMAND | families.TEST:
            return running.reduce(
                content, summary=summary, kind=family, limits=limits, artifact=artifact, is_error=is_error
            )
        case _:
            said = f"{summary}: {'failed, ' if is_error else ''}{plain.describe(content)}"
            # The end of an error says what went wrong; the start of a page says what it is.
            share = 20 if is_error else 60
            return plain.reduce(
                content, summary=said, kind=family, limits=limits, artifact=artifact, head_percent=share
            )


def reference(observation: Observation, *, limits: Limits, artifact: str = "") -> Observation:
    """The short form for an old result: its summary line, as much of its ends as `old_result_chars` lets in, and how to get
    all. One that is short already stays as it is."""
    limit = limits.old_result_chars
    if len(observation.text) <= limit:
        return observation
    rest = f"all: {artifact}" if artifact else "run it again to see it"
    line = f"[{observation.summary}; an older result, shortened; {rest}]"
    space = limit - len(line) - len("\n[… 1,000,000,000 characters omitted …]\n\n")
    text, shown = line, 0
    if space > 80:
        share = 20 if observation.is_error or observation.kind in (families.COMMAND, families.TEST) else 60
        first, last = head_and_tail(observation.text, space, share)
        shown = len(first) + len(last)
        text = f"{line}\n{first}\n{gap(len(observation.text) - shown, 'characters')}\n{last}"
    if len(text) >= len(observation.text):
        return observation
    return replace(
        observation,
        text=text,
        shown=shown,
        total=len(observation.text),
        unit="characters",
        reason=Reason.OLD_RESULT_REFERENCE,
    )


__all__ = ["FAMILIES", "Observation", "call_family", "call_label", "marker", "reduce", "reference", "tool_family"]
