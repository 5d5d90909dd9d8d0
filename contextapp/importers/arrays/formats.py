"""The formats of this package, to be recognised before plain chat, whose messages they resemble."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from contextapp.importers.arrays.openings import PAIRS, ArrayOpening, PairOpening
from contextapp.importers.arrays.shapes import is_anthropic, is_pair, is_responses
from contextapp.importers.contract import Format, ParsedLine, Source
from contextapp.importers.heads import begun_values
from contextapp.importers.walking import walk


def parse_responses(source: Source) -> Iterator[ParsedLine]:
    return walk(source, ArrayOpening("openai_responses", source.name))


def parse_anthropic(source: Source) -> Iterator[ParsedLine]:
    return walk(source, ArrayOpening("anthropic_messages", source.name))


def parse_pairs(source: Source) -> Iterator[ParsedLine]:
    return walk(source, PairOpening(source.name))


def _are_pairs(head: bytes, name: str) -> bool:
    return any(is_pair(value[0] if isinstance(value, list) and value else value) for value in begun_values(head))


def _are_responses(head: bytes, name: str) -> bool:
    values: list[Any] = list(begun_values(head))
    if len(values) > 1 and not any(
        isinstance(value, list) or ("input" in value and "type" not in value) for value in values
    ):
        values = [values]
    return any(map(is_responses, values)) and not _is_foreign(values)


def _are_anthropic(head: bytes, name: str) -> bool:
    values = list(begun_values(head))
    return any(map(is_anthropic, values)) and not _is_foreign(values)


def _is_foreign(values: list[object]) -> bool:
    """Lines of another tool around items of ours: its header comes first."""
    first = values[0] if values else None
    return isinstance(first, dict) and any(name in first for name in ("timestamp", "record_type", "payload", "cwd"))


FORMATS: tuple[Format, ...] = (
    Format(
        name=PAIRS,
        label="Requests and answers",
        looked_for='recorded requests (objects with "request" and "response", or messages beside a "response")',
        recognise=_are_pairs,
        parse=parse_pairs,
    ),
    Format(
        name="openai_responses",
        label="OpenAI Responses",
        looked_for='OpenAI Responses items ("function_call", "reasoning", typed messages, alone, in an array or under "input")',
        recognise=_are_responses,
        parse=parse_responses,
    ),
    Format(
        name="anthropic_messages",
        label="Anthropic Messages",
        looked_for='Anthropic messages (content blocks such as "tool_use", alone, in an array or under "messages")',
        recognise=_are_anthropic,
        parse=parse_anthropic,
    ),
)
