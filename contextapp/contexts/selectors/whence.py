"""Where an argument of a call came from: the sources of that call's window that hold it, with their trust. Guesses nothing: a
text that the window does not hold is looked for in the log before it, and else it is from nowhere that was recorded.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from uuid import UUID

from django.utils.translation import gettext as _

from contextapp.contexts.errors import NotFound
from contextapp.contexts.models import Step
from contextapp.contexts.selectors.ledgers import need_ledger
from contextapp.contexts.values.whence import Bearer, Whence
from contextapp.engine.events import TOOL_REQUESTED, Event
from contextapp.engine.ledger import Row
from contextapp.engine.sources.relevance import identifiers
from contextapp.eventlog import selectors as log
from contextapp.evidence import canonical
from contextapp.memory.selectors.building import revisions_named

MOST_PARTS, PART_CHARS, SHORTEST = 60, 300, 2
MOST_BEARERS, MOST_EARLIER = 100, 50


def parts_of_call(session_id: UUID, seq: int) -> tuple[str, ...]:
    """What may be asked for of the call at `seq`: its arguments as they are, and the names and paths inside of them. Nothing
    where the event is no call."""
    found = log.get_events(session_id, seqs=[seq])
    if not found:
        raise NotFound(_("this session has no event %(seq)s") % {"seq": seq})
    if found[0].type != TOOL_REQUESTED:
        return ()
    strings = list(canonical.strings(found[0].payload.get("input")))
    whole = [string.strip() for string in strings if len(string) <= PART_CHARS]
    named = [name for string in strings for name in identifiers(string)]
    return tuple(dict.fromkeys(part for part in (*whole, *named) if len(part) >= SHORTEST))[:MOST_PARTS]


def whence(session_id: UUID, seq: int, value: str, *, origin: str | None = None) -> Whence:
    """NotFound when the event belongs to no step, or the step has no ledger of that origin."""
    step = (
        Step.objects.select_related("session")
        .filter(session_id=session_id, first_seq__lte=seq)
        .order_by("-number")
        .first()
    )
    if step is None:
        raise NotFound(_("event %(seq)s belongs to no step") % {"seq": seq})
    ledger, body = need_ledger(session_id, step.number, origin)
    rows = body.ledger.included
    before = list(log.iter_events(session_id, upto_seq=min(step.log_seq, seq - 1)))
    holding = {event.seq: event for event in before if _holds(event, value)}
    bearers = [*_in_events(rows, holding), *_in_memory(step, rows, value)]
    shown = {number for bearer in bearers for number in bearer.seqs}
    earlier = tuple(sorted(set(holding) - shown))
    return Whence(
        step=step.number,
        origin=ledger.origin,
        value=value,
        bearers=tuple(sorted(bearers, key=lambda bearer: bearer.row.order if bearer.row.order is not None else -1))[
            :MOST_BEARERS
        ],
        earlier=earlier[:MOST_EARLIER],
        earlier_total=len(earlier),
    )


def _holds(event: Event, value: str) -> bool:
    return any(value in string for string in canonical.strings(event.payload))


def _in_events(rows: Iterable[Row], holding: dict[int, Event]) -> Iterable[Bearer]:
    for row in rows:
        if row.events is None:
            continue
        first, last = row.events
        seqs = tuple(seq for seq in holding if first <= seq <= last)
        if seqs:
            yield Bearer(row, seqs[:MOST_EARLIER], is_shortened=row.mode != "full")


def _in_memory(step: Step, rows: Sequence[Row], value: str) -> Iterable[Bearer]:
    remembered = [row for row in rows if row.source_kind == "memory"]
    if not remembered:
        return
    found = revisions_named(step.session.project_id, [row.source_id for row in remembered])
    for row in remembered:
        revision = found.get(row.source_id)
        if revision is not None and value in revision.claim:
            yield Bearer(row, (), is_shortened=False)
