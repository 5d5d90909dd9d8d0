"""Counts what keys ask and send, minute by minute, and says when that is more than the limits allow.

Each process counts for itself and about once a second adds its part to the table and reads the whole, so that a request
costs nothing more and a limit over several processes is passed by what they take in that second, at most.

Never refuses a request because it can't write: it counts on in memory, says so in the log and in the trail, and writes later.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection, transaction
from django.utils import timezone

from contextapp.accounts.models import ApiKey, Usage
from contextapp.accounts.services.audit import record

log = logging.getLogger(__name__)

KEPT = timedelta(days=7)
ALARM = "usage.not_written"
OWED_LIMIT = 10_000  # counts of minutes that ended, kept while they can't be written
_LOCK_WAIT_MS = 250  # a request pays for no longer wait than this, once a second
_FAILURES = (DatabaseError, InterfaceError)

_ADD = """
INSERT INTO accounts_usage (project_id, key_id, minute, requests, events, limited, refused)
SELECT project_id, id, %s, %s, %s, %s, %s::jsonb FROM accounts_apikey WHERE id = %s
ON CONFLICT (key_id, minute) DO UPDATE SET requests = accounts_usage.requests + excluded.requests,
    events = accounts_usage.events + excluded.events, limited = accounts_usage.limited + excluded.limited,
    refused = CASE WHEN excluded.refused = '{}' THEN accounts_usage.refused ELSE (
        SELECT jsonb_object_agg(code, times) FROM (
            SELECT code, sum(times::bigint) AS times
            FROM (
                SELECT * FROM jsonb_each_text(accounts_usage.refused)
                UNION ALL SELECT * FROM jsonb_each_text(excluded.refused)
            ) AS each (code, times)
            GROUP BY code
        ) AS summed
    ) END
RETURNING requests, (SELECT coalesce(sum(events), 0) FROM accounts_usage WHERE project_id = %s AND minute = %s)
"""


@dataclass(frozen=True, slots=True)
class _Part:
    """What is on its way to the table."""

    requests: int
    events: int
    limited: int
    refused: Counter[str]


@dataclass(slots=True)
class _Counted:
    """One key in this minute: what the table knew when it was last asked, and what came since."""

    project_id: UUID
    requests: int = 0
    events: int = 0
    limited: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    known_requests: int = 0
    written_at: float | None = None
    codes: set[str] = field(default_factory=set)  # refused with so far in this minute

    @property
    def is_empty(self) -> bool:
        return not (self.requests or self.events or self.limited or self.refused)

    def take(self) -> _Part:
        ours = _Part(self.requests, self.events, self.limited, self.refused)
        self.requests = self.events = self.limited = 0
        self.refused = Counter()
        return ours

    def give_back(self, ours: _Part) -> None:
        self.requests += ours.requests
        self.events += ours.events
        self.limited += ours.limited
        self.refused += ours.refused


@dataclass(frozen=True, slots=True)
class Reached:
    """The limit that is used up for this minute, and when the next one begins."""

    what: str  # requests or events
    limit: int
    retry_after_seconds: int


@dataclass(slots=True)
class Meter:
    """One per process; every request passes it."""

    minute: datetime = datetime.min.replace(tzinfo=UTC)
    keys: dict[UUID, _Counted] = field(default_factory=dict)
    projects: dict[UUID, int] = field(default_factory=dict)  # events of the minute, as the table knew them
    owed: dict[tuple[UUID, datetime], _Counted] = field(default_factory=dict)
    is_failing: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)

    def admit(self, key: ApiKey, now: datetime) -> Reached | None:
        """Count a request of the key; None if it may go on."""
        self._turn(now.replace(second=0, microsecond=0))
        with self.lock:
            counted = self.keys.setdefault(key.id, _Counted(key.project_id))
            due = counted.written_at is None or _passed_ms(counted.written_at) >= settings.API_USAGE_WRITE_MS
        if due:
            self._write(key.id, counted, self.minute)
        with self.lock:
            reached = self._reached(key, counted, now)
            if reached is None:
                counted.requests += 1
            else:
                counted.limited += 1
        return reached

    def add_refusal(self, key: ApiKey, code: str, now: datetime, *, is_storage_well: bool) -> None:
        """The first of its kind in a minute is written at once: the page shows it although the client may now wait."""
        self._turn(now.replace(second=0, microsecond=0))
        with self.lock:
            counted = self.keys.setdefault(key.id, _Counted(key.project_id))
            is_first = code not in counted.codes
            counted.codes.add(code)
            counted.refused[code] += 1
        if is_first and is_storage_well:
            self._write(key.id, counted, self.minute)

    def add_events(self, key: ApiKey, events: int) -> None:
        with self.lock:
            self.keys.setdefault(key.id, _Counted(key.project_id)).events += events

    def _reached(self, key: ApiKey, counted: _Counted, now: datetime) -> Reached | None:
        wait = max(1, 60 - now.second)
        if counted.known_requests + counted.requests >= settings.API_REQUESTS_PER_MINUTE:
            return Reached("requests", settings.API_REQUESTS_PER_MINUTE, wait)
        own = key.project.limit_events_per_minute
        limit = settings.API_EVENTS_PER_MINUTE if own is None else own
        ours = sum(each.events for each in self.keys.values() if each.project_id == key.project_id)
        if self.projects.get(key.project_id, 0) + ours >= limit:
            return Reached("events", limit, wait)
        return None

    def _turn(self, minute: datetime) -> None:
        """A new minute begins with nothing; what the old one still held is written down."""
        with self.lock:
            if minute <= self.minute:
                return
            old, left = self.minute, self.keys
            self.minute, self.keys, self.projects = minute, {}, {}
        for key_id, counted in left.items():
            if not counted.is_empty:
                self._write(key_id, counted, old)
        try:
            with transaction.atomic():
                Usage.objects.filter(minute__lt=minute - KEPT).delete()
        except _FAILURES as error:
            self._failed(error)

    def _write(self, key_id: UUID, counted: _Counted, minute: datetime) -> None:
        with self.lock:
            ours = counted.take()
            counted.written_at = time.monotonic()
        try:
            requests, before = _added(key_id, counted.project_id, minute, ours)
        except _FAILURES as error:
            with self.lock:
                counted.give_back(ours)
                self._owe(key_id, counted, minute)
            self._failed(error)
            return
        with self.lock:
            counted.known_requests = requests
            if minute == self.minute:  # the statement's snapshot is from before its own row
                self.projects[counted.project_id] = before + ours.events
            recovered, self.is_failing = self.is_failing, False
            owed, self.owed = self.owed, {}
        if recovered:
            log.warning("usage is written again; counts of %s minutes follow", len(owed))
        for (owed_key_id, owed_minute), left in owed.items():
            self._write(owed_key_id, left, owed_minute)

    def _owe(self, key_id: UUID, counted: _Counted, minute: datetime) -> None:
        """What belongs to a minute that ended is no longer among the keys; it waits here. The oldest go first."""
        if minute == self.minute:
            return
        self.owed[(key_id, minute)] = counted
        if len(self.owed) > OWED_LIMIT:
            self.owed.pop(next(iter(self.owed)))

    def _failed(self, error: Exception) -> None:
        """An alarm when it begins; none for each attempt."""
        with self.lock:
            is_first, self.is_failing = not self.is_failing, True
        if is_first:
            _alarm(type(error.__cause__ or error).__name__)


def _added(key_id: UUID, project_id: UUID, minute: datetime, ours: _Part) -> tuple[int, int]:
    """(requests of the key, events of the project before these) of that minute, as the table has them now."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT set_config('lock_timeout', %s, true)", [f"{_LOCK_WAIT_MS}ms"])
        counts: list[Any] = [ours.requests, ours.events, ours.limited, json.dumps(ours.refused)]  # of several types
        cursor.execute(_ADD, [minute, *counts, key_id, project_id, minute])
        requests, before = cursor.fetchone() or (0, 0)  # a key that was deleted since counts for nothing
    return int(requests), int(before)


def _alarm(kind: str) -> None:
    what = f"the table of usage can't be written ({kind}); each process counts for itself until it can"
    log.error("%s", what)
    try:
        with transaction.atomic():
            record(project=None, actor="system", action=ALARM, target="usage", after={"what": what})
    except _FAILURES as error:
        log.error("nor could the alarm be recorded: %s", type(error).__name__)


_meter = Meter()


def admit_request(*, key: ApiKey) -> Reached | None:
    """Counts it; what is not None says which limit is reached."""
    return _meter.admit(key, timezone.now())


def note_refusal(*, key: ApiKey, code: str, is_storage_well: bool) -> None:
    """By the problem's code. Where the storage is not well it is counted only, and written later."""
    _meter.add_refusal(key, code, timezone.now(), is_storage_well=is_storage_well)


def note_events(*, key: ApiKey, events: int) -> None:
    """They count at once in this process, and in the others once this one writes."""
    _meter.add_events(key, events)


def _passed_ms(since: float) -> float:
    return (time.monotonic() - since) * 1000
