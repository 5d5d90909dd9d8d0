"""Deliveries as a real exporter writes them: protobuf messages of opentelemetry-proto, and their JSON. Holds no test."""

from __future__ import annotations

import json
from typing import Any

from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue

Json = dict[str, Any]
TRACE = "0af7651916cd43dd8448eb211c80319c"
SECOND = 1_000_000_000
START = 1_760_000_000 * SECOND


def span(number: int, attributes: Json, *, trace: str = TRACE, name: str = "chat", **more: Any) -> Json:
    """The span that begins at second `number`."""
    start = START + number * SECOND
    times = {"start": start, "end": start + SECOND // 2}
    return {"name": name, "trace": trace, "id": f"{number + 1:016x}", "attributes": attributes, **times, **more}


def said(role: str, text: str) -> Json:
    return {"role": role, "parts": [{"type": "text", "content": text}]}


def chat(messages: list[Json], answer: Json | None, *, session: str = "run-1", **more: Any) -> Json:
    """The attributes of a call by the names of OpenTelemetry GenAI."""
    found: Json = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "anthropic",
        "gen_ai.request.model": "claude-opus-4-6",
        "gen_ai.conversation.id": session,
        "gen_ai.input.messages": json.dumps(messages),
    }
    if answer is not None:
        found["gen_ai.output.messages"] = json.dumps([answer])
    return found | more


def growing(calls: int, *, words: int = 40, session: str = "run-1", first: int = 0) -> list[Json]:
    """A conversation of so many calls, each with the whole history before it."""
    history: list[Json] = []
    found = []
    for number in range(calls):
        history.append(said("user", f"question {number} of {session}: " + "word " * words))
        answer = said("assistant", f"answer {number}: " + "reply " * words)
        usage = {"gen_ai.usage.input_tokens": 100 * (number + 1), "gen_ai.usage.output_tokens": 50}
        found.append(span(first + number, chat(list(history), answer, session=session, **usage)))
        history.append(answer)
    return found


def traces(*spans: Json, resource: Json | None = None) -> bytes:
    return request_of(*spans, resource=resource).SerializeToString()


def traces_json(*spans: Json) -> bytes:
    """With hex ids, as OTLP/JSON wants them and protobuf's own JSON does not."""
    content = MessageToDict(request_of(*spans))
    for group in content["resourceSpans"]:
        for made, given in zip(group["scopeSpans"][0]["spans"], spans, strict=True):
            made |= {"traceId": given["trace"], "spanId": given["id"]}
            if given.get("parent"):
                made["parentSpanId"] = given["parent"]
    return json.dumps(content).encode()


def request_of(*spans: Json, resource: Json | None = None) -> ExportTraceServiceRequest:
    request = ExportTraceServiceRequest()
    group = request.resource_spans.add()
    group.resource.attributes.extend(pairs(resource or {"service.name": "my-agent", "service.version": "1.2"}))
    scope = group.scope_spans.add()
    for given in spans:
        made = scope.spans.add(
            name=given["name"],
            trace_id=bytes.fromhex(given["trace"]),
            span_id=bytes.fromhex(given["id"]),
            parent_span_id=bytes.fromhex(given.get("parent", "")),
            start_time_unix_nano=given["start"],
            end_time_unix_nano=given["end"],
        )
        made.attributes.extend(pairs(given["attributes"]))
        if "error" in given:
            made.status.code, made.status.message = 2, given["error"]
        for name, attributes in given.get("events", ()):
            made.events.add(name=name).attributes.extend(pairs(attributes))
    return request


def logs(*records: Json) -> bytes:
    request = ExportLogsServiceRequest()
    scope = request.resource_logs.add().scope_logs.add()
    for number, record in enumerate(records):
        made = scope.log_records.add(time_unix_nano=START + number * SECOND, event_name=record.get("event", ""))
        made.attributes.extend(pairs(record.get("attributes", {})))
        if "body" in record:
            made.body.CopyFrom(any_value(record["body"]))
    return request.SerializeToString()


def pairs(attributes: Json) -> list[KeyValue]:
    return [KeyValue(key=name, value=any_value(value)) for name, value in attributes.items()]


def any_value(value: Any) -> AnyValue:
    made = AnyValue()
    if isinstance(value, bool):
        made.bool_value = value
    elif isinstance(value, int):
        made.int_value = value
    elif isinstance(value, float):
        made.double_value = value
    elif isinstance(value, list):
        made.array_value.values.extend(any_value(one) for one in value)
    elif isinstance(value, dict):
        made.kvlist_value.values.extend(pairs(value))
    elif value is not None:
        made.string_value = value
    return made
