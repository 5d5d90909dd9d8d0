"""Spans of the Vercel AI SDK. The outer span repeats request and usage of the inner ones, so the inner alone are calls."""

from __future__ import annotations

from contextapp.importers.contract import Json
from contextapp.importers.otlp import bodies
from contextapp.importers.otlp.attributes import as_text, read_json, text
from contextapp.importers.otlp.messages import read_messages
from contextapp.importers.otlp.usage import usage_of_attributes
from contextapp.importers.otlp.values import Message, ModelCall, Other, Reading, Span, ToolRun

_INNER = (".doGenerate", ".doStream")


def speaks(said: Json) -> bool:
    return isinstance(said.get("ai.operationId"), str) or isinstance(said.get("ai.prompt.messages"), str)


def read(said: Json, span: Span) -> Reading:
    operation = text(said, "ai.operationId")
    if operation == "ai.toolCall":
        return _tool_run(said, span)
    if operation.endswith(_INNER) or (not operation and "ai.prompt.messages" in said):
        return _model_call(said, span)
    return Other(operation)


def _model_call(said: Json, span: Span) -> ModelCall:
    leading, messages = bodies.split_instructions(read_messages(said.get("ai.prompt.messages") or ""))
    tools = said.get("ai.prompt.tools")
    listed = read_json(tools)
    return ModelCall(
        messages=messages if "ai.prompt.messages" in said else None,
        output=_output(said),
        instructions=leading,
        tools=bodies.read_tools([read_json(one) for one in listed]) if isinstance(listed, list) else None,
        model=text(said, "ai.response.model", "gen_ai.response.model", "ai.model.id"),
        usage=usage_of_attributes(said),
        response_id=text(said, "ai.response.id", "gen_ai.response.id"),
        error=(span.message or "error") if span.failed else "",
        dialect="vercel",
    )


def _output(said: Json) -> tuple[Message, ...]:
    body = text(said, "ai.response.text", "ai.response.object")
    calls = read_json(said.get("ai.response.toolCalls"))
    parts = (
        [{"type": "tool-call", **call} for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    )
    thinking = text(said, "ai.response.reasoning")
    if not (body or parts or thinking):
        return ()
    return read_messages([{"role": "assistant", "content": [body, *parts], "reasoning": thinking}])


def _tool_run(said: Json, span: Span) -> ToolRun:
    arguments, result = read_json(said.get("ai.toolCall.args")), read_json(said.get("ai.toolCall.result"))
    return ToolRun(
        call_id=text(said, "ai.toolCall.id"),
        name=text(said, "ai.toolCall.name") or span.name,
        arguments=arguments if isinstance(arguments, dict) else {},
        result=as_text(result) if result is not None else span.message,
        is_error=span.failed,
        has_result=result is not None or span.failed,
    )
