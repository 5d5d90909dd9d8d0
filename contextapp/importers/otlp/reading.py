"""Spans to readings: which convention a span speaks - OpenTelemetry GenAI, OpenInference, Vercel AI, older forms - and what it
says in it. Reads attributes only; a span that speaks none is no reading."""

from __future__ import annotations

from typing import Any

from contextapp.importers.contract import Json, UnfitLine
from contextapp.importers.otlp import bodies, vercel
from contextapp.importers.otlp.attributes import as_text, first, read_json, text, unflatten
from contextapp.importers.otlp.messages import read_messages
from contextapp.importers.otlp.usage import usage_of_attributes
from contextapp.importers.otlp.values import Message, ModelCall, Other, Reading, Retrieval, Span, ToolRun

_MODEL_OPERATIONS = frozenset({"chat", "generate_content", "text_completion", "message"})
_PREFIXES = ("gen_ai.", "llm.", "openinference.", "ai.", "tool.", "traceloop.")
_BODIES = ("body", "request.body", "request_body", "gen_ai.request.body", "http.request.body", "llm.request.body")
_RESPONSES = ("response.body", "response_body", "gen_ai.response.body", "http.response.body")
_INPUTS = ("gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.prompt.0.role", "gen_ai.completion.0.role")


def read_span(span: Span) -> Reading | None:
    """None when nothing in the span speaks of a model or an agent."""
    said = _with_events(span)
    kind = text(said, "openinference.span.kind", "traceloop.span.kind").upper()
    operation = text(said, "gen_ai.operation.name").lower()
    if vercel.speaks(said):
        return vercel.read(said, span)
    if kind == "TOOL" or operation == "execute_tool":
        return _tool_run(said, span)
    if kind == "RETRIEVER" or operation == "retrieval":
        return _retrieval(said)
    if kind == "LLM" or (not kind and operation in _MODEL_OPERATIONS):
        return _model_call(said, span)
    if kind or operation:
        return Other((kind or operation).lower())
    if any(name in said for name in _INPUTS) or "gen_ai.request.model" in said or "llm.request.type" in said:
        return _model_call(said, span)
    return Other("unknown") if any(name.startswith(_PREFIXES) for name in said) else None


def read_log(record: Span) -> Reading | None:
    """A raw body wherever an agent puts it, or the attributes of a span on an event."""
    for value in (*(record.attributes.get(name) for name in _BODIES), record.body):
        body = read_json(value)
        if bodies.is_request(body) or bodies.is_response(body):
            return bodies.read_body(body)
        if value is not None and isinstance(body, str) and body.lstrip().startswith("{"):
            detail = "the body is no whole JSON; let the agent log bodies without a limit"
            raise UnfitLine("broken_body", field="body", detail=detail)
    for name in _RESPONSES:
        answer = read_json(record.attributes.get(name))
        if bodies.is_response(answer):
            return bodies.read_body(answer)
    found = read_span(record)
    if found is None and isinstance(record.body, dict):
        found = read_span(Span(record.name, record.trace_id, record.span_id, record.body, start_ns=record.start_ns))
    return found


def _with_events(span: Span) -> Json:
    """Attributes, with what older writers put on the span's events: a message per event, or all of them on one."""
    said = dict(span.attributes)
    asked: list[Json] = []
    answered: list[Json] = []
    for name, attributes in span.events:
        if name in ("gen_ai.content.prompt", "gen_ai.content.completion"):
            found = read_json(attributes.get(name.replace("content.", "")))
            (asked if name.endswith("prompt") else answered).extend(found if isinstance(found, list) else [])
        elif name == "gen_ai.choice":
            answered.append(_event_message(attributes, "assistant"))
        elif name.startswith("gen_ai.") and name.endswith(".message"):
            asked.append(_event_message(attributes, name.split(".")[1]))
        elif name == "gen_ai.client.inference.operation.details":
            said = {**attributes, **said}
    if asked:
        said.setdefault("gen_ai.input.messages", asked)
    if answered:
        said.setdefault("gen_ai.output.messages", answered)
    return said


def _event_message(attributes: Json, role: str) -> Json:
    made = {name: read_json(value) for name, value in attributes.items()}
    inner = made.get("message")
    if isinstance(inner, dict):
        made = {**made, **inner}
    if role == "tool" and "id" in made:
        made["tool_call_id"] = made["id"]
    return {"role": role, **made}


def _model_call(said: Json, span: Span) -> ModelCall:
    instructions: tuple[str, ...] = ()
    if given := first(said, "gen_ai.system_instructions", "llm.system"):
        value = read_json(given)
        instructions = bodies.system_texts(value) if "gen_ai.system_instructions" in said else ()
    asked, is_recorded = _asked(said)
    leading, messages = bodies.split_instructions(asked)
    return ModelCall(
        messages=messages if is_recorded else None,
        output=_answered(said),
        instructions=(*instructions, *leading),
        tools=_tools(said),
        model=text(said, "gen_ai.response.model", "llm.model_name", "gen_ai.request.model"),
        usage=usage_of_attributes(said),
        response_id=text(said, "gen_ai.response.id"),
        error=_error(said, span),
        dialect="openinference" if "openinference.span.kind" in said else "gen_ai",
    )


def _asked(said: Json) -> tuple[tuple[Message, ...], bool]:
    if (given := first(said, "gen_ai.input.messages", "gen_ai.prompt")) is not None:
        return read_messages(given), True
    if numbered := unflatten(said, "llm.input_messages"):
        return read_messages([_flat_message(one) for one in numbered]), True
    if numbered := unflatten(said, "gen_ai.prompt"):
        return read_messages([_older_message(one) for one in numbered]), True
    if (given := first(said, "input.value", "llm.prompts")) is not None:
        value = read_json(given)
        if bodies.is_request(value):
            call = bodies.read_body(value)
            return (*(Message("system", one) for one in call.instructions), *(call.messages or ())), True
        return read_messages(as_text(given)), True
    return (), False


def _answered(said: Json) -> tuple[Message, ...]:
    if (given := first(said, "gen_ai.output.messages", "gen_ai.completion")) is not None:
        found = read_messages(given)
    elif numbered := unflatten(said, "llm.output_messages"):
        found = read_messages([_flat_message(one) for one in numbered])
    elif numbered := unflatten(said, "gen_ai.completion"):
        found = read_messages([{"role": "assistant", **_older_message(one)} for one in numbered])
    elif "openinference.span.kind" in said and (given := first(said, "output.value")) is not None:
        value = read_json(given)
        answer = bodies.read_body(value).output if bodies.is_response(value) and not bodies.is_request(value) else ()
        found = answer or (Message("assistant", as_text(given)),)
    else:
        return ()
    return tuple(message if message.role == "assistant" else _spoken(message) for message in found)


def _spoken(message: Message) -> Message:
    return Message("assistant", message.text, message.thinking, message.calls, message.media)


def _flat_message(flat: Json) -> Json:
    """`message.role`, `message.contents.0.message_content.text`, `message.tool_calls.0.tool_call.function.name`."""
    said = {name.removeprefix("message."): value for name, value in flat.items()}
    made: Json = {name: said[name] for name in ("role", "content", "tool_call_id", "name") if name in said}
    contents = []
    for part in unflatten(said, "contents"):
        inner = {name.removeprefix("message_content."): value for name, value in part.items()}
        if isinstance(inner.get("image.image.url"), str):
            inner = {"type": "image_url", "image_url": {"url": inner["image.image.url"]}}
        contents.append(inner)
    if contents:
        made["contents"] = contents
    calls = [_flat_call(call) for call in unflatten(said, "tool_calls")]
    return {"role": "user", **made, **({"tool_calls": calls} if calls else {})}


def _flat_call(flat: Json) -> Json:
    said = {name.removeprefix("tool_call."): value for name, value in flat.items()}
    return {"id": said.get("id"), "name": said.get("function.name"), "arguments": said.get("function.arguments")}


def _older_message(flat: Json) -> Json:
    """`gen_ai.prompt.0.content` and its like: content may be JSON of parts, calls are numbered."""
    content = read_json(flat.get("content"))
    is_parts = isinstance(content, list) and all(isinstance(part, dict) and "type" in part for part in content)
    made: Json = {"role": flat.get("role", "user"), "content": content if is_parts else flat.get("content")}
    if flat.get("tool_call_id"):
        made["tool_call_id"] = flat["tool_call_id"]
    if calls := unflatten(flat, "tool_calls"):
        made["tool_calls"] = calls
    return made


def _tools(said: Json) -> tuple[Json, ...] | None:
    if (given := first(said, "gen_ai.tool.definitions")) is not None:
        value = read_json(given)
        return bodies.read_tools([read_json(one) for one in value] if isinstance(value, list) else value)
    numbered = [read_json(one.get("tool.json_schema")) for one in unflatten(said, "llm.tools")]
    older = [
        {**one, "parameters": read_json(one.get("parameters"))} for one in unflatten(said, "llm.request.functions")
    ]
    return bodies.read_tools(numbered or older) if numbered or older else None


def _tool_run(said: Json, span: Span) -> ToolRun:
    result = first(said, "gen_ai.tool.call.result", "output.value", "traceloop.entity.output")
    arguments = read_json(
        first(said, "gen_ai.tool.call.arguments", "tool.parameters", "input.value", "traceloop.entity.input")
    )
    body = read_messages([{"role": "tool", "content": read_json(result) if isinstance(result, str) else result}])
    return ToolRun(
        call_id=text(said, "gen_ai.tool.call.id", "tool_call.id", "tool.id"),
        name=text(said, "gen_ai.tool.name", "tool.name", "traceloop.entity.name") or span.name,
        arguments=arguments
        if isinstance(arguments, dict)
        else {}
        if arguments is None
        else {"_raw": as_text(arguments)},
        result=body[0].text if result is not None else _error(said, span),
        is_error=span.failed,
        has_result=result is not None or span.failed,
    )


def _retrieval(said: Json) -> Retrieval:
    documents = unflatten(said, "retrieval.documents") or _listed(read_json(said.get("gen_ai.retrieval.documents")))
    chunks = []
    for number, document in enumerate(documents):
        flat = {name.removeprefix("document."): value for name, value in document.items()}
        chunk: Json = {"id": text(flat, "id") or f"document:{number}", "text": text(flat, "content", "text")}
        if isinstance(flat.get("score"), int | float):
            chunk["score"] = flat["score"]
        chunks.append(chunk)
    return Retrieval(text(said, "gen_ai.retrieval.query.text", "input.value"), tuple(chunks))


def _listed(value: Any) -> list[Json]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _error(said: Json, span: Span) -> str:
    if not span.failed:
        return ""
    return text(said, "error.message", "exception.message") or span.message or text(said, "error.type") or "error"
