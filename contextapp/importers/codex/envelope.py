"""A line of a rollout without its wrapping. Lines before 0.40 have none: the item itself is the line."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from contextapp.importers import fields
from contextapp.importers.contract import Json

SESSION_META = "session_meta"
TURN_CONTEXT = "turn_context"
RESPONSE_ITEM = "response_item"
EVENT = "event_msg"
COMPACTED = "compacted"
WORLD_STATE = "world_state"
AGENT_METADATA = "inter_agent_communication_metadata"
AGENT_MESSAGE = "inter_agent_communication"
KINDS = frozenset(
    {SESSION_META, TURN_CONTEXT, RESPONSE_ITEM, EVENT, COMPACTED, WORLD_STATE, AGENT_METADATA, AGENT_MESSAGE}
)
STATE = "state"  # a mark of the versions without envelope
BARE_ITEMS = frozenset(
    {
        "message", "reasoning", "function_call", "function_call_output", "local_shell_call", "custom_tool_call",
        "custom_tool_call_output", "web_search_call",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Envelope:
    """`kind` is one of KINDS, STATE, or what an unknown record calls itself; without envelope `payload` is the record."""

    kind: str
    payload: Json
    at: datetime | None
    record: Json

    @property
    def type(self) -> str:
        """What the payload calls itself; "" where it does not."""
        value = self.payload.get("type")
        return value if isinstance(value, str) else ""

    @property
    def turn_id(self) -> str:
        value = self.payload.get("turn_id")
        return value if isinstance(value, str) else ""


def open_record(record: Json) -> Envelope:
    at = fields.moment(record, "timestamp")
    if is_bare_head(record):
        return Envelope(SESSION_META, record, at, record)
    if "record_type" in record and "type" not in record:
        return Envelope(STATE, record, at, record)
    kind = fields.required_string(record, "type")
    if kind in KINDS:
        return Envelope(kind, fields.required_mapping(record, "payload"), at, record)
    if kind in BARE_ITEMS and "payload" not in record:
        return Envelope(RESPONSE_ITEM, record, at, record)
    return Envelope(kind, record, at, record)


def is_bare_head(record: Json) -> bool:
    """The first line of a rollout before 0.40: whose it is, without a type."""
    named = isinstance(record.get("id"), str) and isinstance(record.get("timestamp"), str)
    return named and "type" not in record and ("instructions" in record or "git" in record)
