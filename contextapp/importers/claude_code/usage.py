"""The provider's usage block, in our words. Input excludes the cache here; the output of a stream's start is a placeholder."""

from __future__ import annotations

from contextapp.engine.events import USAGE_REPORTED
from contextapp.importers import fields
from contextapp.importers.contract import Json
from contextapp.importers.identity import Fact

# Versions before 2.1.90 keep the usage of the stream's first chunk: so few output tokens, and no stop reason.
PLACEHOLDER_OUTPUT = 8


def usage_fact(message: Json, message_id: str, model: str) -> Fact | None:
    """Equal blocks of one message make one event, whatever the number of lines that repeat them."""
    usage = fields.mapping(message, "usage", path="message.usage")
    if usage is None:
        return None
    path = "message.usage."
    output = fields.count(usage, "output_tokens", path=path + "output_tokens")
    payload: Json = {
        "message_id": message_id,
        "model": model,
        "input_uncached": fields.count(usage, "input_tokens", path=path + "input_tokens"),
        "cache_read": fields.count(usage, "cache_read_input_tokens", path=path + "cache_read_input_tokens") or 0,
        "cache_write": fields.count(usage, "cache_creation_input_tokens", path=path + "cache_creation_input_tokens")
        or 0,
        "output": output,
        "reasoning": None,  # billed inside output and not told apart
        "quality": _quality(output, message.get("stop_reason")),
    }
    if payload["input_uncached"] is None and output is None:
        return None
    return Fact(USAGE_REPORTED, payload, native=message_id)


def _quality(output: int | None, stop_reason: object) -> str:
    if stop_reason is None and (output or 0) <= PLACEHOLDER_OUTPUT:
        return "placeholder"
    return "exact"
