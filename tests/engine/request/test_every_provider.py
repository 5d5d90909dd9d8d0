"""What holds for every provider's body, over requests that were built and over such as no builder would dare."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from contextapp.engine.inputs import BuildInputs, Built
from contextapp.engine.policy import Policy
from contextapp.engine.request import anthropic, openai, responses
from contextapp.engine.request.functions import arguments_object
from contextapp.engine.request.names import function_name
from contextapp.engine.request.neutral import ModelRequest
from tests.engine.builder.test_invariants import EXAMPLES, builds
from tests.engine.request.requests import requests
from tests.golden import cases

PROVIDERS = (openai, responses, anthropic)
every_provider = pytest.mark.parametrize("provider", PROVIDERS, ids=lambda provider: provider.__name__.rsplit(".")[-1])
Body = Mapping[str, Any]


def said(body: Body) -> list[Any]:
    """Everything the model reads of the conversation, in order: texts, and calls as (name, arguments)."""
    return list(_said([body.get("instructions"), body.get("system"), body.get("messages"), body.get("input")]))


def _said(value: Any) -> Iterator[Any]:
    if isinstance(value, list):
        for inner in value:
            yield from _said(inner)
    elif isinstance(value, Mapping) and "name" in value:
        arguments = value["arguments"] if "arguments" in value else json.dumps(value["input"])
        yield value["name"], arguments_object(arguments)
    elif isinstance(value, Mapping):
        for key in ("text", "content", "output", "tool_calls", "function"):
            yield from _said(value.get(key))
    elif value is not None:
        yield value


def meant(request: ModelRequest) -> list[Any]:
    found: list[Any] = []
    for block in request.blocks:
        found += [block.text.strip()] if block.text.strip() else []
        found += [(function_name(name), arguments_object(arguments)) for _, name, arguments in block.calls]
    return found


def missing(request: ModelRequest, body: Body) -> list[Any]:
    """The first piece of the request that is not in the body behind the piece before it."""
    left = said(body)
    for wanted in meant(request):
        left = left[next((place for place, piece in enumerate(left) if _holds(piece, wanted)), len(left)) :]
        if not left:
            return [wanted]
        left[0] = left[0].split(wanted, 1)[1] if isinstance(wanted, str) else ""
    return []


def _holds(piece: Any, wanted: Any) -> bool:
    return wanted in piece if isinstance(piece, str) and isinstance(wanted, str) else bool(piece == wanted)


def listed(body: Body) -> list[str]:
    return [json.dumps(tool, sort_keys=True) for tool in body.get("tools", [])]


def pieces(body: Body) -> list[Any]:
    """The body in the smallest pieces that stand one behind the other."""
    found = [
        *body.get("system", []),
        *([body["instructions"]] if "instructions" in body else []),
        *body.get("input", []),
    ]
    for message in body.get("messages", []):
        parts = message["content"] if isinstance(message["content"], list) else [message]
        found += [(message["role"], part) for part in parts]
    return found


@every_provider
@given(request=requests())
@settings(max_examples=4 * EXAMPLES, deadline=None)
def test_any_ordered_request_becomes_a_body_the_provider_takes_and_loses_nothing(
    provider: ModuleType, request: ModelRequest
) -> None:
    body = provider.render(request)

    assert provider.validate(body) == ()
    assert missing(request, body) == []
    assert len(listed(body)) == sum(len(block.tools) for block in request.blocks)
    assert body == provider.render(request)


@given(built=builds())
@settings(max_examples=EXAMPLES, deadline=None)
def test_any_built_request_becomes_a_body_every_provider_takes_and_loses_nothing(
    built: tuple[BuildInputs, Policy, Built],
) -> None:
    request = built[2].request
    assume(request is not None)
    assert request is not None

    bodies = [(provider, provider.render(request)) for provider in PROVIDERS]

    assert [problem for provider, body in bodies for problem in provider.validate(body)] == []
    assert [lost for _, body in bodies for lost in missing(request, body)] == []


@every_provider
@given(request=requests(), other=requests(), cut=st.integers(0, 30))
@settings(max_examples=4 * EXAMPLES, deadline=None)
def test_requests_that_begin_with_the_same_blocks_become_bodies_that_begin_alike(
    provider: ModuleType, request: ModelRequest, other: ModelRequest, cut: int
) -> None:
    shared = request.blocks[:cut]
    ends = [request.blocks[cut:], tuple(block for block in other.blocks if block.role != "system")]

    start, first, second = (
        provider.render(replace(request, blocks=blocks)) for blocks in (shared, shared + ends[0], shared + ends[1])
    )

    is_front = all(block.role == "system" for block in shared)  # a stand-in is then behind the last piece
    same = max(0, len(pieces(start)) - 1 - is_front)  # what comes next may join the last piece
    assert pieces(first)[:same] == pieces(second)[:same] == pieces(start)[:same]
    assert listed(first)[: len(listed(start))] == listed(second) == listed(start)


@every_provider
@pytest.mark.parametrize("case", cases.CASES)
def test_a_golden_request_becomes_a_body_the_provider_takes(provider: ModuleType, case: str) -> None:
    request = cases.built_of(case).request

    assert request is None or provider.validate(provider.render(request)) == ()
