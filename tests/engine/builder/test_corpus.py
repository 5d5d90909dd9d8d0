"""Recorded transcripts, built at their model calls: every invariant, no exception. A sample; ENGINE_CORPUS=all for all."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from contextapp.engine.builder import build
from contextapp.engine.events import Event
from contextapp.engine.inputs import BuildInputs, Built, ModelProfile
from contextapp.engine.policy import Policy
from contextapp.engine.projection.calls import CallTracker
from contextapp.engine.projection.fold import Fold
from contextapp.engine.request import anthropic, openai, responses
from tests.engine.builder.worlds import CharCounter
from tests.recorded import DATA, recorded

ALL = os.environ.get("ENGINE_CORPUS") == "all"
WINDOWS = (8_000, 32_000, 128_000, 200_000, 1_000_000) if ALL else (8_000, 128_000)
EVERY = 1 if ALL else 120
FOLDERS = (
    "atif", "claude_code", "codex_cli", "mini_swe_agent", "openai_chat", "openhands_v0", "openhands_v1", "provider_pairs",
    "swe_agent", "gemini_cli", "pi_agent", "claude_agent_sdk", "anthropic_managed_agents", "cline", "aider",
)  # fmt: skip

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not DATA.is_dir(), reason=f"the recorded transcripts are not at {DATA}"),
]


def calls(events: list[Event]) -> Iterator[tuple[Fold, tuple[Event, ...]]]:
    """The fold and the log as they stood at the sampled calls."""
    fold, tracker, number = Fold(), CallTracker(), 0
    for place, event in enumerate(events):
        if tracker.feed(event):
            if number % EVERY == 0:
                yield fold, tuple(events[:place])
            number += 1
        fold.feed(event)


def problems(built: Built, state_constraints: list[str]) -> list[str]:
    found = [] if built.ledger.difference == 0 else [f"rows differ from the total by {built.ledger.difference}"]
    if built.request is None:
        return found
    if built.ledger.total_tokens > built.ledger.window_tokens:
        found.append(f"{built.ledger.total_tokens} tokens in a window of {built.ledger.window_tokens}")
    text = "\n".join(block.text for block in built.request.blocks)
    found += [f"constraint is missing: {constraint}" for constraint in state_constraints if constraint not in text]
    for provider in (openai, responses, anthropic):
        found += [f"{provider.__name__}: {problem}" for problem in provider.validate(provider.render(built.request))]
    return found


@pytest.mark.parametrize("folder", FOLDERS)
def test_recorded_sessions_build_at_their_calls(folder: str) -> None:
    built_calls = 0
    found: list[str] = []

    for name, events in recorded(folder):
        for fold, told in calls(events):
            state = fold.state()
            confirmed = [constraint.text for constraint in state.constraints if constraint.confirmed]
            for window in WINDOWS:
                profile = ModelProfile("recorded", window, 16_000)
                inputs = BuildInputs(
                    "p", name, state.step + 1, state.turn, state, told, profile=profile, fence_secret=b"k"
                )
                built_calls += 1
                found += [
                    f"{name} at {len(told)}: {problem}"
                    for problem in problems(build(inputs, Policy(), CharCounter()), confirmed)
                ]

    assert found == []
    assert built_calls >= len(WINDOWS)
