"""What an agent tells: an event of any type, and the common ones by name. Only takes down; sending is another matter."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from contextapp.client.discovery import discover_instructions
from contextapp.client.errors import BadArgument, Json
from contextapp.client.exchange import uuid_of
from contextapp.client.outbox import Outbox

_TYPE = re.compile(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+")


class Recording:
    """The half of a session that needs no server. Each method gives the id of its event, and every attempt sends the same."""

    def __init__(self, outbox: Outbox, key: str) -> None:
        self._outbox = outbox
        self._key = key

    def append(
        self,
        type: str,
        payload: Json,
        *,
        event_id: UUID | str | None = None,
        occurred_at: datetime | None = None,
        visibility: str = "model",
    ) -> UUID:
        """Taken down when this returns, on the disk if the client has a spool there. SpoolFull when nothing more is taken."""
        if not _TYPE.fullmatch(type) or len(type) > 100:
            raise BadArgument(f"type {type[:100]!r} is not a dotted lower-case name such as tool.completed")
        if not isinstance(payload, dict):
            raise BadArgument(f"the payload of {type} is a {payload.__class__.__name__}; give a dict")
        given = uuid4() if event_id is None else uuid_of(event_id, "event_id")
        at = occurred_at or datetime.now(UTC)
        if at.tzinfo is None:
            raise BadArgument(f"occurred_at {at.isoformat()} has no time zone")
        event = {"event_id": str(given), "type": type, "payload": payload, "occurred_at": at.isoformat()}
        self._outbox.take(self._key, {**event, "visibility": visibility})
        return given

    def user_message(self, text: str, **more: Any) -> UUID:
        return self.append("user.message", {"text": text, **more})

    def model_message(self, text: str, *, message_id: str = "", model: str = "", **more: Any) -> UUID:
        return self.append("model.message", {**_named(message_id=message_id, model=model), "text": text, **more})

    def model_thinking(self, text: str, *, message_id: str = "", **more: Any) -> UUID:
        return self.append("model.thinking", {**_named(message_id=message_id), "text": text, **more})

    def tool_requested(self, call_id: str, name: str, input: Json, *, message_id: str = "", **more: Any) -> UUID:
        return self.append(
            "tool.requested",
            {"call_id": call_id, "name": name, "input": input, **_named(message_id=message_id), **more},
        )

    def tool_completed(self, call_id: str, content: str, *, is_error: bool = False, **more: Any) -> UUID:
        return self.append("tool.completed", {"call_id": call_id, "content": content, "is_error": is_error, **more})

    def permission_requested(self, call_id: str, tool: str) -> UUID:
        return self.append("permission.requested", {"call_id": call_id, "tool": tool})

    def permission_resolved(self, call_id: str, *, allowed: bool, by: str = "person", reason: str = "") -> UUID:
        decision = "allowed" if allowed else "denied"
        return self.append(
            "permission.resolved",
            {"call_id": call_id, "decision": decision, "by": by, "reason": reason, "explicit": True},
        )

    def tools_available(self, tools: list[Json], *, mode: str = "set") -> UUID:
        return self.append("tools.available", {"tools": tools, "mode": mode})

    def instructions(self, payload: Json) -> UUID:
        return self.append("instructions.loaded", payload)

    def load_instructions(self, root: str | Path, cwd: str | Path | None = None, **more: Any) -> list[UUID]:
        """Every instruction file that concerns the work, and every one that could not be read, with why."""
        return [self.instructions(payload) for payload in discover_instructions(root, cwd, **more)]

    def constraint_added(self, id: str, text: str, *, kind: str = "preference") -> UUID:
        return self.append("constraint.added", {"id": id, "text": text, "kind": kind})

    def usage(
        self,
        *,
        message_id: str,
        model: str = "",
        input_uncached: int = 0,
        cache_read: int = 0,
        cache_write: int = 0,
        output: int = 0,
        reasoning: int = 0,
    ) -> UUID:
        """What the provider billed. Its input without what the cache gave and took: those stand beside it."""
        figures = {"input_uncached": input_uncached, "cache_read": cache_read, "cache_write": cache_write}
        figures |= {"output": output, "reasoning": reasoning}
        return self.append("usage.reported", {"message_id": message_id, "model": model, **figures, "quality": "exact"})

    def turn_completed(self, stop_reason: str = "end_turn", **more: Any) -> UUID:
        return self.append("turn.completed", {"stop_reason": stop_reason, **more})


def _named(**fields: str) -> Json:
    return {name: value for name, value in fields.items() if value}
