"""The head of a rollout: whose session it is, where it came from, and the system prompt. Decides nothing about replays."""

from __future__ import annotations

from contextapp.engine.events import TOOLS_AVAILABLE
from contextapp.importers import fields
from contextapp.importers.codex.injected import instruction
from contextapp.importers.codex.reading import Copy, Reading
from contextapp.importers.contract import Json
from contextapp.importers.identity import Fact


def native_id(payload: Json) -> str:
    return fields.string(payload, "id", path="payload.id") or fields.string(
        payload, "session_id", path="payload.session_id"
    )


def parent_of(payload: Json) -> str:
    """The session it was forked from, or the one that sent it out as a sub-agent."""
    for name in ("forked_from_id", "parent_thread_id"):
        if found := fields.string(payload, name, path=f"payload.{name}"):
            return found
    source = payload.get("source")
    subagent = source.get("subagent") if isinstance(source, dict) else None
    spawn = subagent.get("thread_spawn") if isinstance(subagent, dict) else None
    sent_by = spawn.get("parent_thread_id") if isinstance(spawn, dict) else None
    return sent_by if isinstance(sent_by, str) else ""


def read_meta(payload: Json) -> Reading:
    for name in ("id", "cwd", "cli_version", "agent_nickname", "forked_from_id", "parent_thread_id"):
        fields.string(payload, name, path=f"payload.{name}")
    facts = []
    base = fields.mapping(payload, "base_instructions", path="payload.base_instructions")
    text = fields.string(base, "text", path="payload.base_instructions.text") if base else ""
    if text:
        facts.append(instruction(text, "session", "base_instructions"))
    if older := fields.string(payload, "instructions", path="payload.instructions"):
        facts.append(instruction(older, "project", "user_instructions"))
    facts += _added(payload, "dynamic_tools")
    return Reading(tuple(facts), folded="resumed", copy=Copy.HEAD)


def read_tools(item: Json) -> Reading:
    """Tools that the model got in the middle of a session."""
    return Reading(_added(item, "tools"), folded="no_tools")


def _added(record: Json, name: str) -> tuple[Fact, ...]:
    """Tools beside Codex's own, whose schemas are not in a rollout."""
    tools = [tool for value in fields.items(record, name, path=f"payload.{name}") for tool in _tools(value, "")]
    return (Fact(TOOLS_AVAILABLE, {"tools": tools, "mode": "add"}),) if tools else ()


def _tools(value: object, server: str) -> list[Json]:
    """A tool, or a name space of tools."""
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        return []
    if isinstance(value.get("tools"), list):
        return [tool for inner in value["tools"] for tool in _tools(inner, value["name"])]
    space = value.get("namespace")
    tool: Json = {"name": value["name"], "description": str(value.get("description") or "")}
    schema = next((value[name] for name in ("inputSchema", "input_schema", "parameters") if name in value), None)
    if isinstance(schema, dict):
        tool["schema"] = schema
    if server or isinstance(space, str):
        tool["server"] = server or space
    return [tool]
