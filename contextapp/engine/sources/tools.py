"""The tools the agent may call at this step, as schemas. Only what `tools.available` says; the engine adds none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from contextapp.engine.inputs import BuildInputs
from contextapp.engine.observations.text import clean
from contextapp.engine.policy import Policy
from contextapp.engine.projection.payloads import is_erased, list_of, mapping_of, payload_of, text_of, visible
from contextapp.engine.reasons import Reason
from contextapp.engine.sources.named import named_events
from contextapp.engine.sources.source import RANK_INSTRUCTIONS, Form, Source
from contextapp.engine.values import Bucket, Trust

Tool = dict[str, Any]  # a JSON schema and its names: the writer's shape


def collect(inputs: BuildInputs, policy: Policy) -> tuple[Source, ...]:
    """One source per tool: an agent's own before those of MCP servers, each in the order they were announced."""
    tools, refused = _available(inputs)
    ordered = sorted(tools.items(), key=lambda item: bool(item[1][1]["server"]))
    refusal = None if inputs.profile.supports_tools else Reason.NO_TOOL_SUPPORT
    return (*(_source(seq, tool, refusal) for _, (seq, tool) in ordered), *refused)


def _available(inputs: BuildInputs) -> tuple[dict[str, tuple[int, Tool]], list[Source]]:
    tools: dict[str, tuple[int, Tool]] = {}
    refused: list[Source] = []
    for event in named_events(inputs, inputs.state.tools_seqs):
        if is_erased(event) or not visible(event):
            reason = Reason.ERASED if is_erased(event) else Reason.NOT_PERMITTED
            refused.append(_source(event.seq, _tool({"name": f"event {event.seq}"}), reason))
            continue
        payload = payload_of(event)
        listed = [_tool(entry) for entry in list_of(payload, "tools")]
        mode = text_of(payload, "mode") or "set"
        if mode == "set":
            tools.clear()
        for tool in listed:
            if mode == "remove":
                tools.pop(_key(tool), None)
            elif tool["name"]:
                tools[_key(tool)] = (event.seq, tool)
    return tools, refused


def _tool(entry: object) -> Tool:
    """A tool as it is announced: a mapping, or a bare name where it is taken away."""
    if not isinstance(entry, Mapping):
        return {"name": clean(str(entry)), "description": "", "schema": {}, "server": ""}
    return {
        "name": text_of(entry, "name"),
        "description": text_of(entry, "description"),
        "schema": _clean(mapping_of(entry, "schema")),
        "server": text_of(entry, "server"),
    }


def _key(tool: Tool) -> str:
    return f"mcp:{tool['server']}.{tool['name']}" if tool["server"] else str(tool["name"])


def _clean(value: object) -> Any:  # any JSON value, without lone surrogates
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping):
        return {clean(str(key)): _clean(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(inner) for inner in value]
    return value


def _source(seq: int, tool: Tool, refusal: Reason | None) -> Source:
    is_foreign = bool(tool["server"])
    schema = {"name": tool["name"], "description": tool["description"], "schema": tool["schema"]}
    return Source(
        id=f"tool:{_key(tool)}",
        kind="tool",
        bucket=Bucket.TOOL_SCHEMAS,
        rank=RANK_INSTRUCTIONS,
        trust=Trust.UNTRUSTED if is_foreign else Trust.FACT,
        reason=Reason.TOOL_AVAILABLE,
        form=Form(""),
        role="system",
        part="tools",
        title=_key(tool),
        events=(seq, seq),
        tools=(schema,),
        refusal=refusal,
    )
