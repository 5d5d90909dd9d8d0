"""Positions: where each block stands in the request, by the policy's layout. Rank decided who is in; not where."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace

from contextapp.engine.lanes import Rendered

# `history` is the transcript without its last atom, `latest` that atom: a call and its results are never parted. Where a
# layout has no `latest` or `resources`, these stand in the history by their place in the log: a resource that arrives in
# the middle of a session then changes nothing in front of it, and a provider's cache keeps what it has.
POSITIONS: dict[str, tuple[str, ...]] = {
    "cache_first": (
        "safety", "tools", "instructions", "summary", "history",
        "goal", "constraint", "state", "evidence", "memory",
    ),
    "layered": (
        "safety", "tools", "instructions", "memory", "goal", "constraint", "state", "summary", "history",
        "resources", "evidence", "latest",
    ),
    "attention_first": (
        "safety", "tools", "instructions", "goal", "constraint", "state", "history", "latest",
        "evidence", "resources", "memory", "summary",
    ),
}  # fmt: skip


def order(kept: Sequence[Rendered], layout: str) -> tuple[Rendered, ...]:
    """The same blocks, each section at its place and in its own order, with call ids that are used once."""
    place = {section: number for number, section in enumerate(POSITIONS[layout])}
    last_group = max((rendered.source.group for rendered in kept if rendered.source.part == "transcript"), default=0)

    def position(rendered: Rendered) -> tuple[int, int]:
        section = _section(rendered, last_group)
        if section in place and section != "history":
            return place[section], 0
        source = rendered.source
        return place["history"], source.group or (source.events[0] if source.events else 0)

    return _with_own_call_ids(sorted(kept, key=position))


def _section(rendered: Rendered, last_group: int) -> str:
    source = rendered.source
    if source.part == "transcript":
        return "latest" if source.group == last_group else "history"
    return source.kind if source.part == "trailing" else source.part


def _with_own_call_ids(ordered: Sequence[Rendered]) -> tuple[Rendered, ...]:
    """Agents may use a call id again; a request must not. The later use gets its event's number behind it, and so does
    its result."""
    used: set[str] = set()
    renamed: dict[str, deque[str]] = {}
    made = []
    for rendered in ordered:
        block = rendered.block
        if block.calls:
            renamed = {}
            calls = []
            for call_id, name, arguments in block.calls:
                own = _unused(call_id, block.events, used)
                used.add(own)
                renamed.setdefault(call_id, deque()).append(own)
                calls.append((own, name, arguments))
            block = replace(block, calls=tuple(calls)) if tuple(calls) != block.calls else block
        elif block.call_id or block.role == "tool":
            waiting = renamed.get(block.call_id)
            own = waiting.popleft() if waiting else block.call_id
            block = replace(block, call_id=own) if own != block.call_id else block
        made.append(rendered if block is rendered.block else replace(rendered, block=block))
    return tuple(made)


def _unused(call_id: str, events: tuple[int, int] | None, used: set[str]) -> str:
    if call_id and call_id not in used:
        return call_id
    own = f"{call_id or 'call'}_{events[0] if events else 0}"
    while own in used:
        own += "_"
    return own
