"""Every error of the API as one shape: application/problem+json of RFC 9457. Never HTML, never a payload, never a DSN."""

from __future__ import annotations

import logging
import traceback
import uuid
from collections.abc import Callable
from typing import Any

import orjson
from django.core.exceptions import RequestDataTooBig
from django.db import DataError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, UnreadablePostError
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError
from psycopg_pool import PoolTimeout
from pydantic import BaseModel

from contextapp.api.shortages import shortage_of

log = logging.getLogger(__name__)

TITLES = {
    400: "Bad request",
    401: "Not authenticated",
    403: "Not allowed",
    404: "Not found",
    405: "Method not allowed",
    409: "Conflict",
    411: "Length required",
    413: "Too large",
    415: "Unsupported media type",
    416: "Range not satisfiable",
    422: "Refused",
    429: "Too many requests",
    500: "Internal error",
    503: "Try again",
}


class ProblemOut(BaseModel):
    """application/problem+json (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    request_id: str
    index: int | None = None
    field: str | None = None


READ_PROBLEMS = dict.fromkeys((401, 403, 404, 422, 429, 503), ProblemOut)
WRITE_PROBLEMS = dict.fromkeys((400, 401, 403, 404, 409, 411, 413, 415, 422, 429, 503), ProblemOut)


class Problem(Exception):
    """An answer that says what is wrong, where, and how to mend it. `index` is the event's place in its batch."""

    def __init__(
        self, status: int, code: str, detail: str, *, index: int | None = None, field: str | None = None, **extra: Any
    ) -> None:
        super().__init__(f"{status} {code}: {detail}")
        self.status = status
        self.code = code
        self.detail = detail
        self.index = index
        self.field = field
        self.extra = extra  # members of this problem's own, JSON values


def request_id(request: HttpRequest) -> str:
    """One id per request: in the answer's header, in every problem and in the log."""
    found: str | None = getattr(request, "contextapp_request_id", None)
    if found is None:
        found = str(uuid.uuid4())
        request.contextapp_request_id = found  # type: ignore[attr-defined]  # the request carries it to every handler
    return found


def answer(request: HttpRequest, problem: Problem) -> HttpResponse:
    content: dict[str, Any] = {
        "type": f"urn:contextapp:problem:{problem.code}",
        "title": TITLES[problem.status],
        "status": problem.status,
        "detail": problem.detail,
        "code": problem.code,
        "request_id": request_id(request),
        **problem.extra,
    }
    if problem.index is not None:
        content["index"] = problem.index
    if problem.field is not None:
        content["field"] = problem.field
    response = HttpResponse(
        orjson.dumps(content, option=orjson.OPT_SORT_KEYS),
        status=problem.status,
        content_type="application/problem+json",
    )
    if problem.status == 401:
        response["WWW-Authenticate"] = "Bearer"
    if problem.status in (429, 503):
        response["Retry-After"] = str(problem.extra.get("retry_after", 1))
    return response


def from_exception(error: Exception) -> Problem:
    """The problem for an exception. What nothing here knows is a 500 without its text: that stands in the log only."""
    cause = error.__cause__
    if isinstance(error, Problem):
        return error
    if isinstance(cause, Problem):  # django-ninja wraps what its parser raises
        return cause
    if isinstance(error, AuthenticationError):
        return Problem(401, "not_authenticated", "give a valid key as `Authorization: Bearer ctx_...`")
    if isinstance(error, ValidationError):
        return _invalid(error)
    if isinstance(error, Http404):
        return Problem(404, "not_found", "there is nothing here that this key may see")
    if isinstance(error, RequestDataTooBig):
        return Problem(413, "body_too_large", "the body is larger than this server takes; send smaller batches")
    if isinstance(error, UnreadablePostError):
        return Problem(400, "body_incomplete", "the connection ended before the body did; send it again")
    if isinstance(error, HttpError):
        return Problem(error.status_code if error.status_code in TITLES else 400, "bad_request", str(error))
    if isinstance(error, DataError):
        return Problem(422, "value_out_of_range", "a value is outside the range that can be stored")
    if isinstance(error, (OperationalError, PoolTimeout)):
        short = shortage_of(error)
        return Problem(503, short.code, short.detail, retry_after=short.retry_after_seconds)
    return Problem(500, "internal_error", "the server failed; the log names this request_id")


def _invalid(error: ValidationError) -> Problem:
    first = error.errors[0]
    place = [part for part in first["loc"] if part not in ("body", "query", "path", "header")]
    if place and place[0] in ("given", "batch", "wanted"):  # the name of our own parameter
        place = place[1:]
    index = next((part for part in place if isinstance(part, int)), None) if place[:1] == ["events"] else None
    names = [str(part) for part in (place[2:] if index is not None else place)]
    return Problem(422, "invalid_field", str(first["msg"]), index=index, field=".".join(names) or None)


def register(api: NinjaAPI, note: Callable[[HttpRequest, Problem], None]) -> None:
    """One handler for everything: the API is a process edge, and what is unknown is logged with its place. `note` hears it."""

    def handle(request: HttpRequest, error: Exception) -> HttpResponse:
        problem = from_exception(error)
        if problem.status >= 500:
            # The place, not the message: a driver quotes the values that it could not store.
            place = "".join(traceback.format_tb(error.__traceback__)[-4:])
            log.error("request %s: %s\n%s", request_id(request), type(error).__name__, place)
        note(request, problem)
        return answer(request, problem)

    for kind in (Exception, AuthenticationError, ValidationError, HttpError, Http404):
        api.add_exception_handler(kind, handle)
