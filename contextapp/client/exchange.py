"""Requests, answers and when to try again, without any input or output: each operation is a generator that yields what it wants
done, so that one text serves both transports."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from uuid import UUID

from contextapp.client.errors import BadAnswer, BadArgument, Json, ServerUnavailable, problem_of

_AGAIN = frozenset({429, 502, 503, 504})
_DETAIL_CHARS = 200


@dataclass(frozen=True, slots=True)
class Request:
    method: str
    path: str
    query: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    body: Json | None = None
    wait_seconds: float = 0.0  # how long the server may take beyond the usual

    @property
    def content(self) -> bytes | None:
        """In ASCII: escapes carry what UTF-8 can't, such as half a surrogate pair in a tool's output."""
        return None if self.body is None else json.dumps(self.body, allow_nan=False).encode("ascii")

    @property
    def headers(self) -> dict[str, str]:
        return {} if self.body is None else {"Content-Type": "application/json"}


@dataclass(frozen=True, slots=True)
class Response:
    status: int
    headers: Mapping[str, str]  # names in lower case
    content: bytes


@dataclass(frozen=True, slots=True)
class Unreachable:
    reason: str


@dataclass(frozen=True, slots=True)
class Pause:
    seconds: float


Step = Request | Pause
Reply = Response | Unreachable | None
type Exchange[T] = Generator[Step, Reply, T]


@dataclass(frozen=True, slots=True)
class Retry:
    """`budget_seconds` bounds the sum of all pauses of one operation; a server's Retry-After is a lower bound of each pause."""

    budget_seconds: float = 30.0
    first_seconds: float = 0.5
    most_seconds: float = 20.0
    draw: Callable[[], float] = random.random

    def pause(self, attempt: int, asked_seconds: float) -> float:
        backoff = min(self.most_seconds, self.first_seconds * 2.0 ** min(attempt, 30))
        return asked_seconds + backoff * (0.5 + self.draw() / 2)  # spread, so that clients don't come back all at once


def ask(request: Request, retry: Retry) -> Exchange[Json]:
    """The JSON that answers. Repeated while the server is away or says later: every operation of the API may be."""
    spent, attempt = 0.0, 0
    while True:
        reply = yield request
        if isinstance(reply, Response) and reply.status not in _AGAIN:
            return _answer(request, reply)
        seconds = retry.pause(attempt, _retry_after(reply))
        if spent + seconds > retry.budget_seconds:
            raise _gave_up(request, reply, attempt + 1)
        yield Pause(seconds)
        spent, attempt = spent + seconds, attempt + 1


def _answer(request: Request, reply: Response) -> Json:
    content = _json(reply.content)
    if reply.status >= 400:
        if content is None:
            raise BadAnswer(
                f"{request.method} {request.path}: {reply.status} without a problem of this API; is the address right?"
            )
        raise problem_of(reply.status, content)
    if content is None or not 200 <= reply.status < 300:
        start = reply.content[:_DETAIL_CHARS].decode("utf-8", "replace")
        raise BadAnswer(f"{request.method} {request.path}: {reply.status} with {start!r}; is the address right?")
    return content


def _json(content: bytes) -> Json | None:
    try:
        found = json.loads(content)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _gave_up(request: Request, reply: Reply, attempts: int) -> Exception:
    if isinstance(reply, Response) and (content := _json(reply.content)) is not None:
        problem = problem_of(reply.status, content)
        if reply.status == 429:
            return problem
        return ServerUnavailable(f"{request.method} {request.path}: after {attempts} attempts still {problem}")
    said = (
        reply.reason
        if isinstance(reply, Unreachable)
        else f"{reply.status}"
        if isinstance(reply, Response)
        else "nothing"
    )
    return ServerUnavailable(f"{request.method} {request.path}: after {attempts} attempts still {said}")


def _retry_after(reply: Reply) -> float:
    """Seconds, or the time until a date; what is neither asks for nothing."""
    given = reply.headers.get("retry-after", "") if isinstance(reply, Response) else ""
    if given.isascii() and given.isdecimal():
        return float(min(int(given), 24 * 3600))
    try:
        until = parsedate_to_datetime(given)
    except ValueError:
        return 0.0
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max(0.0, (until - datetime.now(UTC)).total_seconds())


def uuid_of(value: object, name: str) -> UUID:
    """An id before it becomes part of a path."""
    if isinstance(value, UUID):
        return value
    try:
        return UUID(str(value))
    except ValueError as error:
        raise BadArgument(f"{name} {str(value)[:60]!r} is not a UUID") from error


def text_of(answer: Json, name: str) -> str:
    value: Any = answer.get(name)
    if not isinstance(value, str):
        raise BadAnswer(f"the answer has no {name}; is this server of the same version?")
    return value
