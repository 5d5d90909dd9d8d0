"""The table of record and item types: who reads which. A type that is not in it is kept verbatim, never refused."""

from __future__ import annotations

from collections.abc import Callable

from contextapp.engine import events
from contextapp.importers import fields
from contextapp.importers.codex import envelope as kinds
from contextapp.importers.codex.compaction import OPAQUE, read_compacted
from contextapp.importers.codex.envelope import Envelope
from contextapp.importers.codex.injected import instruction
from contextapp.importers.codex.lifecycle import read_event
from contextapp.importers.codex.messages import read_agent_message, read_message, read_reasoning
from contextapp.importers.codex.meta import read_meta, read_tools
from contextapp.importers.codex.reading import Calls, Copy, Reading, folded
from contextapp.importers.codex.tools import (
    read_call,
    read_custom_call,
    read_provider_call,
    read_result,
    read_shell_call,
)
from contextapp.importers.contract import Json
from contextapp.importers.identity import Fact

_ITEMS: dict[str, Callable[[Json], Reading]] = {
    "message": read_message,
    "reasoning": read_reasoning,
    "function_call": read_call,
    "tool_search_call": read_provider_call,
    "custom_tool_call": read_custom_call,
    "local_shell_call": read_shell_call,
    "web_search_call": read_provider_call,
    "image_generation_call": read_provider_call,
    "agent_message": read_agent_message,
    "additional_tools": read_tools,
}
_RESULTS = frozenset(
    {
        "function_call_output", "custom_tool_call_output", "local_shell_call_output", "tool_search_output",
        "mcp_tool_call_output",
    }
)  # fmt: skip


def read_record(envelope: Envelope, calls: Calls) -> Reading:
    payload = envelope.payload
    match envelope.kind:
        case kinds.RESPONSE_ITEM:
            return _read_item(payload, calls)
        case kinds.EVENT:
            return read_event(payload)
        case kinds.SESSION_META:
            return read_meta(payload)
        case kinds.TURN_CONTEXT:
            return Reading(folded="turn_context", model=fields.string(payload, "model", path="payload.model"))
        case kinds.COMPACTED:
            return read_compacted(payload)
        case kinds.WORLD_STATE:
            return _read_world(payload)
        case kinds.AGENT_MESSAGE:
            return read_agent_message(payload)
        case kinds.AGENT_METADATA:
            return folded("agent_metadata")
        case kinds.STATE:
            return folded("state")
    unknown = {"record_type": envelope.kind, "record": envelope.record}
    return Reading((Fact(events.IMPORT_UNKNOWN, unknown, "audit"),))


def _read_item(item: Json, calls: Calls) -> Reading:
    kind = fields.required_string(item, "type", path="payload.type")
    if reader := _ITEMS.get(kind):
        return reader(item)
    if kind in _RESULTS:
        return read_result(item, calls)
    if kind == "ghost_snapshot":
        return folded("undo_backup")
    if kind in OPAQUE:
        return folded("encrypted_compaction")
    unknown = {"record_type": f"response_item/{kind}", "record": item}
    return Reading((Fact(events.IMPORT_UNKNOWN, unknown, "audit"),))


def _read_world(payload: Json) -> Reading:
    """Codex's own record of what it told the model; the instruction file counts where no message brought it."""
    state = fields.mapping(payload, "state", path="payload.state") or {}
    agents = state.get("agents_md")
    text = agents.get("text") if isinstance(agents, dict) else None
    if not isinstance(agents, dict) or not isinstance(text, str) or not text.strip():
        return folded("world_state")
    folder = agents.get("directory")
    path = f"{folder.rstrip('/')}/AGENTS.md" if isinstance(folder, str) and folder else ""
    fact = instruction(text, "project", "AGENTS.md", path=path)
    return Reading((fact,), folded="world_state", copy=Copy.INSTRUCTIONS, said=(text,))
