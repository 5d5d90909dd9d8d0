"""Raw request and response bodies of a provider's API as model calls: Anthropic Messages, OpenAI Chat and Responses, Gemini.
Recognised by their fields; what is none of them is named."""

from __future__ import annotations

from typing import Any

from contextapp.importers.contract import Json, UnfitLine
from contextapp.importers.otlp.attributes import as_text
from contextapp.importers.otlp.messages import read_messages
from contextapp.importers.otlp.usage import usage_of
from contextapp.importers.otlp.values import Message, ModelCall


def is_request(body: Any) -> bool:
    if not isinstance(body, dict):
        return False
    if isinstance(body.get("messages"), list) or isinstance(body.get("contents"), list):
        return True
    return "model" in body and isinstance(body.get("input"), str | list)


def is_response(body: Any) -> bool:
    if not isinstance(body, dict):
        return False
    return body.get("type") == "message" or any(
        isinstance(body.get(name), list) for name in ("choices", "output", "candidates")
    )


def read_body(body: Any) -> ModelCall:
    """The call that a request body is, or the answer that a response body is."""
    if is_request(body):
        return _request(body)
    if is_response(body):
        return _response(body)
    names = ", ".join(list(body)[:8]) if isinstance(body, dict) else type(body).__name__
    raise UnfitLine("no_request", detail=f"expected messages, input or contents, found {names[:200]}")


def split_instructions(messages: tuple[Message, ...]) -> tuple[tuple[str, ...], tuple[Message, ...]]:
    """System messages before all others are instructions."""
    count = next((place for place, message in enumerate(messages) if message.role != "system"), len(messages))
    return tuple(message.text for message in messages[:count] if message.text), messages[count:]


def system_texts(value: Any) -> tuple[str, ...]:
    """A text, or blocks of text: each block is a text of its own, so that one that changes leaves the others alone."""
    blocks = value if isinstance(value, list) else value.get("parts", [value]) if isinstance(value, dict) else [value]
    texts = []
    for block in blocks if isinstance(blocks, list) else [blocks]:
        said = (block.get("text") or block.get("content")) if isinstance(block, dict) else block
        texts.append(as_text(said if said is not None else block))
    return tuple(text for text in texts if text)


def read_tools(values: Any) -> tuple[Json, ...] | None:
    """Tools in any of the providers' forms; what has no name is kept as the JSON it is."""
    if not isinstance(values, list):
        return None
    found: list[Json] = []
    for value in values:
        nested = value.get("functionDeclarations") if isinstance(value, dict) else None
        found += [_tool(one) for one in (nested if isinstance(nested, list) else [value])]
    return tuple(found)


def _tool(value: Any) -> Json:
    tool = value if isinstance(value, dict) else {"name": as_text(value)[:200]}
    inner = tool.get("function") if isinstance(tool.get("function"), dict) else tool
    assert isinstance(inner, dict)
    schema = next(
        (inner[name] for name in ("parameters", "input_schema", "inputSchema", "schema") if inner.get(name)), None
    )
    if schema is None:
        schema = {name: part for name, part in inner.items() if name not in ("name", "description", "type")}
    name = inner.get("name") or tool.get("type") or as_text(tool)[:200]
    return {"name": str(name), "description": as_text(inner.get("description")), "schema": schema, "server": ""}


def _request(body: Json) -> ModelCall:
    given = next(body[name] for name in ("messages", "contents", "input") if body.get(name) is not None)
    leading, messages = split_instructions(read_messages(given))
    system = next(
        (body[n] for n in ("system", "instructions", "systemInstruction", "system_instruction") if body.get(n)), ""
    )
    return ModelCall(
        messages=messages,
        instructions=(*system_texts(system), *leading),
        tools=read_tools(body.get("tools")) or (),
        model=as_text(body.get("model")),
        dialect="body",
    )


def _response(body: Json) -> ModelCall:
    choices = next((body[name] for name in ("choices", "candidates") if isinstance(body.get(name), list)), None)
    if choices is not None:
        chosen = [choice.get("message", choice.get("content")) for choice in choices[:1] if isinstance(choice, dict)]
        output = read_messages(chosen)
    elif isinstance(body.get("output"), list):
        output = read_messages(body["output"])
    else:
        output = read_messages([body])
    return ModelCall(
        messages=None,
        output=output,
        model=as_text(body.get("model")),
        usage=usage_of(body.get("usage") or body.get("usageMetadata")),
        response_id=as_text(body.get("id")),
        dialect="body",
        is_answer_only=True,
    )
