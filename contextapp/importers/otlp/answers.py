"""Answers of an OTLP receiver, as protobuf or JSON: how many records were not taken and why, or a status of google.rpc."""

from __future__ import annotations

import json

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from contextapp.importers.contract import Json

_CODES = {400: 3, 401: 16, 403: 7, 404: 5, 405: 12, 409: 10, 411: 3, 413: 8, 415: 3, 422: 3, 429: 8, 500: 13, 503: 14}


def for_traces(rejected: int, message: str, is_json: bool) -> bytes:
    if is_json:
        return _as_json({"rejectedSpans": str(rejected), "errorMessage": message} if rejected else {})
    response = ExportTraceServiceResponse()
    if rejected:
        response.partial_success.rejected_spans = rejected
        response.partial_success.error_message = _sound(message)
    return bytes(response.SerializeToString())


def for_logs(rejected: int, message: str, is_json: bool) -> bytes:
    if is_json:
        return _as_json({"rejectedLogRecords": str(rejected), "errorMessage": message} if rejected else {})
    response = ExportLogsServiceResponse()
    if rejected:
        response.partial_success.rejected_log_records = rejected
        response.partial_success.error_message = _sound(message)
    return bytes(response.SerializeToString())


def _as_json(partial: Json) -> bytes:
    return json.dumps({"partialSuccess": partial} if partial else {}).encode("ascii")


def status(http_status: int, message: str, is_json: bool) -> bytes:
    """google.rpc.Status: field 1 is the code, field 2 the message. Two fields are written faster than a class is shipped."""
    code = _CODES.get(http_status, 2)
    if is_json:
        return json.dumps({"code": code, "message": message}).encode("ascii")
    body = _sound(message).encode("utf-8")
    return b"\x08" + bytes([code]) + b"\x12" + _varint(len(body)) + body


def _sound(message: str) -> str:
    return message.encode("utf-8", "replace").decode("utf-8")


def _varint(number: int) -> bytes:
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*found, number])
