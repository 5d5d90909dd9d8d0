"""The client for ordinary code: httpx, and a thread that sends if that is wanted. Holds no rule of its own."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from uuid import UUID, uuid4

import httpx

from contextapp.client import operations
from contextapp.client.errors import ClientError, EventsRefused, Json
from contextapp.client.exchange import Exchange, Pause, Reply, Request, Response, Retry, Unreachable, uuid_of
from contextapp.client.operations import Built, Events
from contextapp.client.options import SPOOL_LIMIT_BYTES, Desk, Options
from contextapp.client.recording import Recording

logger = logging.getLogger("contextapp.client")


class Client:
    """`spool` names a file; without one, events wait in memory. With `background` a thread sends every so many seconds."""

    def __init__(
        self,
        url: str,
        key: str,
        *,
        spool: str | Path | None = None,
        spool_limit_bytes: int = SPOOL_LIMIT_BYTES,
        background_seconds: float | None = None,
        retry: Retry | None = None,
        timeout_seconds: float = 30.0,
    ) -> None:
        self._desk = Desk(Options.of(url, key, spool, spool_limit_bytes, retry, timeout_seconds))
        self._http = httpx.Client(timeout=timeout_seconds, headers=self._desk.options.headers, follow_redirects=False)
        self._sending = threading.Lock()
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None
        if background_seconds is not None:
            self._thread = threading.Thread(
                target=self._send_on, args=(background_seconds,), daemon=True, name="contextapp-client"
            )
            self._thread.start()

    def session(self, *, external_id: str = "", session_id: UUID | str | None = None, **facts: Any) -> Session:
        """Asks nothing of the server: it opens the session with the first events. `facts`: title, agent, model and so on."""
        return Session(self, self._desk, self._desk.name_session(external_id, session_id, facts))

    @property
    def waiting(self) -> int:
        """How many events the server has not acknowledged yet."""
        return self._desk.outbox.count

    def flush(self) -> int:
        """Sends all that waits. ServerUnavailable: it waits still. EventsRefused: these were set aside, the rest was sent."""
        with self._sending:
            sent = self.run(operations.deliver(self._desk.outbox, self._desk.directory, self._desk.options.retry))
        if refused := self._desk.outbox.take_refused():
            raise EventsRefused(refused)
        return sent

    def close(self) -> None:
        """Sends what waits if it can. What is left stays in the spool; without a spool file it raises rather than lose it."""
        self._closing.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        try:
            if self._desk.outbox.count or self._desk.outbox.has_refused:
                self.flush()
        except ClientError as error:
            if self._desk.options.spool is None or isinstance(error, EventsRefused):
                raise
            logger.warning("%s events stay in %s: %s", self.waiting, self._desk.options.spool, error)
        finally:
            self._http.close()
            self._desk.outbox.close()

    def run[T](self, exchange: Exchange[T]) -> T:
        reply: Reply = None
        try:
            while True:
                step = exchange.send(reply)
                if isinstance(step, Pause):
                    time.sleep(step.seconds)
                    reply = None
                else:
                    reply = self._send(step)
        except StopIteration as finished:
            result: T = finished.value
            return result

    def _send(self, step: Request) -> Reply:
        options = self._desk.options
        timeout = httpx.Timeout(options.timeout_seconds + step.wait_seconds, connect=options.timeout_seconds)
        try:
            answer = self._http.request(
                step.method,
                options.url + step.path,
                params=dict(step.query),
                content=step.content,
                headers=step.headers,
                timeout=timeout,
            )
        except httpx.TransportError as error:
            return Unreachable(f"{type(error).__name__}: {error}")
        return Response(
            answer.status_code, {name.lower(): value for name, value in answer.headers.items()}, answer.content
        )

    def _send_on(self, seconds: float) -> None:
        while not self._closing.wait(seconds):
            if not self._desk.outbox.count:
                continue
            try:
                with self._sending:
                    self.run(operations.deliver(self._desk.outbox, self._desk.directory, self._desk.options.retry))
            except ClientError as error:
                logger.warning("%s events wait: %s", self.waiting, error)  # refused ones are raised by the next flush

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Client({self._desk.options.url!r}, waiting={self.waiting})"


class Session(Recording):
    """One agent run. What is asked of the server is asked after everything that waits was sent."""

    def __init__(self, client: Client, desk: Desk, key: str) -> None:
        super().__init__(desk.outbox, key)
        self._client = client
        self._desk = desk

    @property
    def id(self) -> UUID:
        """The server's id; opens the session if nothing was sent yet."""
        facts, retry = self._desk.outbox.facts_of(self._key), self._desk.options.retry
        return self._client.run(self._desk.directory.id_of(self._key, facts, retry))

    def flush(self) -> int:
        return self._client.flush()

    def build(self, *, model: str = "", format: str = "neutral", build_id: UUID | str | None = None) -> Built:
        """ContextOverflow with the figures and the ways out when it doesn't fit."""
        self.flush()
        given = uuid4() if build_id is None else uuid_of(build_id, "build_id")
        return self._client.run(operations.build(self.id, given, model, format, self._desk.options.retry))

    def events(self, *, after: int = 0, wait: float = 0, limit: int = 100, types: str | Sequence[str] = ()) -> Events:
        """With `wait`, up to so many seconds for something new. `types`: whole types, or beginnings such as `tool.`."""
        return self._client.run(operations.events(self.id, after, wait, limit, types, self._desk.options.retry))

    def ledger(self, step: int, *, origin: str = "") -> Json:
        return self._read(f"/steps/{int(step)}/ledger", origin=origin)

    def request(self, step: int, *, format: str = "neutral") -> Json:
        """The request of a step again, checked against its hash and against a new build."""
        return self._read(f"/steps/{int(step)}/request", format=format)

    def diff(self, step: int, other: int | None = None) -> Json:
        """What changed since the step before, or since `other`."""
        return self._read(f"/steps/{int(step)}/diff", **{"with": other})

    def why(self, text: str = "", *, source: str = "", **more: Any) -> Json:
        """What became of a text or a source at each step; give one of them."""
        return self._read("/why", text=text, source=source, **more)

    def verify(self) -> Json:
        return self._client.run(operations.post(self.id, "/verify", {}, self._desk.options.retry))

    def end(self, reason: str = "") -> Json:
        self.flush()
        return self._client.run(operations.post(self.id, "/end", {"reason": reason}, self._desk.options.retry))

    def _read(self, path: str, **query: Any) -> Json:
        return self._client.run(operations.read(self.id, path, query, self._desk.options.retry))
