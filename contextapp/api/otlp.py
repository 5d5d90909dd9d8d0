"""The door for OpenTelemetry: `POST /v1/traces` and `/v1/logs`, protobuf or JSON, answered as OTLP says, in the encoding of
the request. What a delivery holds that can't be taken is counted in its answer; the rest is stored before it is given."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, UnreadablePostError
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

from contextapp.accounts import permissions, services
from contextapp.accounts.selectors import key_for
from contextapp.api import bodies, problems, rates
from contextapp.api.problems import Problem
from contextapp.importers.contract import UnfitLine
from contextapp.importers.otlp import answers, decoding
from contextapp.importers.otlp.reading import read_log, read_span
from contextapp.importers.otlp.values import Reading, Span
from contextapp.intake.errors import TelemetryBusy
from contextapp.intake.services import Sender, take_telemetry

log = logging.getLogger(__name__)

PROTOBUF, JSON = "application/x-protobuf", "application/json"
Decode = Callable[[bytes], Iterator[Span | UnfitLine]]


@csrf_exempt  # a key in a header; cookies count for nothing here
def traces(request: HttpRequest) -> HttpResponse:
    decoders = {PROTOBUF: decoding.spans_of_protobuf, JSON: decoding.spans_of_json}
    return _door(request, decoders, read_span, answers.for_traces)


@csrf_exempt
def logs(request: HttpRequest) -> HttpResponse:
    decoders = {PROTOBUF: decoding.logs_of_protobuf, JSON: decoding.logs_of_json}
    return _door(request, decoders, read_log, answers.for_logs)


def _door(
    request: HttpRequest,
    decoders: dict[str, Decode],
    read: Callable[[Span], Reading | None],
    answer: Callable[[int, str, bool], bytes],
) -> HttpResponse:
    is_json = request.content_type != PROTOBUF
    try:
        key = _key(request)
        body = _body(request)
        found = list(decoders[request.content_type or ""](body))
        sender = Sender(key.project_id, f"key:{key.key_id}", key.id)
        taken = take_telemetry(sender=sender, found=found, read=read)
        services.note_events(key=key, events=len(found))  # a record counts as one
    except Exception as error:  # noqa: BLE001  the edge of the process: logged, and exporters read a status and no more
        return _failed(request, error, is_json=is_json)
    response = HttpResponse(answer(taken.rejected, taken.message, is_json))
    return _finished(request, response, is_json=is_json)


def _key(request: HttpRequest) -> Any:  # the key; doors don't name models
    if request.method != "POST":
        raise Problem(405, "method_not_allowed", f"{request.method} is not offered here; use POST")
    given = request.headers.get("Authorization", "")
    key = key_for(given) if given[:7].lower() == "bearer " else None
    if key is None:
        raise Problem(401, "not_authenticated", "set the header `Authorization: Bearer ctx_...` on the exporter")
    rates.remember(request, key)
    if not permissions.key_may(key.scopes, "event.append"):
        detail = f"this key may {', '.join(key.scopes)}; telemetry needs ingest"
        raise Problem(403, "scope_missing", detail)
    rates.admit(key)
    return key


def _body(request: HttpRequest) -> bytes:
    """The whole body, unpacked, within the limit in both forms."""
    if request.content_type not in (PROTOBUF, JSON):
        raise Problem(415, "not_otlp", f"Content-Type is {request.content_type!r}; send {PROTOBUF} or {JSON}")
    limit = settings.API_BODY_LIMIT_BYTES
    declared = bodies.declared_length(request, limit=limit, way="export smaller batches")
    bodies.check_encoding(request)
    bodies.whole(request, declared=declared)
    return bodies.unpacked(request, limit=limit, way="export smaller batches")


def _failed(request: HttpRequest, error: Exception, *, is_json: bool) -> HttpResponse:
    if isinstance(error, UnfitLine):
        problem = Problem(400, error.reason, f"the body is not OTLP: {error}")
    elif isinstance(error, TelemetryBusy):
        problem = Problem(503, "busy", str(error))
    elif isinstance(error, UnreadablePostError):
        problem = Problem(400, "body_incomplete", "the connection ended before the body did; send it again")
    else:
        problem = problems.from_exception(error)
    if problem.status >= 500 and not isinstance(error, TelemetryBusy):
        log.error("request %s: %s", problems.request_id(request), type(error).__name__, exc_info=problem.status == 500)
    rates.note_refusal(request, problem)
    body = answers.status(problem.status, f"{problem.code}: {problem.detail}", is_json)
    response = HttpResponse(body, status=problem.status)
    if problem.status == 401:
        response["WWW-Authenticate"] = "Bearer"
    if problem.status == 405:
        response["Allow"] = "POST"
    if problem.status in (429, 503):
        response["Retry-After"] = str(problem.extra.get("retry_after", 1))
    return _finished(request, response, is_json=is_json)


def _finished(request: HttpRequest, response: HttpResponse, *, is_json: bool) -> HttpResponse:
    response["Content-Type"] = JSON if is_json else PROTOBUF
    response["X-Request-Id"] = problems.request_id(request)
    response["Cache-Control"] = "private, no-store"
    return response


urlpatterns = [path("traces", traces, name="traces"), path("logs", logs, name="logs")]
