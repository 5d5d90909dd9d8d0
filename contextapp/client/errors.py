"""Why something did not work. Each message carries the values and the way out; nothing here holds a key or a payload.

ClientError
├── BadArgument            what the caller gave can't be sent
├── SpoolError
│   ├── SpoolFull          the server is away and the spool holds its limit: nothing more is taken
│   ├── SpoolInUse         another process writes to the spool
│   ├── SpoolDamaged       the spool's file was changed by somebody else
│   └── SpoolNotWritten    the disk did not take it
├── ServerUnavailable      no answer, or only "later", for as long as was allowed
├── BadAnswer              what answered is not this API
├── EventsRefused          events that the server will never take; each with its problem
└── ProblemError           the server's problem+json
    ├── NotAuthenticated   401
    ├── NotAllowed         403
    ├── NotFound           404
    ├── Conflict           409
    ├── TooLarge           413
    ├── Refused            422
    │   └── ContextOverflow  a build that does not fit; with the figures and the ways out
    ├── RateLimited        429
    └── ServerFailed       5xx
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]  # a JSON object of the API


class ClientError(Exception):
    """Base of everything this client raises."""


class BadArgument(ClientError, ValueError):
    pass


class SpoolError(ClientError):
    pass


class SpoolFull(SpoolError):
    pass


class SpoolInUse(SpoolError):
    pass


class SpoolDamaged(SpoolError):
    pass


class SpoolNotWritten(SpoolError):
    pass


class ServerUnavailable(ClientError):
    pass


class BadAnswer(ClientError):
    pass


class ProblemError(ClientError):
    """`extra` has the members of this problem beyond those that every problem has."""

    def __init__(self, status: int, content: Mapping[str, Any]) -> None:
        self.status = status
        self.code = str(content.get("code") or "")
        self.detail = str(content.get("detail") or "")
        self.request_id = str(content.get("request_id") or "")
        self.index = content.get("index") if isinstance(content.get("index"), int) else None
        self.field = content.get("field") if isinstance(content.get("field"), str) else None
        common = {"type", "title", "status", "code", "detail", "request_id", "index", "field"}
        self.extra: Json = {name: value for name, value in content.items() if name not in common}
        place = f" (event {self.index}, {self.field})" if self.index is not None else ""
        super().__init__(f"{status} {self.code}: {self.detail}{place}")


class NotAuthenticated(ProblemError):
    pass


class NotAllowed(ProblemError):
    pass


class NotFound(ProblemError):
    pass


class Conflict(ProblemError):
    pass


class TooLarge(ProblemError):
    pass


class Refused(ProblemError):
    pass


class RateLimited(ProblemError):
    pass


class ServerFailed(ProblemError):
    pass


class ContextOverflow(Refused):
    """`bucket` is the guilty one; `ways_out` are what would make room, each with its price."""

    @property
    def bucket(self) -> str:
        return str(self.extra.get("bucket") or "")

    @property
    def kind(self) -> str:
        return str(self.extra.get("kind") or "")

    @property
    def required_tokens(self) -> int | None:
        return _whole(self.extra.get("required_tokens"))

    @property
    def available_tokens(self) -> int | None:
        return _whole(self.extra.get("available_tokens"))

    @property
    def floor_tokens(self) -> int | None:
        return _whole(self.extra.get("floor_tokens"))

    @property
    def ways_out(self) -> list[Any]:
        found = self.extra.get("ways_out")
        return found if isinstance(found, list) else []

    @property
    def ledger(self) -> Json:
        found = self.extra.get("ledger")
        return found if isinstance(found, dict) else {}


@dataclass(frozen=True, slots=True)
class RefusedEvent:
    event_id: str
    type: str
    event: Json
    problem: ProblemError


class EventsRefused(ClientError):
    """They were set aside, in the file beside the spool if there is one, and what came after them was sent."""

    def __init__(self, refused: Sequence[RefusedEvent]) -> None:
        self.refused = tuple(refused)
        first = self.refused[0]
        more = f" and {len(self.refused) - 1} more" if len(self.refused) > 1 else ""
        super().__init__(f"event {first.event_id} ({first.type}){more} was refused: {first.problem}")


_BY_STATUS: dict[int, type[ProblemError]] = {
    401: NotAuthenticated, 403: NotAllowed, 404: NotFound, 409: Conflict, 413: TooLarge, 422: Refused, 429: RateLimited,
}  # fmt: skip


def problem_of(status: int, content: Mapping[str, Any]) -> ProblemError:
    if content.get("code") == "context_overflow":
        return ContextOverflow(status, content)
    return _BY_STATUS.get(status, ServerFailed if status >= 500 else ProblemError)(status, content)


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
