"""Bytes of OTLP to spans: protobuf, and JSON with hex ids, camelCase and integers as strings. What is unfit is named and left
out alone; the rest of its request is read."""

from __future__ import annotations

import base64
import math
from collections.abc import Iterable, Iterator
from typing import Any

from google.protobuf.message import DecodeError  # type: ignore[import-untyped]  # it carries no types
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from contextapp.importers.contract import Json, UnfitLine
from contextapp.importers.decoding import check_depth, decode_text, decode_values, kind_of
from contextapp.importers.otlp.values import Span

DEPTH_LIMIT = 60
_ERROR = (2, "2", "STATUS_CODE_ERROR")
_MOST_NS = 2**63

Found = Span | UnfitLine


def spans_of_protobuf(body: bytes) -> Iterator[Found]:
    request = ExportTraceServiceRequest()
    _parse(request, body)
    for group in request.resource_spans:
        resource = _pairs(group.resource.attributes)
        for scope in group.scope_spans:
            for span in scope.spans:
                yield _checked(
                    Span(
                        name=span.name,
                        trace_id=span.trace_id.hex(),
                        span_id=span.span_id.hex(),
                        parent_id=span.parent_span_id.hex(),
                        attributes=_pairs(span.attributes),
                        resource=resource,
                        start_ns=span.start_time_unix_nano,
                        end_ns=span.end_time_unix_nano,
                        failed=span.status.code == 2,
                        message=span.status.message,
                        events=tuple((event.name, _pairs(event.attributes)) for event in span.events),
                    )
                )


def logs_of_protobuf(body: bytes) -> Iterator[Found]:
    request = ExportLogsServiceRequest()
    _parse(request, body)
    for group in request.resource_logs:
        resource = _pairs(group.resource.attributes)
        for scope in group.scope_logs:
            for record in scope.log_records:
                attributes = _pairs(record.attributes)
                yield Span(
                    name=record.event_name or str(attributes.get("event.name") or ""),
                    trace_id=record.trace_id.hex(),
                    span_id=record.span_id.hex(),
                    attributes=attributes,
                    resource=resource,
                    start_ns=record.time_unix_nano or record.observed_time_unix_nano,
                    end_ns=record.time_unix_nano or record.observed_time_unix_nano,
                    body=_value(record.body),
                )


def _parse(request: Any, body: bytes) -> None:  # a protobuf message; its classes are made when it is imported
    try:
        request.ParseFromString(body)
    except DecodeError as error:
        raise UnfitLine("bad_protobuf", detail=str(error)[:200]) from error


def _pairs(attributes: Iterable[Any]) -> Json:
    return {pair.key: _value(pair.value) for pair in attributes}


def _value(value: Any) -> Any:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_value(inner) for inner in value.array_value.values]
    if kind == "kvlist_value":
        return _pairs(value.kvlist_value.values)
    if kind == "bytes_value":
        return base64.b64encode(value.bytes_value).decode("ascii")
    if kind is None:
        return None
    plain = getattr(value, kind)
    return _number(plain) if isinstance(plain, float) else plain


def _number(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)  # JSON has no NaN


def spans_of_json(body: bytes) -> Iterator[Found]:
    yield from spans_of_value(json_of(body))


def json_of(body: bytes) -> Json:
    values = decode_values(decode_text(body))
    if len(values) != 1 or not isinstance(values[0], dict):
        found = kind_of(values[0]) if len(values) == 1 else f"{len(values)} values"
        raise UnfitLine("not_an_object", detail=f"expected one JSON object, found {found}")
    check_depth(values[0], DEPTH_LIMIT)
    request: Json = values[0]
    return request


def spans_of_value(request: Json) -> Iterator[Found]:
    for resource, span in _records(request, "resourceSpans", "scopeSpans", "spans"):
        yield _attempt(_span_of, resource, span)


def logs_of_json(body: bytes) -> Iterator[Found]:
    yield from logs_of_value(json_of(body))


def logs_of_value(request: Json) -> Iterator[Found]:
    for resource, record in _records(request, "resourceLogs", "scopeLogs", "logRecords"):
        yield _attempt(_log_of, resource, record)


def _records(request: Json, outer: str, middle: str, inner: str) -> Iterator[tuple[Json, Any]]:
    for group in _listed(request, outer):
        source = group.get("resource") if isinstance(group, dict) else None
        resource = _named(source.get("attributes")) if isinstance(source, dict) else {}
        for scope in _listed(group, middle):
            yield from ((resource, record) for record in _listed(scope, inner))


def _listed(holder: Any, name: str) -> list[Any]:
    value = holder.get(name) if isinstance(holder, dict) else None
    if value is None and isinstance(holder, dict):
        return []
    if not isinstance(value, list):
        raise UnfitLine("wrong_type", field=name, detail=f"expected an array, found {kind_of(value)}")
    return value


def _attempt(read: Any, resource: Json, record: Any) -> Found:
    try:
        if not isinstance(record, dict):
            raise UnfitLine("wrong_type", detail=f"expected an object, found {kind_of(record)}")
        found: Span = read(resource, record)
    except UnfitLine as unfit:
        return unfit
    return found


def _span_of(resource: Json, span: Json) -> Span:
    status = span.get("status") if isinstance(span.get("status"), dict) else {}
    assert isinstance(status, dict)
    events = span.get("events") if isinstance(span.get("events"), list) else []
    assert isinstance(events, list)
    made = Span(
        name=_text(span, "name"),
        trace_id=_text(span, "traceId").lower(),
        span_id=_text(span, "spanId").lower(),
        parent_id=_text(span, "parentSpanId").lower(),
        attributes=_named(span.get("attributes")),
        resource=resource,
        start_ns=_whole(span, "startTimeUnixNano"),
        end_ns=_whole(span, "endTimeUnixNano"),
        failed=status.get("code") in _ERROR,
        message=str(status.get("message") or ""),
        events=tuple(
            (_text(event, "name"), _named(event.get("attributes"))) for event in events if type(event) is dict
        ),
    )
    found = _checked(made)
    if isinstance(found, UnfitLine):
        raise found
    return found


def _log_of(resource: Json, record: Json) -> Span:
    attributes = _named(record.get("attributes"))
    moment = _whole(record, "timeUnixNano") or _whole(record, "observedTimeUnixNano")
    return Span(
        name=_text(record, "eventName") or str(attributes.get("event.name") or ""),
        trace_id=_text(record, "traceId").lower(),
        span_id=_text(record, "spanId").lower(),
        attributes=attributes,
        resource=resource,
        start_ns=moment,
        end_ns=moment,
        body=_any(record.get("body")),
    )


def _checked(span: Span) -> Found:
    """Without ids a span sent again could not be known again."""
    for name, value, length in (("traceId", span.trace_id, 32), ("spanId", span.span_id, 16)):
        if len(value) != length or set(value) - set("0123456789abcdef") or not value.strip("0"):
            detail = f"expected {length} hex digits that are not all zero, found {value[:40]!r}"
            return UnfitLine("wrong_value", field=name, detail=detail)
    return span


def _text(record: Json, name: str) -> str:
    value = record.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise UnfitLine("wrong_type", field=name, detail=f"expected a string, found {kind_of(value)}")
    return value


def _whole(record: Json, name: str) -> int:
    value = record.get(name) or 0
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 20:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < _MOST_NS:
        detail = f"expected nanoseconds as a string of digits, found {str(value)[:40]!r}"
        raise UnfitLine("wrong_value", field=name, detail=detail)
    return value


def _named(pairs: Any) -> Json:
    if pairs is None:
        return {}
    if not isinstance(pairs, list):
        raise UnfitLine("wrong_type", field="attributes", detail=f"expected an array, found {kind_of(pairs)}")
    found: Json = {}
    for pair in pairs:
        if not isinstance(pair, dict) or not isinstance(pair.get("key"), str):
            raise UnfitLine("wrong_type", field="attributes", detail="expected objects with a key and a value")
        found[pair["key"]] = _any(pair.get("value"))
    return found


def _any(value: Any) -> Any:
    """An AnyValue. A plain value, which is no OTLP but what some writers send, is taken as it is."""
    if not isinstance(value, dict) or len(value) != 1:
        return value
    kind, inner = next(iter(value.items()))
    if kind == "intValue":
        return (
            int(inner) if isinstance(inner, str) and inner.removeprefix("-").isdecimal() and len(inner) < 21 else inner
        )
    if kind == "arrayValue":
        return [_any(one) for one in inner.get("values") or []] if isinstance(inner, dict) else inner
    if kind == "kvlistValue":
        return _named(inner.get("values")) if isinstance(inner, dict) else inner
    if kind == "doubleValue" and isinstance(inner, str):
        return inner
    return inner if kind in ("stringValue", "boolValue", "doubleValue", "bytesValue") else value
