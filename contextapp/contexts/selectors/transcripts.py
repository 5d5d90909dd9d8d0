"""The transcript of a session in pages by place in the log. Loads the payloads of the page it shows and no others."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from uuid import UUID

from django.db.models import Max, Min

from contextapp.contexts.conversation import converse
from contextapp.contexts.counts import Counts
from contextapp.contexts.errors import NotFound
from contextapp.contexts.models import Step, Turn
from contextapp.contexts.pieces import body_of
from contextapp.contexts.values import TranscriptItem, TranscriptPage, TranscriptTurn
from contextapp.eventlog import selectors as log
from contextapp.eventlog.models import Head

PAGE_EVENTS = 120
TOKENIZER = "o200k_base"  # the sizes beside items are for orientation; ledgers name their own


def transcript_page(
    session_id: UUID,
    *,
    after_seq: int = 0,
    before_seq: int | None = None,
    turn: int | None = None,
    limit: int = PAGE_EVENTS,
) -> TranscriptPage:
    """About `limit` events, ending where a model call begins, so that calls and results stay together."""
    head = Head.objects.filter(session_id=session_id).values_list("head_seq", flat=True).first()
    if head is None:
        raise NotFound(f"there is no session {session_id}")
    lowest, highest = (0, head) if turn is None else _bounds(session_id, turn)
    first, last = _range(session_id, max(after_seq, lowest), before_seq, highest, limit)
    events = log.get_events(session_id, after_seq=first, upto_seq=last) if last > first else []
    counts = Counts(TOKENIZER)
    counts.prefetch(body_of(event) for event in events)
    items = converse(events, _step_finder(session_id, first, last), counts.known)
    return TranscriptPage(
        turns=_by_turn(session_id, items, first, last),
        first_seq=first + 1,
        last_seq=last,
        total_events=head,
        next_after=last if last < highest else None,
        previous_before=first + 1 if first > lowest else None,
    )


def _bounds(session_id: UUID, number: int) -> tuple[int, int]:
    turn = Turn.objects.filter(session_id=session_id, number=number).first()
    if turn is None:
        raise NotFound(f"session {session_id} has no turn {number}")
    return turn.first_seq - 1, turn.last_seq


def _range(session_id: UUID, after: int, before: int | None, highest: int, limit: int) -> tuple[int, int]:
    """(after, last): the events after < seq <= last."""
    edges = Step.objects.filter(session_id=session_id)
    if before is not None:
        wanted = max(after, before - 1 - limit)
        edge = edges.filter(log_seq__lte=wanted, log_seq__gt=after).aggregate(edge=Max("log_seq"))["edge"]
        first = edge if edge is not None and wanted - edge < limit else wanted
        return first, min(before - 1, highest)
    wanted = after + limit
    if wanted >= highest:
        return after, max(highest, after)
    edge = edges.filter(log_seq__gt=after, log_seq__lte=wanted).aggregate(edge=Max("log_seq"))["edge"]
    if edge is None:  # one step is longer than a page
        edge = edges.filter(log_seq__gt=wanted, log_seq__lte=wanted + limit).aggregate(edge=Min("log_seq"))["edge"]
    return after, edge if edge is not None else wanted


def _step_finder(session_id: UUID, after: int, last: int) -> Callable[[int], int | None]:
    answers = list(
        Step.objects.filter(session_id=session_id, last_seq__gt=after, first_seq__lte=last)
        .order_by("first_seq")
        .values_list("first_seq", "last_seq", "number")
    )
    starts = [first for first, _, _ in answers]

    def step_of(seq: int) -> int | None:
        place = bisect_right(starts, seq) - 1
        return answers[place][2] if place >= 0 and seq <= answers[place][1] else None

    return step_of


def _by_turn(session_id: UUID, items: Sequence[TranscriptItem], after: int, last: int) -> tuple[TranscriptTurn, ...]:
    turns = list(
        Turn.objects.filter(session_id=session_id, last_seq__gt=after, first_seq__lte=last)
        .annotate(first_step=Min("steps__number"), last_step=Max("steps__number"))
        .order_by("number")
    )
    made = []
    before = tuple(item for item in items if not turns or item.seq < turns[0].first_seq)
    if before:
        made.append(TranscriptTurn(0, "", None, None, None, before))
    for place, turn in enumerate(turns):
        end = turns[place + 1].first_seq if place + 1 < len(turns) else last + 1
        inside = tuple(item for item in items if turn.first_seq <= item.seq < end)
        made.append(TranscriptTurn(turn.number, turn.title, turn.started_at, turn.first_step, turn.last_step, inside))
    return tuple(made)
