"""What is documented of known models: window, output limit, tokenizer. Never guesses: an unknown model has no window.

One table, so that an installation can replace a row later. A window that its provider sells as an option (Claude's
`[1m]`) counts only where the model's name says so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from uuid import UUID

from contextapp.engine.inputs import ModelProfile
from contextapp.engine.values import Method
from contextapp.policy.selectors import calibration_at, newest_calibration

O200K, CL100K = "o200k_base", "cl100k_base"
LARGE = 1_000_000


@dataclass(frozen=True, slots=True)
class Known:
    """`is_exact`: the tokenizer is the provider's own; otherwise its counts are estimates."""

    window_tokens: int
    output_limit_tokens: int
    tokenizer: str = O200K
    is_exact: bool = False
    supports_tools: bool = True


# By the exact name, without its date.
NAMES: dict[str, Known] = {
    "claude-3-opus": Known(200_000, 4_096),
    "claude-3-sonnet": Known(200_000, 4_096),
    "claude-3-haiku": Known(200_000, 4_096),
    "claude-3-5-sonnet": Known(200_000, 8_192),
    "claude-3-5-haiku": Known(200_000, 8_192),
    "claude-3-7-sonnet": Known(200_000, 64_000),
    "claude-opus-4": Known(200_000, 32_000),
    "claude-opus-4-0": Known(200_000, 32_000),
    "claude-opus-4-1": Known(200_000, 32_000),
    "claude-opus-4-5": Known(200_000, 64_000),
    "claude-opus-4-6": Known(200_000, 128_000),
    "claude-opus-4-7": Known(LARGE, 128_000),
    "claude-opus-4-8": Known(LARGE, 128_000),
    "claude-fable-5": Known(LARGE, 128_000),
    "claude-sonnet-4": Known(200_000, 64_000),
    "claude-sonnet-4-0": Known(200_000, 64_000),
    "claude-sonnet-4-5": Known(200_000, 64_000),
    "claude-sonnet-4-6": Known(200_000, 64_000),
    "claude-haiku-4-5": Known(200_000, 64_000),
    "gpt-3.5-turbo": Known(16_385, 4_096, CL100K, is_exact=True),
    "gpt-4": Known(8_192, 8_192, CL100K, is_exact=True),
    "gpt-4-32k": Known(32_768, 32_768, CL100K, is_exact=True),
    "o1-preview": Known(128_000, 32_768, O200K, is_exact=True, supports_tools=False),
    "o1-mini": Known(128_000, 65_536, O200K, is_exact=True, supports_tools=False),
    "gpt-4-0125-preview": Known(128_000, 4_096, CL100K, is_exact=True),
    "gpt-4-1106-preview": Known(128_000, 4_096, CL100K, is_exact=True),
    "llama3-8b": Known(8_192, 8_192),
    "llama3-70b": Known(8_192, 8_192),
}
# By the start of the name; the longest that fits counts.
FAMILIES: dict[str, Known] = {
    "gpt-4-turbo": Known(128_000, 4_096, CL100K, is_exact=True),
    "gpt-4o": Known(128_000, 16_384, O200K, is_exact=True),
    "chatgpt-4o": Known(128_000, 16_384, O200K, is_exact=True),
    "gpt-4.1": Known(1_047_576, 32_768, O200K, is_exact=True),
    "gpt-4.5": Known(128_000, 16_384, O200K, is_exact=True),
    "gpt-5": Known(400_000, 128_000, O200K, is_exact=True),
    "gpt-oss": Known(131_072, 131_072, O200K, is_exact=True),
    "codex-mini": Known(200_000, 100_000, O200K, is_exact=True),
    "o1": Known(200_000, 100_000, O200K, is_exact=True),
    "o3": Known(200_000, 100_000, O200K, is_exact=True),
    "o4-mini": Known(200_000, 100_000, O200K, is_exact=True),
    "gemini-1.5-pro": Known(2_097_152, 8_192),
    "gemini-1.5-flash": Known(1_048_576, 8_192),
    "gemini-2.0": Known(1_048_576, 8_192),
    "gemini-2.5": Known(1_048_576, 65_536),
    "gemini-3": Known(1_048_576, 65_536),
    "llama-4-maverick": Known(1_048_576, 16_384),
}
_CLOUDS = re.compile(r"^(?:[a-z]{2,6}\.)?anthropic\.|^.*/|^openrouter-")
_DATE = re.compile(
    r"(?:[-@](?:\d{8}|\d{4}-\d{2}-\d{2})|-(?:latest|preview-\d{2}-\d{2}|\d{4}))?(?:-v\d+(?::\d+)?)?(?::[a-z]+)?$"
)
_LARGE_OPTION = "[1m]"


def profile_for(model: str, project_id: UUID | None = None, calibration: int | None = None) -> ModelProfile:
    """What is known of the model. With a project, its newest calibration (or the one of that number) gives the factor."""
    known = _known(model)
    profile = ModelProfile(model, None)
    if known is not None:
        profile = ModelProfile(
            model,
            LARGE if _LARGE_OPTION in model.lower() else known.window_tokens,
            known.output_limit_tokens,
            supports_tools=known.supports_tools,
            tokenizer=known.tokenizer,
        )
    if project_id is None or calibration == 0 or method_for(model) is Method.EXACT:
        return profile
    found = (
        newest_calibration(project_id, plain_name(model))
        if calibration is None
        else calibration_at(project_id, plain_name(model), calibration)
    )
    if found is None:
        return profile
    return replace(profile, factor=max(found.quantile_95, 1.0), calibration=found.number)


def method_for(model: str) -> Method:
    """Whether counts for that model are exact; for an unknown one they are estimates."""
    known = _known(model)
    return Method.EXACT if known is not None and known.is_exact else Method.ESTIMATED


def plain_name(model: str) -> str:
    """The model's name without provider, date and options: `anthropic/claude-opus-4-5-20251101` -> `claude-opus-4-5`."""
    name = model.strip().lower().replace(_LARGE_OPTION, "")
    while (shorter := _CLOUDS.sub("", name)) != name:
        name = shorter
    return _DATE.sub("", name)


def _known(model: str) -> Known | None:
    name = plain_name(model)
    if name in NAMES:
        return NAMES[name]
    fitting = [family for family in FAMILIES if name == family or name.startswith((f"{family}-", f"{family}."))]
    return FAMILIES[max(fitting, key=len)] if fitting else None
