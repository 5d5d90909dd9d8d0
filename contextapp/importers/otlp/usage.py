"""Billed tokens in the five figures we keep: what each writer includes in its input differs, so each is told apart here."""

from __future__ import annotations

from typing import Any

from contextapp.importers.contract import Json
from contextapp.importers.otlp.attributes import count

_INPUT = (
    "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt", "ai.usage.inputTokens",
    "ai.usage.promptTokens",
)  # fmt: skip
_OUTPUT = (
    "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion",
    "ai.usage.outputTokens", "ai.usage.completionTokens",
)  # fmt: skip
_CACHE_READ = (
    "gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_read_input_tokens", "gen_ai.usage.cached_tokens",
    "llm.token_count.prompt_details.cache_read", "ai.usage.cachedInputTokens",
)  # fmt: skip
_CACHE_WRITE = (
    "gen_ai.usage.cache_write.input_tokens", "gen_ai.usage.cache_creation.input_tokens",
    "gen_ai.usage.cache_creation_input_tokens", "llm.token_count.prompt_details.cache_write",
)  # fmt: skip
_REASONING = (
    "gen_ai.usage.reasoning.output_tokens", "gen_ai.usage.reasoning_tokens",
    "llm.token_count.completion_details.reasoning", "ai.usage.reasoningTokens",
)  # fmt: skip


def usage_of_attributes(attributes: Json) -> Json | None:
    """Here the input includes what the cache gave and took (OpenTelemetry and OpenInference both say so)."""
    given, output = count(attributes, *_INPUT), count(attributes, *_OUTPUT)
    if given is None and output is None:
        return None
    return _figures(
        given, count(attributes, *_CACHE_READ), count(attributes, *_CACHE_WRITE), output, count(attributes, *_REASONING)
    )


def usage_of(usage: Any) -> Json | None:
    """The usage of a response body: Anthropic leaves the cache out of its input, the others count it in."""
    if not isinstance(usage, dict):
        return None
    inner = {name: part for name, part in usage.items() if isinstance(part, dict)}
    if "cache_read_input_tokens" in usage or "cache_creation_input_tokens" in usage:
        read, wrote = count(usage, "cache_read_input_tokens"), count(usage, "cache_creation_input_tokens")
        plain = count(usage, "input_tokens") or 0
        return _figures(plain + (read or 0) + (wrote or 0), read, wrote, count(usage, "output_tokens"), None)
    prompt = inner.get("input_tokens_details") or inner.get("prompt_tokens_details") or {}
    answer = inner.get("output_tokens_details") or inner.get("completion_tokens_details") or {}
    thoughts = count(usage, "thoughtsTokenCount")
    output = count(usage, "output_tokens", "completion_tokens", "candidatesTokenCount")
    return _figures(
        count(usage, "input_tokens", "prompt_tokens", "promptTokenCount"),
        count(prompt, "cached_tokens") or count(usage, "cachedContentTokenCount"),
        None,
        output if thoughts is None else (output or 0) + thoughts,
        count(answer, "reasoning_tokens") or thoughts,
    )


def _figures(given: int | None, read: int | None, wrote: int | None, output: int | None, thoughts: int | None) -> Json:
    uncached = max((given or 0) - (read or 0) - (wrote or 0), 0)
    figures = {"input_uncached": uncached, "cache_read": read or 0, "cache_write": wrote or 0}
    return {**figures, "output": output or 0, "reasoning": thoughts or 0, "quality": "exact"}
