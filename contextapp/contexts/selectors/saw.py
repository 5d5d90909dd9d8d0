"""What the model saw, block by block. Built: the stored blocks. Simulated: built again, with its hash compared. Observed: the
events of each row, since nobody has the harness's request itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.utils.translation import gettext as _

from contextapp.contexts.errors import CannotBuild, NotFound
from contextapp.contexts.models import Ledger
from contextapp.contexts.models.ledgers import Origin
from contextapp.contexts.packing import Body, unpack_body
from contextapp.contexts.pieces import arguments_text, body_of, preview
from contextapp.contexts.reproducing import repeat
from contextapp.contexts.selectors.blocks import stored_request
from contextapp.contexts.selectors.ledgers import find_ledger
from contextapp.contexts.selectors.steps import residue_of
from contextapp.contexts.values import PREVIEW_CHARS, Saw, SawBlock
from contextapp.engine.events import TOOL_REQUESTED, Event
from contextapp.engine.ledger import Row
from contextapp.engine.projection.payloads import id_of, payload_of, text_of
from contextapp.engine.request.neutral import Block, ModelRequest
from contextapp.eventlog import selectors as log

PAGE_BLOCKS = 200
BLOCK_EVENTS = 40  # of one observed row; the rest is counted and named


@dataclass(frozen=True, slots=True)
class _Part:
    """Which blocks are wanted, and how much of each."""

    first: int
    limit: int
    chars: int

    @property
    def span(self) -> slice:
        start = max(self.first - 1, 0)
        return slice(start, start + self.limit)


def saw_blocks(
    session_id: UUID,
    number: int,
    *,
    origin: str | None = None,
    first: int = 1,
    limit: int = PAGE_BLOCKS,
    chars: int = PREVIEW_CHARS,
) -> Saw:
    """Blocks first..first+limit-1 in the order of the request, each with at most `chars` of its text."""
    part = _Part(first, limit, chars)
    ledger = find_ledger(session_id, number, origin)
    if ledger is None:
        raise NotFound(_("step %(number)s has no ledger, so nobody can say what the model saw") % {"number": number})
    body = unpack_body(ledger.body.rows)
    if ledger.origin == Origin.OBSERVED:
        return _observed(ledger, body, part)
    if ledger.origin == Origin.SIMULATED:
        return _simulated(ledger, body, part)
    try:
        request = stored_request(ledger, body)
    except CannotBuild as error:
        return _without_blocks(ledger, str(error))
    return _of_request(ledger, body, request, "recorded", "", part)


def _simulated(ledger: Ledger, body: Body, part: _Part) -> Saw:
    made = repeat(ledger, body)
    if made.request is None:
        return _without_blocks(ledger, made.detail or _("this build did not fit the window, so there is no request"))
    check = "same_bytes" if made.same_bytes else "different"
    return _of_request(ledger, body, made.request, check, made.detail, part)


def _without_blocks(ledger: Ledger, message: str) -> Saw:
    return Saw(ledger.origin, (), 0, "unavailable", message, None, ledger.request_sha256)


def _of_request(ledger: Ledger, body: Body, request: ModelRequest, check: str, message: str, part: _Part) -> Saw:
    rows = {row.order: row for row in body.ledger.included if row.block}
    page = list(enumerate(request.blocks))[part.span]
    return Saw(
        origin=ledger.origin,
        blocks=tuple(_block(place, block, rows.get(place), part.chars) for place, block in page),
        total_blocks=len(request.blocks),
        check=check,
        message=message,
        not_in_file_tokens=None,
        request_sha256=ledger.request_sha256,
    )


def _block(place: int, block: Block, row: Row | None, chars: int) -> SawBlock:
    return SawBlock(
        position=place + 1,
        role=block.role,
        part=block.part,
        trust=block.trust,
        title=row.title if row else "",
        body=preview(block.text, chars),
        tokens=row.after_tokens if row else 0,
        source_id=block.source_id,
        events=block.events,
        calls=block.calls,
        tools=tuple(str(tool.get("name", "")) for tool in block.tools),
        digest=block.digest,
    )


def _observed(ledger: Ledger, body: Body, part: _Part) -> Saw:
    """One block per included row; its text is that of the events the row came from."""
    rows = sorted(body.ledger.included, key=lambda row: row.order)
    page = rows[part.span]
    wanted = {seq for row in page for seq in _seqs(row)}
    events = {event.seq: event for event in log.get_events(ledger.session_id, seqs=sorted(wanted))}
    residue = residue_of(ledger.residue)
    return Saw(
        origin=ledger.origin,
        blocks=tuple(
            _observed_block(row, [events[seq] for seq in _seqs(row) if seq in events], part.chars) for row in page
        ),
        total_blocks=len(rows),
        check="rebuilt_from_transcript",
        message="",
        not_in_file_tokens=residue.not_in_file if residue else None,
        request_sha256="",
    )


def _seqs(row: Row) -> Sequence[int]:
    if row.events is None:
        return ()
    first, last = row.events
    return range(first, min(last, first + BLOCK_EVENTS - 1) + 1)


def _observed_block(row: Row, events: Sequence[Event], chars: int) -> SawBlock:
    belonging = [event for event in events if _belongs(event, row)]
    calls = [event for event in belonging if event.type == TOOL_REQUESTED]
    text = "\n".join(body_of(event) for event in belonging if event.type != TOOL_REQUESTED)
    return SawBlock(
        position=row.order + 1,
        role=row.role,
        part=row.source_kind,
        trust=row.trust,
        title=row.title,
        body=preview(text, chars),
        tokens=row.after_tokens,
        source_id=row.source_id,
        events=row.events,
        calls=tuple(_call(payload_of(event)) for event in calls),
        tools=(),
        digest="",
    )


def _call(payload: Mapping[str, object]) -> tuple[str, str, str]:
    return id_of(payload, "call_id"), text_of(payload, "name"), preview(arguments_text(payload)).text


# An answer's range may enclose what came between its parts; those are rows of their own.
_KINDS = {
    "user_message": ("user.message",),
    "assistant_message": ("model.message", "model.delta", "tool.requested"),
    "thinking": ("model.thinking",),
    "tool_result": ("tool.completed",),
    "summary": ("session.compacted",),
    "instruction": ("instructions.loaded",),
    "resource": ("resource.included",),
    "tool": ("tools.available",),
}


def _belongs(event: Event, row: Row) -> bool:
    return event.type in _KINDS.get(row.source_kind, (event.type,))
