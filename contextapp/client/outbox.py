"""Events on their way: taken once, in order, until the server has acknowledged them or has said that it never will. Bounded:
when it is full it says so, and takes nothing."""

from __future__ import annotations

import json
import logging
import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from contextapp.client.errors import BadArgument, Json, ProblemError, RefusedEvent, SpoolFull
from contextapp.client.journal import Journal

logger = logging.getLogger("contextapp.client")

REWRITE_BYTES = 1024 * 1024  # a journal of less is not worth a new file


@dataclass(frozen=True, slots=True)
class Waiting:
    """One event for one session. `session` is `id:<uuid>` or `external:<id>`."""

    number: int
    session: str
    event: Json
    size_bytes: int


class Outbox:
    """Safe for threads. Without a path it lives in memory, and dies with the process."""

    def __init__(self, path: Path | None, *, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes
        self._waiting: deque[Waiting] = deque()
        self._facts: dict[str, Json] = {}
        self._refused: list[RefusedEvent] = []
        self._lock = threading.RLock()
        self._number = self._bytes = 0
        self._is_closed = False
        self._journal = Journal(path) if path is not None else None
        self._beside = Journal(path.with_name(path.name + ".refused")) if path is not None else None
        if self._journal is not None:
            self._recover(self._journal.recovered)

    def _recover(self, records: Sequence[Json]) -> None:
        held: dict[int, Waiting] = {}
        for record in records:
            if "facts" in record:
                self._facts[record["session"]] = record["facts"]
            elif "done" in record:
                for number in record["done"]:
                    held.pop(number, None)
            else:
                size = len(json.dumps(record["event"]))
                held[record["number"]] = Waiting(record["number"], record["session"], record["event"], size)
            self._number = max(self._number, record.get("number", 0))
        self._waiting.extend(held.values())
        self._bytes = sum(one.size_bytes for one in held.values())

    def open(self, session: str, facts: Json) -> None:
        """What the session is to be opened with, kept as long as events wait for it."""
        with self._lock:
            if self._facts.get(session) != facts:
                if self._journal is not None:
                    self._journal.write({"session": session, "facts": facts})
                self._facts[session] = facts

    def facts_of(self, session: str) -> Json | None:
        with self._lock:
            return self._facts.get(session)

    def take(self, session: str, event: Json) -> None:
        """On the disk when this returns, if there is one."""
        try:
            size = len(json.dumps(event, allow_nan=False))
        except (TypeError, ValueError, RecursionError) as error:
            raise BadArgument(f"the payload of {event.get('type')} is no JSON: {error}") from error
        with self._lock:
            if self._bytes + size > self.limit_bytes:
                raise SpoolFull(
                    f"{len(self._waiting)} events wait for the server and {self._bytes + size} bytes would pass the limit of "
                    f"{self.limit_bytes}; flush when the server is back, or allow more with spool_limit_bytes"
                )
            number = self._number + 1
            if self._journal is not None:
                self._journal.write({"number": number, "session": session, "event": event})
            self._number = number
            self._waiting.append(Waiting(number, session, event, size))
            self._bytes += size

    def batch(self, *, most_events: int, most_bytes: int) -> list[Waiting]:
        """The oldest events, of one session, in order."""
        with self._lock:
            found: list[Waiting] = []
            size = 0
            for one in self._waiting:
                if found and (
                    one.session != found[0].session or len(found) == most_events or size + one.size_bytes > most_bytes
                ):
                    break
                found.append(one)
                size += one.size_bytes
            return found

    def done(self, batch: Sequence[Waiting]) -> None:
        with self._lock:
            numbers = {one.number for one in batch}
            self._bytes -= sum(one.size_bytes for one in batch)
            gone = 0
            while self._waiting and self._waiting[0].number in numbers:  # nearly always the oldest
                self._waiting.popleft()
                gone += 1
            if gone < len(numbers):
                self._waiting = deque(one for one in self._waiting if one.number not in numbers)
            if self._journal is None:
                return
            self._journal.write({"done": sorted(numbers)})
            if self._journal.size_bytes > REWRITE_BYTES + 2 * self._bytes:
                self._journal.rewrite(self._records())

    def refuse(self, one: Waiting, problem: ProblemError) -> None:
        """Set aside, where a person finds it; what stands behind it can go on."""
        with self._lock:
            if self._beside is not None:
                self._beside.write({"session": one.session, "event": one.event, "problem": str(problem)})
            self._refused.append(RefusedEvent(str(one.event["event_id"]), str(one.event["type"]), one.event, problem))
            self.done([one])

    def take_refused(self) -> list[RefusedEvent]:
        with self._lock:
            found, self._refused = self._refused, []
            return found

    def _records(self) -> list[Json]:
        facts: list[Json] = [{"session": name, "facts": given} for name, given in self._facts.items()]
        return facts + [{"number": one.number, "session": one.session, "event": one.event} for one in self._waiting]

    @property
    def has_refused(self) -> bool:
        with self._lock:
            return bool(self._refused)

    @property
    def count(self) -> int:
        with self._lock:
            return len(self._waiting)

    @property
    def sessions(self) -> set[str]:
        with self._lock:
            return {one.session for one in self._waiting}

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            for journal in (self._journal, self._beside):
                if journal is not None:
                    journal.close()

    def __del__(self) -> None:
        """A client that nobody closed: what waited in memory goes with it, and not in silence."""
        waiting = getattr(self, "_waiting", None)
        if waiting and self._journal is None and not self._is_closed:
            logger.error("%s events were never sent: the client was not closed and has no spool", len(waiting))
