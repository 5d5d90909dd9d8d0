"""Waits for a session to grow. One connection per process listens; a bounded number of requests may wait.

A notification is a hint and may be lost: whoever wakes looks at the log, and so does whoever did not.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

import psycopg
from django.conf import settings
from django.db import connection

log = logging.getLogger(__name__)

CHANNEL = "eventlog_head"
RECONNECT_SECONDS = 1.0
TELL_SECONDS = 0.01  # hints of that long go out together
TELLER_IDLE_SECONDS = 0.5
_NOTIFY = "SELECT pg_notify(%s, session) FROM unnest(%s::text[]) AS session"
LOOK_SECONDS = 5.0  # a hint may be lost: that often a waiter looks by itself


def tell(session_id: UUID) -> None:
    """The session has grown. Called after the append is committed; a crash of the server may lose the hint and nothing else."""
    _TELLER.tell(session_id)


class _Teller:
    """Sends the hints of this process, those of a moment together, so that an append waits for none of it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._grown: set[str] = set()
        self._thread: threading.Thread | None = None

    def tell(self, session_id: UUID) -> None:
        with self._lock:
            self._grown.add(str(session_id))
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._send, name="eventlog-teller", daemon=True)
                self._thread.start()

    def _send(self) -> None:
        """Until there was nothing to tell for a while; the next hint begins anew. A broken connection is replaced once."""
        for _attempt in range(2):
            grown: list[str] | None = []
            try:
                with psycopg.connect(**_parameters(), autocommit=True) as sender:
                    sender.execute("SET synchronous_commit = off")
                    last = time.monotonic()
                    while (grown := self._taken(is_idle=time.monotonic() - last > TELLER_IDLE_SECONDS)) is not None:
                        if grown:
                            sender.execute(_NOTIFY, [CHANNEL, grown])
                            last = time.monotonic()
                        time.sleep(TELL_SECONDS)
                return
            except psycopg.Error as error:
                log.warning("the connection that tells of new events broke (%s)", type(error).__name__)
                with self._lock:
                    self._grown.update(grown or ())

    def _taken(self, *, is_idle: bool) -> list[str] | None:
        """None: it is over, and whoever tells next begins a new thread."""
        with self._lock:
            if is_idle and not self._grown:
                self._thread = None
                return None
            grown, self._grown = list(self._grown), set()
        return grown


class Place:
    """One request that waits for one session."""

    def __init__(self) -> None:
        self._grew = threading.Event()

    def wait(self, seconds: float) -> bool:
        """True when there may be something new: a hint came, or it is time to look. The hint is used up."""
        found = self._grew.wait(min(seconds, LOOK_SECONDS))
        self._grew.clear()
        return found

    def wake(self) -> None:
        self._grew.set()


class Waiters:
    """All requests of this process that wait, by session, and the thread that listens for them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._places: dict[str, set[Place]] = {}
        self._count = 0
        self._thread: threading.Thread | None = None
        self.listening = threading.Event()

    @contextmanager
    def place(self, session_id: UUID) -> Iterator[Place | None]:
        """A place to wait at, or None where as many wait as may. Whoever has one is woken by what comes from now on."""
        key, made = str(session_id), Place()
        with self._lock:
            if self._count >= settings.API_WAITERS:
                made = None
            else:
                self._count += 1
                self._places.setdefault(key, set()).add(made)
                self._begin()
        if made is None:
            yield None
            return
        try:
            yield made
        finally:
            with self._lock:
                self._count -= 1
                self._places[key].discard(made)
                if not self._places[key]:
                    del self._places[key]

    def _begin(self) -> None:
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._listen, name="eventlog-listener", daemon=True)
            self._thread.start()

    def _listen(self) -> None:
        """Until nobody waits any more. A connection that breaks wakes everybody: their hint may be lost with it."""
        while True:
            try:
                with psycopg.connect(**_parameters(), autocommit=True) as listener:
                    listener.execute(f"LISTEN {CHANNEL}")
                    self.listening.set()
                    self._wake_all()
                    while True:
                        for hint in listener.notifies(timeout=LOOK_SECONDS):
                            self._wake(hint.payload)
                        if self._is_over():
                            return
            except psycopg.Error as error:
                log.warning(
                    "the listener for new events lost its connection (%s); it tries again", type(error).__name__
                )
            self.listening.clear()
            self._wake_all()
            if self._is_over():
                return
            time.sleep(RECONNECT_SECONDS)

    def _is_over(self) -> bool:
        with self._lock:
            if self._count:
                return False
            self._thread = None
            self.listening.clear()
            return True

    def _wake(self, key: str) -> None:
        with self._lock:
            for place in self._places.get(key, ()):
                place.wake()

    def _wake_all(self) -> None:
        with self._lock:
            for places in self._places.values():
                for place in places:
                    place.wake()


def _parameters() -> dict[str, object]:
    """The database of this process, for a connection of its own: the pool's are for requests."""
    unwanted = ("cursor_factory", "context", "prepare_threshold", "pool")
    return {name: value for name, value in connection.get_connection_params().items() if name not in unwanted}


WAITERS = Waiters()
_TELLER = _Teller()
