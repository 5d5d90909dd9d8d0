"""Instructions and tools in another harness's window: sent again at every call, so a compaction does not touch them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from contextapp.engine import events as kinds
from contextapp.engine.events import Event
from contextapp.engine.ledger import Row
from contextapp.engine.observations.text import first_line
from contextapp.engine.observed.items import TITLE_CHARS, Item, not_recorded
from contextapp.engine.projection.instructions import is_readme
from contextapp.engine.projection.payloads import canonical, list_of, payload_of, text_of
from contextapp.engine.tokens import TokenCounter
from contextapp.engine.values import Bucket, Trust

_SYSTEM_LEVELS = frozenset({"session", "safety"})


class Standing:
    def __init__(self) -> None:
        self._instructions: dict[str, Item] = {}
        self._tools: dict[str, Item] = {}
        self._has_system_prompt = False
        self._has_tools = False

    def feed(self, event: Event) -> None:
        if event.type == kinds.INSTRUCTIONS_LOADED:
            self._load(event)
        else:
            self._offer(event)

    def _load(self, event: Event) -> None:
        payload = payload_of(event)
        level, text = text_of(payload, "level"), text_of(payload, "text")
        named = text_of(payload, "path") or text_of(payload, "name") or str(event.seq)
        identity = f"instruction:{level}:{named}"
        self._has_system_prompt = self._has_system_prompt or level in _SYSTEM_LEVELS
        trust = Trust.FACT if is_readme(named) else Trust.TRUSTED
        item = Item(identity, "instruction", trust, event.seq, event.seq, Bucket.INSTRUCTIONS, "system")
        item.title = first_line(
            ": ".join(part for part in (level, text_of(payload, "name") or named) if part), TITLE_CHARS
        )
        item.add(text, event.seq)
        self._instructions.pop(identity, None)
        if text.strip():
            self._instructions[identity] = item

    def _offer(self, event: Event) -> None:
        payload = payload_of(event)
        mode = payload.get("mode")
        self._has_tools = self._has_tools or mode not in ("add", "remove")  # tools beside a list that no event holds
        if mode not in ("add", "remove"):
            self._tools.clear()
        for entry in list_of(payload, "tools"):
            tool: Mapping[str, object] = entry if isinstance(entry, Mapping) else {"name": str(entry)}
            server, name = text_of(tool, "server"), text_of(tool, "name")
            key = f"mcp:{server}.{name}" if server else name
            self._tools.pop(key, None)
            if mode != "remove":
                trust = Trust.UNTRUSTED if server else Trust.FACT
                item = Item(f"tool:{key}", "tool", trust, event.seq, event.seq, Bucket.TOOL_SCHEMAS, "system")
                item.title = first_line(key, TITLE_CHARS)
                item.add(canonical({part: tool.get(part) for part in ("name", "description", "schema")}), event.seq)
                self._tools[key] = item

    def items(self) -> Iterable[Item]:
        return (*self._instructions.values(), *self._tools.values())

    def missing(self, counter: TokenCounter) -> Iterator[Row]:
        if not self._has_system_prompt:
            yield not_recorded("system_prompt", Bucket.INSTRUCTIONS, "system prompt", counter)
        if not self._has_tools:
            yield not_recorded("tool_schemas", Bucket.TOOL_SCHEMAS, "tool schemas", counter)
