"""What the client asks of the API, operation by operation, as exchanges. Holds no state but what the caller gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from contextapp.client.errors import BadAnswer, Conflict, Json, NotFound, ProblemError, Refused, TooLarge
from contextapp.client.exchange import Exchange, Request, Retry, ask, text_of, uuid_of
from contextapp.client.outbox import Outbox, Waiting

MOST_EVENTS = 200
MOST_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Built:
    """A request for the model, in the format that was asked for, and the ledger that explains it."""

    step: int
    turn: int
    build_id: UUID
    format: str
    request: Json
    request_sha256: str
    ledger: Json


@dataclass(frozen=True, slots=True)
class Events:
    """A page of the log. `next_after` is set while more is stored than was read; `go_on` is where to read on in any case."""

    events: list[Json]
    next_after: int | None
    head_seq: int

    @property
    def go_on(self) -> int:
        """The `after` of the next call. It leaves behind what was looked at, also where no event was of the wanted types."""
        return self.head_seq if self.next_after is None else self.next_after


class Directory:
    """Which id the server gave to a session that the caller named."""

    def __init__(self) -> None:
        self._ids: dict[str, UUID] = {}

    def id_of(self, session: str, facts: Json | None, retry: Retry) -> Exchange[UUID]:
        """Opens the session if need be: the same external id gives the same session again."""
        if session.startswith("id:"):
            return uuid_of(session.removeprefix("id:"), "session_id")
        if session not in self._ids:
            named = {"external_id": session.removeprefix("external:")}
            answer = yield from ask(Request("POST", "/sessions", body={**(facts or {}), **named}), retry)
            self._ids[session] = uuid_of(text_of(answer, "id"), "id")
        return self._ids[session]


def deliver(outbox: Outbox, directory: Directory, retry: Retry) -> Exchange[int]:
    """Everything that waits, oldest first. What the server names as never to be taken is set aside; how many went."""
    sent = 0
    while batch := outbox.batch(most_events=MOST_EVENTS, most_bytes=MOST_BYTES):
        session = batch[0].session
        try:
            session_id = yield from directory.id_of(session, outbox.facts_of(session), retry)
        except (Refused, NotFound) as problem:
            _refuse_all(outbox, batch, problem)
            continue
        try:
            yield from ask(_append(session_id, batch), retry)
        except NotFound as problem:
            _refuse_all(outbox, batch, problem)
        except (Refused, TooLarge, Conflict) as problem:
            yield from _set_aside(outbox, session_id, batch, problem, retry)
        else:
            outbox.done(batch)
            sent += len(batch)
    return sent


def _append(session_id: UUID, batch: list[Waiting]) -> Request:
    return Request("POST", f"/sessions/{session_id}/events", body={"events": [one.event for one in batch]})


def _refuse_all(outbox: Outbox, batch: list[Waiting], problem: ProblemError) -> None:
    """There is no such session, and there will be none."""
    for one in batch:
        outbox.refuse(one, problem)


def _set_aside(
    outbox: Outbox, session_id: UUID, batch: list[Waiting], problem: ProblemError, retry: Retry
) -> Exchange[None]:
    """A batch is taken whole or not at all: the one that was named leaves it; if none was, each is asked for alone."""
    if len(batch) == 1:
        outbox.refuse(batch[0], problem)
    elif problem.index is not None and 0 <= problem.index < len(batch):
        outbox.refuse(batch[problem.index], problem)
    else:
        for one in batch:
            try:
                yield from ask(_append(session_id, [one]), retry)
            except (Refused, TooLarge, Conflict) as own:
                outbox.refuse(one, own)
            else:
                outbox.done([one])


def build(session_id: UUID, build_id: UUID, model: str, form: str, retry: Retry) -> Exchange[Built]:
    """The same build_id gives the same request again, so a retry costs nothing."""
    body = {"build_id": str(build_id), "model": model, "format": form}
    answer = yield from ask(Request("POST", f"/sessions/{session_id}/steps", body=body), retry)
    try:
        return Built(
            step=answer["step"],
            turn=answer["turn"],
            build_id=uuid_of(answer["build_id"], "build_id"),
            format=answer["format"],
            request=answer["request"],
            request_sha256=answer["request_sha256"],
            ledger=answer["ledger"],
        )
    except KeyError as error:
        raise BadAnswer(f"the answer to a build has no {error}; is this server of the same version?") from error


def events(
    session_id: UUID, after: int, wait_seconds: float, limit: int, types: str | Sequence[str], retry: Retry
) -> Exchange[Events]:
    query: dict[str, str | Sequence[str]] = {"after": str(after), "limit": str(limit)}
    if types:
        query["type"] = [types] if isinstance(types, str) else list(types)
    if wait_seconds > 0:
        query["wait"] = str(int(wait_seconds))
    request = Request("GET", f"/sessions/{session_id}/events", query, wait_seconds=wait_seconds)
    answer = yield from ask(request, retry)
    return Events(list(answer.get("events") or []), answer.get("next_after"), int(answer.get("head_seq") or 0))


def read(session_id: UUID, path: str, query: Mapping[str, Any], retry: Retry) -> Exchange[Json]:
    said = {name: value for name, value in query.items() if value not in (None, "")}
    given = {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in said.items()}
    answer = yield from ask(Request("GET", f"/sessions/{session_id}{path}", given), retry)
    return answer


def post(session_id: UUID, path: str, body: Json, retry: Retry) -> Exchange[Json]:
    answer = yield from ask(Request("POST", f"/sessions/{session_id}{path}", body=body), retry)
    return answer
