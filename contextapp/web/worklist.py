"""What the Jobs page shows: the parts of the list, where they lead, and one word for all of it. Fetches nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from itertools import groupby
from uuid import UUID

from django.http import QueryDict
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy as _

from contextapp.eventlog.selectors import Lag
from contextapp.jobs.selectors import PARTS, JobFilters, JobPage, JobRow, QueueLag

PART_WORDS: Mapping[str, str | Promise] = {
    "running": _("Running"),
    "dead": _("Failed"),
    "queued": _("Queued"),
    "ended": _("Ended"),
}
PLACES = ("project", "state", "kind", "cursor")  # what the address of a list may say
TICK_SECONDS = 10  # what is told in seconds is told anew this often, though nothing has changed
WATCHED, CALM = 2, 10  # seconds between two questions, while something is open and while nothing is


@dataclass(frozen=True, slots=True)
class Entry:
    """A job as it is shown now. No title: the visitor may not see the session, or the job names none."""

    row: JobRow
    session_title: str | None
    due_in: timedelta | None
    took: timedelta | None


@dataclass(frozen=True, slots=True)
class Part:
    name: str
    label: str | Promise
    count: int
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Tab:
    """A part of the list as a link; the empty name is all of them."""

    name: str
    label: str | Promise
    count: int
    href: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class Worklist:
    """`seen` changes whenever anything that is shown has changed."""

    parts: tuple[Part, ...]
    tabs: tuple[Tab, ...]
    shown: int
    page: JobPage
    lag: QueueLag
    reading: Lag
    broker_answers: bool
    query: str
    next_href: str
    first_href: str
    every_seconds: int
    seen: str


def worklist(
    page: JobPage,
    filters: JobFilters,
    query: QueryDict,
    *,
    lag: QueueLag,
    reading: Lag,
    broker_answers: bool,
    titles: Mapping[UUID, str],
    now: datetime,
) -> Worklist:
    is_open = bool(page.counts["running"] or page.counts["queued"])
    told = (page, lag.due, lag.is_delayed, _minutes(lag.oldest), reading.events, broker_answers, sorted(titles.items()))
    ticks = int(now.timestamp()) // TICK_SECONDS
    return Worklist(
        parts=tuple(
            Part(name, PART_WORDS[name], page.counts[name], tuple(_entry(row, titles, now) for row in rows))
            for name, rows in groupby(page.rows, key=lambda row: row.part)
        ),
        tabs=tuple(
            Tab(name, label, number, _href(query, state=name), name == filters.part)
            for name, label, number in (
                ("", _("All"), page.total),
                *((part, PART_WORDS[part], page.counts[part]) for part in PARTS),
            )
        ),
        shown=len(page.rows),
        page=page,
        lag=lag,
        reading=reading,
        broker_answers=broker_answers,
        query=_query(query),
        next_href=_href(query, cursor=page.next_cursor) if page.next_cursor else "",
        first_href=_href(query) if query.get("cursor") else "",
        every_seconds=WATCHED if is_open else CALM,
        seen=sha256(repr((told, ticks)).encode("utf-8", "backslashreplace")).hexdigest()[:16],
    )


def back(query: QueryDict, job_id: int) -> str:
    """The list that a form was on, at the row of its job."""
    return f"{reverse('jobs:list')}?{_query(query)}#job-{job_id}"


def _entry(row: JobRow, titles: Mapping[UUID, str], now: datetime) -> Entry:
    ended = row.finished_at if row.part in ("dead", "ended") else None
    return Entry(
        row=row,
        session_title=None if row.session_id is None else titles.get(row.session_id),
        due_in=None if row.due_at is None else row.due_at - now,
        took=ended - row.started_at if ended and row.started_at else None,
    )


def _minutes(age: timedelta | None) -> int | None:
    return None if age is None else int(age.total_seconds()) // 60


def _href(query: QueryDict, **changes: str) -> str:
    """The same list at another place; another part begins at its beginning."""
    return f"{reverse('jobs:list')}?{_query(query, **({'cursor': ''} | changes))}"


def _query(query: QueryDict, **changes: str) -> str:
    said = {name: query[name] for name in PLACES if query.get(name)} | changes
    return urlencode({name: value for name, value in said.items() if value})
