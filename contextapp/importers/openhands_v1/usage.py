"""Counters of an OpenHands V1 conversation to bills: what one grew by between two reports is what the call between
them cost. Counters of other uses, as a condenser's, are told as they grow."""

from __future__ import annotations

from typing import Any

from contextapp.engine.events import USAGE_REPORTED
from contextapp.importers.contract import Json
from contextapp.importers.identity import Fact
from contextapp.importers.otlp.attributes import count

_NAMES = ("prompt_tokens", "completion_tokens", "cache_read_tokens", "cache_write_tokens", "reasoning_tokens")
AGENT_USE = ("default", "agent")
Counters = dict[str, tuple[str, dict[str, int]]]  # use -> model, and its counters


def counters_of(stats: Any) -> Counters:
    """Counters by use; what is no counter counts as zero."""
    uses = stats.get("usage_to_metrics") if isinstance(stats, dict) else None
    found: Counters = {}
    for use, metrics in uses.items() if isinstance(uses, dict) else ():
        total = metrics.get("accumulated_token_usage") if isinstance(metrics, dict) else None
        if isinstance(total, dict):
            model = total.get("model") or metrics.get("model_name")
            figures = {name: count(total, name) or 0 for name in _NAMES}
            found[str(use)] = (model if isinstance(model, str) else "", figures)
    return found


def is_agents(use: str, counters: Counters) -> bool:
    """The agent's own use: by its name, or the only one that is no condenser."""
    return use in AGENT_USE or [name for name in counters if name != "condenser"] == [use]


def grown(before: Counters, after: Counters, use: str) -> Json | None:
    """The bill between two reports; None when nothing was billed. A counter that fell began anew."""
    model, figures = after[use]
    _, earlier = before.get(use, ("", {}))
    fell = any(figures[name] < earlier.get(name, 0) for name in _NAMES)
    spent = {name: figures[name] - (0 if fell else earlier.get(name, 0)) for name in _NAMES}
    if not (spent["prompt_tokens"] or spent["completion_tokens"]):
        return None
    read, wrote = spent["cache_read_tokens"], spent["cache_write_tokens"]
    return {
        "model": model,
        "input_uncached": max(spent["prompt_tokens"] - read - wrote, 0),
        "cache_read": read,
        "cache_write": wrote,
        "output": spent["completion_tokens"],
        "reasoning": spent["reasoning_tokens"],
    }


def bill(figures: Json, message_id: str, quality: str, native: str) -> Fact:
    return Fact(USAGE_REPORTED, {"message_id": message_id, **figures, "quality": quality}, native=native)
