"""The neutral request as plain text for a person: every block with its lane, so that one sees what is quoted and what rules."""

from __future__ import annotations

import json

from contextapp.engine.request.neutral import Block, ModelRequest


def render(request: ModelRequest) -> str:
    """The whole request as one readable text. It is for people: no model is ever given it."""
    heads = [f"model {request.model} · answer up to {request.max_output_tokens} tokens"]
    return "\n\n".join([*heads, *(_block(place, block) for place, block in enumerate(request.blocks, start=1))]) + "\n"


def _block(place: int, block: Block) -> str:
    events = f" · events {block.events[0]}-{block.events[1]}" if block.events else ""
    call = f" · answers {block.call_id}" if block.call_id else ""
    head = f"=== {place} · {block.trust} · {block.role} · {block.part} · {block.source_id}{events}{call}"
    calls = [f"-> {name} [{call_id}] {arguments}" for call_id, name, arguments in block.calls]
    tools = [json.dumps(tool, ensure_ascii=False, sort_keys=True, indent=2) for tool in block.tools]
    return "\n".join([head, *([block.text] if block.text else []), *calls, *tools])
