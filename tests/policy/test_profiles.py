"""The table of models: dates and providers don't matter, and what is not known is not guessed."""

from __future__ import annotations

import pytest

from contextapp.engine.values import Method
from contextapp.policy.profiles import method_for, plain_name, profile_for


@pytest.mark.parametrize(
    ("model", "window", "tokenizer"),
    [
        ("claude-opus-4-5-20251101", 200_000, "o200k_base"),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", 200_000, "o200k_base"),
        ("claude-3-5-sonnet@20240620", 200_000, "o200k_base"),
        ("claude-opus-4-6", 200_000, "o200k_base"),
        ("claude-opus-4-6[1m]", 1_000_000, "o200k_base"),
        ("claude-opus-4-8", 1_000_000, "o200k_base"),
        ("gpt-4o-mini-2024-07-18", 128_000, "o200k_base"),
        ("openai/gpt-4.1-nano", 1_047_576, "o200k_base"),
        ("gpt-4-0613", 8_192, "cl100k_base"),
        ("gpt-4-turbo-2024-04-09", 128_000, "cl100k_base"),
        ("gpt-3.5-turbo-0125", 16_385, "cl100k_base"),
        ("gpt-5.1-codex", 400_000, "o200k_base"),
        ("o3-mini-2025-01-31", 200_000, "o200k_base"),
        ("models/gemini-2.5-pro", 1_048_576, "o200k_base"),
    ],
)
def test_a_known_model_has_its_documented_window(model: str, window: int, tokenizer: str) -> None:
    profile = profile_for(model)

    assert (profile.model, profile.window_tokens, profile.tokenizer) == (model, window, tokenizer)
    assert profile.output_limit_tokens


@pytest.mark.parametrize("model", ["", "<synthetic>", "claude-opus-5", "gpt-6", "gpt-4omega", "o10", "my-finetune"])
def test_an_unknown_model_has_no_window(model: str) -> None:
    assert profile_for(model).window_tokens is None
    assert method_for(model) is Method.ESTIMATED


def test_only_a_providers_own_tokenizer_is_exact() -> None:
    assert method_for("gpt-4o-2024-08-06") is Method.EXACT
    assert method_for("claude-opus-4-5") is Method.ESTIMATED


@pytest.mark.parametrize(
    ("model", "plain"),
    [
        ("anthropic/claude-opus-4-5-20251101", "claude-opus-4-5"),
        ("openrouter/anthropic/claude-3-5-haiku-latest", "claude-3-5-haiku"),
        ("GPT-4o-2024-08-06", "gpt-4o"),
        ("deepseek/deepseek-chat:free", "deepseek-chat"),
    ],
)
def test_the_plain_name_leaves_provider_and_date_out(model: str, plain: str) -> None:
    assert plain_name(model) == plain
