"""The film strip of a session, read from the ledgers of one origin: a page of steps, the sources that matter most first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from django.utils.translation import gettext as _

from contextapp.contexts.errors import NotFound
from contextapp.contexts.models import Ledger
from contextapp.contexts.packing import unpack_body
from contextapp.contexts.selectors.ledgers import OPENING_ORDER
from contextapp.contexts.values.strip import GONE, Film, Run, Strip
from contextapp.engine.ledger import Row

STEPS, SOURCES = 120, 80
KIND_ORDER = ("safety", "system_prompt", "instruction", "constraint", "goal", "summary", "memory", "tool", "resource")


@dataclass(slots=True)
class _Seen:
    row: Row
    tokens: int = 0
    modes: dict[int, tuple[str, str]] = field(default_factory=dict)  # by step: mode and reason


def film(session_id: UUID, *, origin: str | None = None, first: int = 1, text: str = "", kind: str = "") -> Film:
    """At most STEPS steps from `first` on. `text`: part of a source's name. NotFound when there is no such ledger."""
    chosen = _origin(session_id, origin)
    ledgers = Ledger.objects.filter(session_id=session_id, origin=chosen)
    last_of_all = ledgers.order_by("-step_number").values_list("step_number", flat=True).first() or 0
    first = max(1, min(first, last_of_all))
    last = min(last_of_all, first + STEPS - 1)
    page = ledgers.filter(step_number__range=(first, last)).order_by("step_number", "-created_at", "-id")
    seen: dict[str, _Seen] = {}
    summed: dict[int, list[Row]] = {}  # by step: rows that speak of many events with one fate
    for number, packed in page.distinct("step_number").values_list("step_number", "body__rows").iterator(chunk_size=20):
        rows = unpack_body(packed).ledger.rows
        summed[number] = [row for row in rows if row.mode == "none" and row.events and row.events[0] < row.events[1]]
        for row in rows:
            held = seen.setdefault(row.source_id, _Seen(row))
            held.tokens = max(held.tokens, row.after_tokens or row.before_tokens)
            held.modes[number] = (row.mode, row.reason)
    kinds = Counter(held.row.source_kind for held in seen.values())
    sought = text.casefold()
    found = [
        held
        for held in seen.values()
        if (not kind or held.row.source_kind == kind)
        and (not sought or sought in f"{held.row.title} {held.row.source_id}".casefold())
    ]
    found.sort(key=lambda held: (_place(held.row.source_kind), -held.tokens * len(held.modes), held.row.source_id))
    kept = sorted(found, key=lambda held: -held.tokens * len(held.modes))[:SOURCES]
    shown = [held for held in found if held in kept]
    return Film(
        origin=chosen,
        first_step=first,
        last_step=last,
        step_count=last_of_all,
        strips=tuple(_strip(held, first, last, summed) for held in shown),
        hidden=len(found) - len(shown),
        kinds=tuple(sorted(kinds.items())),
    )


def _origin(session_id: UUID, origin: str | None) -> str:
    present = set(Ledger.objects.filter(session_id=session_id).values_list("origin", flat=True).distinct())
    chosen = next((name for name in OPENING_ORDER if name in present), None) if origin is None else origin
    if chosen is None or chosen not in present:
        raise NotFound(_("this session has no %(origin)s ledger") % {"origin": origin or _("recorded")})
    return chosen


def _place(kind: str) -> int:
    return KIND_ORDER.index(kind) if kind in KIND_ORDER else len(KIND_ORDER)


def _fate_in_range(row: Row, summed: Sequence[Row]) -> tuple[str, str]:
    """What a row that sums up many events says of this one too; gone where none does."""
    if row.events is None:
        return GONE, ""
    first, last = row.events
    covering = (one for one in summed if one.events and one.events[0] <= first and last <= one.events[1])
    found = next(covering, None)
    return (GONE, "") if found is None else (found.mode, found.reason)


def _strip(held: _Seen, first: int, last: int, summed: Mapping[int, Sequence[Row]]) -> Strip:
    runs: list[Run] = []
    for number in range(first, last + 1):
        mode, reason = held.modes.get(number) or _fate_in_range(held.row, summed.get(number, ()))
        if runs and (runs[-1].mode, runs[-1].reason) == (mode, reason):
            runs[-1] = Run(runs[-1].first_step, number, mode, reason)
        else:
            runs.append(Run(number, number, mode, reason))
    row = held.row
    return Strip(row.source_id, row.title, row.source_kind, row.bucket, row.trust, held.tokens, tuple(runs))
