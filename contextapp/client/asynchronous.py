"""The client for asyncio: the same operations over httpx's other half. Taking an event down is an ordinary call; only what asks
the server is awaited."""

from __future__ import annotations

import asyncio
import logging
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


class AsyncClient:
    """As `Client`. With `background_seconds`, `async with` starts a task that sends."""

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
        self._http = httpx.AsyncClient(
            timeout=timeout_seconds, headers=self._desk.options.headers, follow_redirects=False
        )
        self._sending = asyncio.Lock()
        self._background_seconds = background_seconds
        self._task: asyncio.Task[None] | None = None

    def session(self, *, external_id: str = "", session_id: UUID | str | None = None, **facts: Any) -> AsyncSession:
        return AsyncSession(self, self._desk, self._desk.name_session(external_id, session_id, facts))

    @property
    def waiting(self) -> int:
        return self._desk.outbox.count

    async def flush(self) -> int:
        """As `Client.flush`."""
        async with self._sending:
            sent = await self.run(operations.deliver(self._desk.outbox, self._desk.directory, self._desk.options.retry))
        if refused := self._desk.outbox.take_refused():
            raise EventsRefused(refused)
        return sent

    async def close(self) -> None:
        """As `Client.close`."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None
        try:
            if self._desk.outbox.count or self._desk.outbox.has_refused:
                await self.flush()
        except ClientError as error:
            if self._desk.options.spool is None or isinstance(error, EventsRefused):
                raise
            logger.warning("%s events stay in %s: %s", self.waiting, self._desk.options.spool, error)
        finally:
            await self._http.aclose()
            self._desk.outbox.close()

    async def run[T](self, exchange: Exchange[T]) -> T:
        reply: Reply = None
        try:
            while True:
                step = exchange.send(reply)
                if isinstance(step, Pause):
                    await asyncio.sleep(step.seconds)
                    reply = None
                else:
                    reply = await self._send(step)
        except StopIteration as finished:
            result: T = finished.value
            return result

    async def _send(self, step: Request) -> Reply:
        options = self._desk.options
        timeout = httpx.Timeout(options.timeout_seconds + step.wait_seconds, connect=options.timeout_seconds)
        try:
            answer = await self._http.request(
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

    async def _send_on(self, seconds: float) -> None:
        while True:
            await asyncio.sleep(seconds)
            if not self._desk.outbox.count:
                continue
            try:
                async with self._sending:
                    await self.run(
                        operations.deliver(self._desk.outbox, self._desk.directory, self._desk.options.retry)
                    )
            except ClientError as error:
                logger.warning("%s events wait: %s", self.waiting, error)  # refused ones are raised by the next flush

    async def __aenter__(self) -> Self:
        if self._background_seconds is not None:
            self._task = asyncio.create_task(self._send_on(self._background_seconds))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"AsyncClient({self._desk.options.url!r}, waiting={self.waiting})"


class AsyncSession(Recording):
    """As `Session`."""

    def __init__(self, client: AsyncClient, desk: Desk, key: str) -> None:
        super().__init__(desk.outbox, key)
        self._client = client
        self._desk = desk

    async def id(self) -> UUID:
        facts, retry = self._desk.outbox.facts_of(self._key), self._desk.options.retry
        return await self._client.run(self._desk.directory.id_of(self._key, facts, retry))

    async def flush(self) -> int:
        return await self._client.flush()

    async def build(self, *, model: str = "", format: str = "neutral", build_id: UUID | str | None = None) -> Built:
        await self.flush()
        given = uuid4() if build_id is None else uuid_of(build_id, "build_id")
        return await self._client.run(operations.build(await self.id(), given, model, format, self._desk.options.retry))

    async def events(
        self, *, after: int = 0, wait: float = 0, limit: int = 100, types: str | Sequence[str] = ()
    ) -> Events:
        retry = self._desk.options.retry
        return await self._client.run(operations.events(await self.id(), after, wait, limit, types, retry))

    async def ledger(self, step: int, *, origin: str = "") -> Json:
        return await self._read(f"/steps/{int(step)}/ledger", origin=origin)

    async def request(self, step: int, *, format: str = "neutral") -> Json:
        return await self._read(f"/steps/{int(step)}/request", format=format)

    async def diff(self, step: int, other: int | None = None) -> Json:
        return await self._read(f"/steps/{int(step)}/diff", **{"with": other})

    async def why(self, text: str = "", *, source: str = "", **more: Any) -> Json:
        return await self._read("/why", text=text, source=source, **more)

    async def verify(self) -> Json:
        return await self._client.run(operations.post(await self.id(), "/verify", {}, self._desk.options.retry))

    async def end(self, reason: str = "") -> Json:
        await self.flush()
        return await self._client.run(
            operations.post(await self.id(), "/end", {"reason": reason}, self._desk.options.retry)
        )

    async def _read(self, path: str, **query: Any) -> Json:
        return await self._client.run(operations.read(await self.id(), path, query, self._desk.options.retry))
