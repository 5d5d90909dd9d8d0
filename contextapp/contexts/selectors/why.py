"""Why a text or a source was in the input of a step, or not: read from the ledgers of one origin, each read once.

It never guesses: a step whose ledger says nothing of it is told as such.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from uuid import UUID

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from contextapp.contexts.errors import NotFound
from contextapp.contexts.models import Ledger
from contextapp.contexts.packing import unpack_rows
from contextapp.contexts.selectors.ledgers import OPENING_ORDER
from contextapp.contexts.values.fates import Fate, FateRun, Why
from contextapp.engine.ledger import Row
from contextapp.engine.reasons import sentence
from contextapp.eventlog import selectors as log
from contextapp.evidence import canonical

SEQS = 50
PAGE_STEPS = 500
ROWS_PER_STEP = 50

_Wanted = Callable[[str, list[int] | None], bool]


def why(
    session_id: UUID,
    *,
    text: str | None = None,
    source_id: str | None = None,
    step: int | None = None,
    origin: str | None = None,
    after: int = 0,
    limit: int = PAGE_STEPS,
    ignore_case: bool = False,
) -> Why:
    """Of exactly one of text and source. NotFound when the session has no such ledger."""
    if (text is None) == (source_id is None):
        raise ValueError("exactly one of text and source_id is needed")
    chosen = _origin(session_id, origin, step)
    seqs, total = _holding(session_id, text, ignore_case) if text is not None else ((), 0)
    is_wanted = _covers(seqs) if source_id is None else _is_source(source_id)
    ledgers = _ledgers(session_id, chosen, step, after)
    read = list(islice(_read(ledgers, is_wanted), limit + 1))
    shown = read[:limit]
    return Why(
        origin=chosen,
        seqs=seqs,
        total_events=total,
        runs=_runs(shown, seqs[0] if seqs else 0),
        step_count=len(shown),
        next_after=shown[-1][0] if len(read) > limit else None,
    )


def _origin(session_id: UUID, origin: str | None, step: int | None) -> str:
    found = Ledger.objects.filter(session_id=session_id)
    if step is not None:
        found = found.filter(step_number=step)
    present = set(found.values_list("origin", flat=True).distinct())
    chosen = next((name for name in OPENING_ORDER if name in present), None) if origin is None else origin
    if chosen is None or chosen not in present:
        place = _("this session") if step is None else _("step %(number)s") % {"number": step}
        raise NotFound(_("%(place)s has no %(origin)s ledger") % {"place": place, "origin": origin or _("recorded")})
    return chosen


def _ledgers(
    session_id: UUID, origin: str, step: int | None, after: int
) -> Iterator[tuple[int, int, bytes | memoryview]]:
    """(number, log_seq, packed body) by step; of several policies and engines the newest."""
    found = Ledger.objects.filter(session_id=session_id, origin=origin, step_number__gt=after)
    if step is not None:
        found = found.filter(step_number=step)
    newest = found.order_by("step_number", "-created_at", "-id").distinct("step_number")
    return newest.values_list("step_number", "step__log_seq", "body__rows").iterator(chunk_size=100)


def _read(
    ledgers: Iterator[tuple[int, int, bytes | memoryview]], is_wanted: _Wanted
) -> Iterator[tuple[int, int, tuple[Row, ...]]]:
    for number, log_seq, body in ledgers:
        yield number, log_seq, unpack_rows(body, is_wanted)[:ROWS_PER_STEP]


def _covers(seqs: Sequence[int]) -> _Wanted:
    def is_wanted(_source_id: str, events: list[int] | None) -> bool:
        if events is None:
            return False
        place = bisect_left(seqs, events[0])
        return place < len(seqs) and seqs[place] <= events[1]

    return is_wanted


def _is_source(wanted: str) -> _Wanted:
    return lambda source_id, _events: source_id == wanted


def _runs(read: Sequence[tuple[int, int, tuple[Row, ...]]], first_seq: int) -> tuple[FateRun, ...]:
    runs: list[FateRun] = []
    before: object = None
    for number, log_seq, rows in read:
        status = "rows" if rows else "not_yet" if log_seq < first_seq else "no_row"
        same = (status, frozenset(_fate_of(row) for row in rows))
        if runs and same == before and runs[-1].last_step == number - 1:
            last = runs[-1]
            runs[-1] = FateRun(last.first_step, number, status, last.fates)
        else:
            language = get_language() or "en"
            fates = tuple(Fate(row, sentence(row.reason, language)) for row in rows)
            runs.append(FateRun(number, number, status, fates))
        before = same
    return tuple(runs)


def _fate_of(row: Row) -> tuple[str, ...]:
    """A range of older events grows from step to step and stays the same fate; so the source is not part of it."""
    return (row.action, row.mode, row.reason, row.bucket, row.displaced_by)


def _holding(session_id: UUID, text: str, ignore_case: bool) -> tuple[tuple[int, ...], int]:
    """Literally, with runs of white space taken for one space. Erased events hold nothing."""
    sought = _plain(text, ignore_case)
    if not sought:
        return (), 0
    found: list[int] = []
    total = 0
    for event in log.iter_events(session_id):
        if any(sought in _plain(string, ignore_case) for string in canonical.strings(event.payload)):
            total += 1
            if len(found) < SEQS:
                found.append(event.seq)
    return tuple(found), total


def _plain(text: str, ignore_case: bool) -> str:
    normal = " ".join(text.split())
    return normal.casefold() if ignore_case else normal
