"""The tools the agent may call at this step, as schemas. Only what `tools.available` says; the engine adds none.

Two servers may have a tool of one name: then the server stands in front of it. A phase hides tools only when it was declared,
and a server's schemas come only when asked for (docs/events.md says when).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from contextapp.engine.inputs import BuildInputs
from contextapp.engine.observations import families
from contextapp.engine.observations.text import clean
from contextapp.engine.policy import Policy
from contextapp.engine.projection.payloads import is_erased, list_of, mapping_of, payload_of, text_of, visible
from contextapp.engine.projection.state import SessionState
from contextapp.engine.reasons import Reason
from contextapp.engine.sources.named import named_events
from contextapp.engine.sources.source import RANK_INSTRUCTIONS, Form, Source
from contextapp.engine.values import Action, Bucket, Mode, Phase, Trust

LISTED = "Listed by name. Call it to be given its parameters."
PHASES_FOR_EDITS = frozenset({Phase.PLANNING.value, Phase.EDITING.value})
_SHELLS = frozenset({families.COMMAND, families.TEST})


@dataclass(frozen=True, slots=True)
class Tool:
    """As announced. read_only: as its writer says, None where nothing is said; asked: announced again with its schema."""

    seq: int
    name: str
    description: str = ""
    schema: Mapping[str, Any] | None = None  # the writer's JSON schema
    server: str = ""
    read_only: bool | None = None
    asked: bool = False

    @property
    def key(self) -> str:
        return f"mcp:{self.server}.{self.name}" if self.server else self.name

    @property
    def spellings(self) -> frozenset[str]:
        """What agents call it: harnesses differ in how they put the server in front."""
        server, name = self.server, self.name
        return frozenset(
            {name, self.key, f"mcp__{server}__{name}", f"{server}__{name}", f"{server}.{name}", f"{server}/{name}"}
        )

    @property
    def changes_things(self) -> bool:
        family = families.tool_family(self.name)
        if self.read_only is None:
            return family == families.EDIT
        return not self.read_only and family not in _SHELLS

    @property
    def own_name(self) -> str:
        """With its server in front, as harnesses spell it; for tools whose bare name another one has too."""
        return f"mcp__{self.server}__{self.name}" if self.server else self.name

    def described(self, name: str = "") -> dict[str, Any]:
        return {"name": name or self.name, "description": self.description, "schema": self.schema or {}}

    def listed(self, name: str = "") -> dict[str, Any]:
        return {"name": name or self.name, "description": LISTED, "schema": {}}


def collect(inputs: BuildInputs, policy: Policy) -> tuple[Source, ...]:
    """One source per tool: an agent's own before those of MCP servers, each in the order they were announced."""
    tools, refused = _available(inputs)
    ordered = sorted(tools.values(), key=lambda tool: bool(tool.server))
    uses = Counter(tool.name for tool in ordered)
    hides_edits = _hides_edits(inputs.state, policy)
    made = []
    for tool in ordered:
        refusal = Reason.HIDDEN_BY_PHASE if hides_edits and tool.changes_things else None
        if not inputs.profile.supports_tools:
            refusal = Reason.NO_TOOL_SUPPORT
        is_late = not policy.stable_tools and refusal is None and _is_late(tool, inputs.state)
        made.append(_source(tool, refusal, is_late=is_late, name=tool.own_name if uses[tool.name] > 1 else tool.name))
    return (*made, *refused)


def _hides_edits(state: SessionState, policy: Policy) -> bool:
    if policy.stable_tools or not state.phase_explicit or state.has_modified:
        return False
    return state.phase not in PHASES_FOR_EDITS


def _is_late(tool: Tool, state: SessionState) -> bool:
    """Whether the schema of a server's tool waits until it is asked for; one that is no longer than the listing does not."""
    if not tool.server or tool.asked or not tool.spellings.isdisjoint(state.called_tools):
        return False
    return len(_json(tool.listed())) < len(_json(tool.described()))


def _json(schema: Mapping[str, Any]) -> str:
    return json.dumps(schema, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _available(inputs: BuildInputs) -> tuple[dict[str, Tool], list[Source]]:
    tools: dict[str, Tool] = {}
    refused: list[Source] = []
    for event in named_events(inputs, inputs.state.tools_seqs):
        if is_erased(event) or not visible(event):
            reason = Reason.ERASED if is_erased(event) else Reason.NOT_PERMITTED
            refused.append(_source(Tool(event.seq, f"event {event.seq}"), reason))
            continue
        payload = payload_of(event)
        mode = text_of(payload, "mode") or "set"
        if mode == "set":
            tools.clear()
        for entry in list_of(payload, "tools"):
            tool = _tool(event.seq, entry, tools)
            if mode == "remove":
                tools.pop(tool.key, None)
            elif tool.name:
                tools[tool.key] = tool
    return tools, refused


def _tool(seq: int, entry: object, before: Mapping[str, Tool]) -> Tool:
    """A tool as it is announced: a mapping, or a bare name where it is taken away."""
    if not isinstance(entry, Mapping):
        return Tool(seq, clean(str(entry)))
    schema = _clean(mapping_of(entry, "schema"))
    said = entry.get("read_only", mapping_of(entry, "annotations").get("readOnlyHint"))
    made = Tool(
        seq,
        text_of(entry, "name"),
        text_of(entry, "description"),
        schema,
        text_of(entry, "server"),
        said if isinstance(said, bool) else None,
    )
    known = before.get(made.key)
    return replace(made, asked=known.asked or bool(schema)) if known else made


def _clean(value: object) -> Any:  # any JSON value, without lone surrogates
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping):
        return {clean(str(key)): _clean(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(inner) for inner in value]
    return value


def _source(tool: Tool, refusal: Reason | None, *, is_late: bool = False, name: str = "") -> Source:
    form = Form("", Mode.REFERENCE, Action.REFERENCE, Reason.TOOL_LISTED, "name only") if is_late else Form("")
    return Source(
        id=f"tool:{tool.key}",
        kind="tool",
        bucket=Bucket.TOOL_SCHEMAS,
        rank=RANK_INSTRUCTIONS,
        trust=Trust.UNTRUSTED if tool.server else Trust.FACT,
        reason=Reason.TOOL_AVAILABLE,
        form=form,
        role="system",
        part="tools",
        title=tool.key,
        events=(tool.seq, tool.seq),
        whole=_json(tool.described()) if is_late else "",
        tools=(tool.listed(name) if is_late else tool.described(name),),
        refusal=refusal,
    )
