"""What each convention calls the same things: one exchange with a tool, told by four of them, reads the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from contextapp.importers.contract import Source, UnfitLine
from contextapp.importers.otlp import bodies
from contextapp.importers.otlp.decoding import spans_of_json, spans_of_protobuf
from contextapp.importers.otlp.parser import parse
from contextapp.importers.otlp.reading import read_log, read_span
from contextapp.importers.otlp.values import ModelCall, Other, Retrieval, Span, ToolRun
from tests.importers.otlp.payloads import Json, growing, request_of, span, traces, traces_json

CORPUS = Path("../shared/data")
ARGUMENTS = {"path": "."}
TOOL = {"name": "ls", "description": "Lists.", "parameters": {"type": "object"}}

GEN_AI: Json = {
    "gen_ai.operation.name": "chat",
    "gen_ai.response.model": "m-1",
    "gen_ai.system_instructions": json.dumps([{"type": "text", "content": "Be brief."}]),
    "gen_ai.tool.definitions": json.dumps([{"type": "function", **TOOL}]),
    "gen_ai.input.messages": json.dumps(
        [
            {"role": "user", "parts": [{"type": "text", "content": "List."}]},
            {"role": "assistant", "parts": [{"type": "tool_call", "id": "c1", "name": "ls", "arguments": ARGUMENTS}]},
            {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "a.py"}]},
        ]
    ),
    "gen_ai.output.messages": json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": "One file."}]}]),
    "gen_ai.usage.input_tokens": 20,
    "gen_ai.usage.output_tokens": 5,
    "gen_ai.usage.cache_read.input_tokens": 8,
}
OPENINFERENCE: Json = {
    "openinference.span.kind": "LLM",
    "llm.model_name": "m-1",
    "llm.tools.0.tool.json_schema": json.dumps({"type": "function", "function": TOOL}),
    "llm.input_messages.0.message.role": "system",
    "llm.input_messages.0.message.content": "Be brief.",
    "llm.input_messages.1.message.role": "user",
    "llm.input_messages.1.message.contents.0.message_content.type": "text",
    "llm.input_messages.1.message.contents.0.message_content.text": "List.",
    "llm.input_messages.2.message.role": "assistant",
    "llm.input_messages.2.message.tool_calls.0.tool_call.id": "c1",
    "llm.input_messages.2.message.tool_calls.0.tool_call.function.name": "ls",
    "llm.input_messages.2.message.tool_calls.0.tool_call.function.arguments": json.dumps(ARGUMENTS),
    "llm.input_messages.3.message.role": "tool",
    "llm.input_messages.3.message.tool_call_id": "c1",
    "llm.input_messages.3.message.content": "a.py",
    "llm.output_messages.0.message.role": "assistant",
    "llm.output_messages.0.message.content": "One file.",
    "llm.token_count.prompt": 20,
    "llm.token_count.completion": 5,
    "llm.token_count.prompt_details.cache_read": 8,
}
OLDER: Json = {
    "gen_ai.request.model": "m-1",
    "llm.request.type": "chat",
    "llm.request.functions.0.name": "ls",
    "llm.request.functions.0.description": "Lists.",
    "llm.request.functions.0.parameters": json.dumps({"type": "object"}),
    "gen_ai.prompt.0.role": "system",
    "gen_ai.prompt.0.content": "Be brief.",
    "gen_ai.prompt.1.role": "user",
    "gen_ai.prompt.1.content": "List.",
    "gen_ai.prompt.2.role": "assistant",
    "gen_ai.prompt.2.tool_calls.0.id": "c1",
    "gen_ai.prompt.2.tool_calls.0.name": "ls",
    "gen_ai.prompt.2.tool_calls.0.arguments": json.dumps(ARGUMENTS),
    "gen_ai.prompt.3.role": "tool",
    "gen_ai.prompt.3.tool_call_id": "c1",
    "gen_ai.prompt.3.content": "a.py",
    "gen_ai.completion.0.role": "assistant",
    "gen_ai.completion.0.content": "One file.",
    "gen_ai.usage.prompt_tokens": 20,
    "gen_ai.usage.completion_tokens": 5,
    "gen_ai.usage.cache_read_input_tokens": 8,
}
VERCEL_TOOL = {"type": "function", "name": "ls", "description": "Lists.", "inputSchema": {"type": "object"}}
VERCEL_CALL = {"type": "tool-call", "toolCallId": "c1", "toolName": "ls", "input": ARGUMENTS}
VERCEL_RESULT = {
    "type": "tool-result",
    "toolCallId": "c1",
    "toolName": "ls",
    "output": {"type": "text", "value": "a.py"},
}
VERCEL: Json = {
    "ai.operationId": "ai.generateText.doGenerate",
    "ai.response.model": "m-1",
    "ai.prompt.tools": [json.dumps(VERCEL_TOOL)],
    "ai.prompt.messages": json.dumps(
        [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": [{"type": "text", "text": "List."}]},
            {"role": "assistant", "content": [VERCEL_CALL]},
            {"role": "tool", "content": [VERCEL_RESULT]},
        ]
    ),
    "ai.response.text": "One file.",
    "ai.usage.promptTokens": 20,
    "ai.usage.completionTokens": 5,
    "ai.usage.cachedInputTokens": 8,
}


def read(attributes: Json, events: tuple[tuple[str, Json], ...] = ()) -> Any:
    [found] = spans_of_protobuf(traces(span(0, attributes, events=events)))
    assert isinstance(found, Span)
    return read_span(found)


@pytest.mark.parametrize(
    "attributes", [GEN_AI, OPENINFERENCE, OLDER, VERCEL], ids=["gen_ai", "openinference", "older", "vercel"]
)
def test_each_convention_tells_the_same_call(attributes: Json) -> None:
    call = read(attributes)

    assert isinstance(call, ModelCall)
    assert (call.instructions, call.model) == (("Be brief.",), "m-1")
    assert call.tools == ({"name": "ls", "description": "Lists.", "schema": {"type": "object"}, "server": ""},)
    assert [message.role for message in call.messages or ()] == ["user", "assistant", "tool"]
    user, assistant, result = call.messages or ()
    assert (user.text, result.text, result.call_id) == ("List.", "a.py", "c1")
    assert [(one.call_id, one.name, one.arguments) for one in assistant.calls] == [("c1", "ls", ARGUMENTS)]
    assert [message.text for message in call.output] == ["One file."]
    assert call.usage == {
        "input_uncached": 12, "cache_read": 8, "cache_write": 0, "output": 5, "reasoning": 0, "quality": "exact",
    }  # fmt: skip


def test_messages_on_the_events_of_a_span_are_read() -> None:
    events = (
        ("gen_ai.system.message", {"content": "Be brief."}),
        ("gen_ai.user.message", {"content": "List."}),
        ("gen_ai.choice", {"finish_reason": "stop", "message": json.dumps({"content": "One file."})}),
    )

    call = read({"gen_ai.operation.name": "chat", "gen_ai.request.model": "m-1"}, events)

    assert (call.instructions, [one.text for one in call.messages], [one.text for one in call.output]) == (
        ("Be brief.",), ["List."], ["One file."],
    )  # fmt: skip


def test_tools_and_retrievals_are_told_from_calls() -> None:
    run = read({"openinference.span.kind": "TOOL", "tool.name": "ls", "input.value": "{}", "output.value": "a.py"})
    documents = {"retrieval.documents.0.document.content": "Text.", "retrieval.documents.0.document.score": 0.5}
    retrieval = read({"openinference.span.kind": "RETRIEVER", "input.value": "why", **documents})

    assert (type(run), run.name, run.result) == (ToolRun, "ls", "a.py")
    assert retrieval == Retrieval("why", ({"id": "document:0", "text": "Text.", "score": 0.5},))
    assert isinstance(read({"openinference.span.kind": "AGENT"}), Other)
    assert read({"http.method": "GET"}) is None


def test_the_outer_span_of_vercel_is_no_second_call() -> None:
    assert read({"ai.operationId": "ai.generateText", "ai.usage.promptTokens": 20}) == Other("ai.generateText")


def test_json_and_protobuf_give_the_same_spans() -> None:
    spans = growing(2)

    assert list(spans_of_json(traces_json(*spans))) == list(spans_of_protobuf(traces(*spans)))


@pytest.mark.parametrize(
    "attributes",
    [
        {"llm.input_messages.99999999999999999999.message.role": "user"},
        {"llm.input_messages.-1.message.role": "user", "llm.input_messages..": 1, "llm.input_messages.0": {"a": 1}},
        {"gen_ai.input.messages": "[" * 5000},
        {"gen_ai.input.messages": json.dumps([None, 1, "x", [], {"role": 3}, {"parts": 7}, {"role": "tool"}])},
        {"gen_ai.usage.input_tokens": -5, "gen_ai.usage.output_tokens": 1e300, "gen_ai.prompt": True},
        {"gen_ai.tool.definitions": json.dumps([1, None, {"function": 3}, {"name": {"a": 1}}])},
        {"__proto__": "x", "gen_ai.output.messages": {"role": "assistant", "parts": [{"type": ["list"]}]}},
        {"openinference.span.kind": ["LLM"], "llm.token_count.prompt": "12"},
    ],
)
def test_odd_attributes_are_read_as_far_as_they_go(attributes: Json) -> None:
    assert read({"gen_ai.operation.name": "chat", **attributes}) is not None


@pytest.mark.parametrize("field", ["traceId", "spanId"])
def test_a_span_without_ids_is_named(field: str) -> None:
    request = request_of(*growing(1))
    made = request.resource_spans[0].scope_spans[0].spans[0]
    setattr(made, "trace_id" if field == "traceId" else "span_id", b"\1\2")

    [unfit] = spans_of_protobuf(request.SerializeToString())

    assert isinstance(unfit, UnfitLine)
    assert (unfit.reason, unfit.field) == ("wrong_value", field)


def test_a_body_that_was_cut_is_named() -> None:
    record = Span("body", "", "", {"body": '{"messages": [{"role": "user", "content": "hel'})

    with pytest.raises(UnfitLine, match="broken_body"):
        read_log(record)


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["anthropic.messages", "openai.chat", "openai.responses"])
def test_every_recorded_request_body_is_a_call(name: str) -> None:
    found = sorted((CORPUS / "provider_pairs").glob(f"{name}*.jsonl"))
    if not found:
        pytest.skip(f"{CORPUS}/provider_pairs/{name}*.jsonl is not there")
    unread = []
    for number, line in enumerate(found[0].read_text().splitlines(), 1):
        request = json.loads(line)["request"]
        if "messages" in request or "contents" in request or request.get("input"):
            call = bodies.read_body(request)
            if not call.messages and not call.instructions:
                unread.append(number)

    assert unread == []


@pytest.mark.corpus
def test_a_recorded_file_without_model_calls_is_accounted_for() -> None:
    path = CORPUS / "otel_genai" / "dazzaji_openai_agents_test-traces.json"
    if not path.exists():
        pytest.skip(f"{path} is not there")

    with path.open("rb") as stream:
        lines = list(parse(Source(path.name, stream)))

    assert [(line.line, line.reason) for line in lines] == [(1, "not_genai"), (2, "not_genai")]
