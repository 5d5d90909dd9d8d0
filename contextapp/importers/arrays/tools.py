"""The tools a request declares, in any provider's form, as the entries of `tools.available`. Calls nothing, asks no server."""

from __future__ import annotations

from typing import Any

from contextapp.engine import events
from contextapp.importers import fields
from contextapp.importers.contract import Json, UnfitLine
from contextapp.importers.identity import Fact

_SCHEMAS = ("parameters", "input_schema", "inputSchema", "schema")
_NAMED = frozenset({"name", "description", "type", "function", "defer_loading", "strict", "cache_control"})


def tools_fact(values: list[Any], path: str, *, mode: str = "set", server: str = "") -> Fact:
    entries: list[Json] = []
    for number, value in enumerate(values):
        entries += _entries(value, f"{path}[{number}]", server)
    return Fact(events.TOOLS_AVAILABLE, {"tools": entries, "mode": mode})


def _entries(value: Any, path: str, server: str) -> list[Json]:
    tool = fields.as_mapping(value, path)
    if tool.get("type") == "namespace":
        inner = fields.items(tool, "tools", path=f"{path}.tools")
        return [entry for n, one in enumerate(inner) for entry in _entries(one, f"{path}.tools[{n}]", server)]
    if "kind" in tool and "name" not in tool:
        return [_titled(tool, path, server)]
    if not {"name", "type", "function"} & tool.keys():
        return _gemini_entries(tool, path, server)
    function = tool.get("function")
    inner_tool: Json = function if isinstance(function, dict) else tool
    name = fields.string(inner_tool, "name", path=f"{path}.name")
    kind = fields.string(tool, "type", path=f"{path}.type")
    if not (name or kind):
        raise UnfitLine("missing_field", field=f"{path}.name", detail="a tool needs a name or a type")
    schema = next((inner_tool[part] for part in _SCHEMAS if inner_tool.get(part)), None)
    if schema is None:  # a tool of the provider: its settings stand where a schema would
        schema = {part: inner for part, inner in inner_tool.items() if part not in _NAMED}
    description = inner_tool.get("description")
    return [
        {
            "name": name or kind,
            "description": description if isinstance(description, str) else "",
            "schema": schema,
            "server": server,
        }
    ]


def _gemini_entries(tool: Json, path: str, server: str) -> list[Json]:
    """Functions stand in a list of their own; a tool of the provider is a member with its settings."""
    found: list[Json] = []
    for name, value in tool.items():
        place = f"{path}.{name}"
        if name in ("functionDeclarations", "function_declarations"):
            declared = fields.items(tool, name, path=place)
            for number, one in enumerate(declared):
                function = fields.as_mapping(one, f"{place}[{number}]")
                function = function | {"parameters": function.get("parameters") or function.get("parametersJsonSchema")}
                found += _entries({"type": "function", "function": function}, f"{place}[{number}]", server)
        else:
            found.append({"name": name, "description": "", "schema": value, "server": server})
    if not found:
        raise UnfitLine("missing_field", field=f"{path}.name", detail="a tool needs a name or a type")
    return found


def _titled(tool: Json, path: str, server: str) -> Json:
    """A tool of OpenHands' SDK: named by its title, or by its class; its schema is in no log."""
    name = fields.string(tool, "title", path=f"{path}.title") or fields.required_string(
        tool, "kind", path=f"{path}.kind"
    )
    hints = fields.mapping(tool, "annotations", path=f"{path}.annotations") or {}
    entry: Json = {
        "name": name,
        "description": fields.string(tool, "description", path=f"{path}.description"),
        "schema": tool.get("parameters") or tool.get("input_schema") or {},
        "server": server,
    }
    return entry | ({"read_only": hints["readOnlyHint"]} if isinstance(hints.get("readOnlyHint"), bool) else {})
