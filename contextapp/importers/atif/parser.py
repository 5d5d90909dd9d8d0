"""Walks ATIF documents: what is known of the agent, each step, the totals, and sub-agents inside. Never opens a trajectory
that is only referred to."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from contextapp.engine import events
from contextapp.importers import fields
from contextapp.importers.arrays.tools import tools_fact
from contextapp.importers.atif.shapes import (
    FORMAT_NAME,
    is_trajectory,
    key_of,
    named_children,
    parent_of,
    recognise,
    trajectories,
)
from contextapp.importers.atif.steps import read_step
from contextapp.importers.contract import Format, Json, ParsedLine, SessionHead, Source, UnfitLine
from contextapp.importers.conversation import Conversation, Said, file_key
from contextapp.importers.decoding import kind_of
from contextapp.importers.identity import Fact, safe_key
from contextapp.importers.walking import Item, walk

_WALKED = ("agent", "steps", "final_metrics", "subagent_trajectories")
_DEEPEST = 10  # sub-agents of sub-agents in one document
_NAMES = ("schema_version", "session_id", "trajectory_id")


def parse(source: Source) -> Iterator[ParsedLine]:
    return walk(source, _Opening(source.name))


class _Opening:
    def __init__(self, source_name: str) -> None:
        self._source = source_name

    def skip(self) -> None:
        """Trajectories are known by their ids or lines."""

    def items(self, value: Any, place: str) -> Iterator[Item]:
        found = [
            (path, one, key_of(one, self._source, ".".join(filter(None, (place, path)))))
            for path, one in trajectories(value)
        ]
        if not found:
            nowhere = Conversation(
                format_name=FORMAT_NAME, head=SessionHead(file_key(FORMAT_NAME, self._source, place), "", "")
            )
            yield Item(value, "document", nowhere, partial(_refuse, value))
        parents = {name: key for _, one, key in found for name in named_children(one)}
        for path, one, key in found:
            own = (_text(one, "trajectory_id"), _text(one, "session_id"))
            named = next((parents[name] for name in own if parents.get(name, key) != key), "")
            if not named and parent_of(one):
                named = f"{FORMAT_NAME}:{safe_key(parent_of(one))}"
            yield from _trajectory(one, key, named, f"{path}." if path else "", self._source)


def _refuse(value: Any) -> Said:
    names = ", ".join(list(value)[:8]) if isinstance(value, dict) else kind_of(value)
    raise UnfitLine("wrong_value", detail=f"expected an ATIF-v1 trajectory, found {names[:200]}")


def _trajectory(trajectory: Json, key: str, parent: str, path: str, source_name: str, depth: int = 0) -> Iterator[Item]:
    agent = trajectory.get("agent") if isinstance(trajectory.get("agent"), dict) else {}
    assert isinstance(agent, dict)
    name, version, model = (_text(agent, part) for part in ("name", "version", "model_name"))
    native = _text(trajectory, "trajectory_id") or _text(trajectory, "session_id") or key
    head = SessionHead(key, native, name, agent_version=version, model=model, parent_key=parent)
    created = {part: value for part, value in (("agent", name), ("agent_version", version)) if value}
    created |= {"parent_session": parent} if parent else {}
    conversation = Conversation(format_name=FORMAT_NAME, head=head, created=created, has_ids=True)
    yield Item(trajectory.get("agent"), "agent", conversation, partial(_agent, trajectory.get("agent"), path))
    was_answered = has_bills = False
    for index, step in enumerate(trajectory["steps"]):
        number = step.get("step_id") if isinstance(step, dict) else None
        native = f"step-{number}" if isinstance(number, int) and not isinstance(number, bool) else f"place-{index}"
        read = partial(read_step, step, native, f"{path}steps[{index}].", model, was_answered)
        yield Item(step, native, conversation, read)
        if isinstance(step, dict):
            was_answered = was_answered or step.get("source") == "agent"
            has_bills = has_bills or bool(step.get("metrics"))
    totals = trajectory.get("final_metrics")
    if totals is not None:
        yield Item(totals, "final_metrics", conversation, partial(_totals, totals, path, has_bills))
    for part in [part for part in trajectory if part not in _WALKED + _NAMES]:
        yield Item(trajectory[part], part, conversation, partial(Said, folded="other_member"))
    inner = trajectory.get("subagent_trajectories")
    for number, child in enumerate(inner if isinstance(inner, list) else ()):
        place = f"{path}subagent_trajectories[{number}]"
        if is_trajectory(child) and depth < _DEEPEST:
            own = key_of(child, source_name, str(number), key)
            yield from _trajectory(child, own, key, f"{place}.", source_name, depth + 1)
        else:
            yield Item(child, place, conversation, partial(_refuse, child))


def _text(value: Json, name: str) -> str:
    found = value.get(name)
    return found if isinstance(found, str) else ""


def _agent(value: Any, path: str) -> Said:
    agent = fields.as_mapping(value, f"{path}agent")
    for name in ("name", "version", "model_name"):
        fields.string(agent, name, path=f"{path}agent.{name}")
    tools = fields.items(agent, "tool_definitions", path=f"{path}agent.tool_definitions")
    return Said((tools_fact(tools, f"{path}agent.tool_definitions"),) if tools else (), folded="agent")


def _totals(value: Any, path: str, has_bills: bool) -> Said:
    """The totals repeat the bills of the steps; only where no step has one do they say anything."""
    totals = fields.as_mapping(value, f"{path}final_metrics")
    prompt = fields.count(totals, "total_prompt_tokens", path=f"{path}final_metrics.total_prompt_tokens") or 0
    output = fields.count(totals, "total_completion_tokens", path=f"{path}final_metrics.total_completion_tokens") or 0
    read = fields.count(totals, "total_cached_tokens", path=f"{path}final_metrics.total_cached_tokens") or 0
    if has_bills or not (prompt or output):
        return Said(folded="totals")
    payload = {
        "message_id": "",
        "model": "",
        "input_uncached": max(prompt - read, 0),
        "cache_read": read,
        "cache_write": 0,
        "output": output,
        "reasoning": None,
        "quality": "cumulative",
    }
    return Said((Fact(events.USAGE_REPORTED, payload),))


FORMAT = Format(
    name=FORMAT_NAME,
    label="ATIF",
    looked_for='ATIF trajectories (an object with "schema_version": "ATIF-v1..." and "steps")',
    recognise=recognise,
    parse=parse,
)
