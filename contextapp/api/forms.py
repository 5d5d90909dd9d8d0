"""A built request in the form a caller asked for. Renders only; whatever the form, the neutral one is what was hashed."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from contextapp.engine.request import anthropic, openai, responses, workbench
from contextapp.engine.request.neutral import ModelRequest

RENDERERS = {"openai": openai.render, "responses": responses.render, "anthropic": anthropic.render}


def in_form(built: ModelRequest, form: str) -> dict[str, Any]:  # the form that was asked for
    if form in RENDERERS:
        return RENDERERS[form](built)
    if form == "workbench":
        return {"text": workbench.render(built)}
    blocks = [{**asdict(block), "digest": block.digest} for block in built.blocks]
    return {"model": built.model, "max_output_tokens": built.max_output_tokens, "blocks": blocks}
