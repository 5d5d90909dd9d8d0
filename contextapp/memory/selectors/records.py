"""One record as its page shows it: the claim, its evidence as the log has it now, its lineage, reviews, likenesses."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from contextapp.accounts.models import ApiKey, User
from contextapp.accounts.selectors import projects_of
from contextapp.engine.events import Event
from contextapp.engine.injection.visible import lost
from contextapp.eventlog.models import Session
from contextapp.eventlog.selectors import get_events
from contextapp.memory import evidence
from contextapp.memory.evidence import FIELDS, Checks, Quote
from contextapp.memory.models import KnownAnswer, MemoryReview, MemoryRevision, MemoryScope
from contextapp.memory.risk import WIDTH
from contextapp.memory.selectors.header import VOTES
from contextapp.memory.selectors.similar import Similar, similar_to

CONTEXT_CHARS = 160
AROUND = 3  # events before and after a quote
SAME_SOURCE = 10


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An event beside the quoted one: its type and the start of its text."""

    seq: int
    type: str
    text: str
    is_quoted: bool


@dataclass(frozen=True, slots=True)
class ShownQuote:
    """The quote between what stands before and after it in its field. `text` None: the event is gone, erased or foreign."""

    quote: Quote
    before: str
    text: str | None
    after: str
    session_title: str
    around: tuple[Neighbour, ...]


@dataclass(frozen=True, slots=True)
class RecordPage:
    revision: MemoryRevision
    quotes: tuple[ShownQuote, ...]
    checks: Checks
    lost: tuple[tuple[int, str], ...]  # characters of the claim that no model gets, with their places
    similar: tuple[Similar, ...]
    lineage: tuple[MemoryRevision, ...]
    reviews: tuple[MemoryReview, ...]
    same_source: tuple[MemoryRevision, ...]


def record_for(reader: User | ApiKey, record_id: int) -> MemoryRevision | None:
    """The revision, if it lies in a project of the reader; None for a foreign and for an unknown one alike."""
    found = MemoryRevision.objects.select_related("project", "supersedes").filter(pk=record_id)
    if isinstance(reader, ApiKey):
        return found.filter(project_id=reader.project_id).first()
    return found.filter(project__in=projects_of(reader)).first()


def known_answer_for(reader: User, known_id: int) -> KnownAnswer | None:
    """The known-answer item, if it lies in a project of the reader."""
    found = KnownAnswer.objects.select_related("project").filter(pk=known_id)
    return found.filter(project__in=projects_of(reader)).first()


def lineage_of(revision: MemoryRevision) -> tuple[MemoryRevision, ...]:
    """All revisions of the record, the newest first."""
    return tuple(
        MemoryRevision.objects.filter(project_id=revision.project_id, lineage=revision.lineage).order_by("-revision")
    )


def record_page(revision: MemoryRevision, *, hide_notes_from: str = "") -> RecordPage:
    """`hide_notes_from`: a reviewer who has not voted yet does not see what the first one said."""
    spans = [evidence.span_of(row) for row in revision.evidence.order_by("added_at", "id")]
    read = evidence.quotes(revision.project_id, spans)
    reviews = tuple(revision.reviews.order_by("-id"))
    if hide_notes_from and not any(one.reviewer == hide_notes_from and one.verdict in VOTES for one in reviews):
        reviews = tuple(one for one in reviews if one.verdict != "approve_first")
    return RecordPage(
        revision=revision,
        quotes=_shown(revision.project_id, read),
        checks=evidence.check(revision.project_id, revision.claim, read),
        lost=lost(revision.claim),
        similar=similar_to(revision),
        lineage=lineage_of(revision),
        reviews=reviews,
        same_source=_same_source(revision),
    )


def page_of_nothing(revision: MemoryRevision) -> RecordPage:
    """Of a revision that no table holds: it names no event, and nothing is like it."""
    checks = evidence.check(revision.project_id, revision.claim, ())
    return RecordPage(revision, (), checks, lost(revision.claim), (), (revision,), (), ())


def _same_source(revision: MemoryRevision) -> tuple[MemoryRevision, ...]:
    if revision.proposed_session is None:
        return ()
    others = MemoryRevision.objects.filter(project_id=revision.project_id, proposed_session=revision.proposed_session)
    return tuple(others.exclude(pk=revision.pk).order_by("-id")[:SAME_SOURCE])


def _shown(project_id: UUID, read: Collection[Quote]) -> tuple[ShownQuote, ...]:
    wanted = {quote.span.session_id for quote in read if quote.text is not None}
    titles = dict(Session.objects.filter(project_id=project_id, id__in=wanted).values_list("id", "title"))
    made = []
    for quote in read:
        span = quote.span
        events: list[Event] = []
        if span.session_id in titles:
            events = get_events(span.session_id, after_seq=max(0, span.seq - AROUND - 1), upto_seq=span.seq + AROUND)
        before, after = _beside(quote, events)
        around = tuple(
            Neighbour(event.seq, event.type, _text(event)[:CONTEXT_CHARS], event.seq == span.seq) for event in events
        )
        made.append(ShownQuote(quote, before, quote.text, after, titles.get(span.session_id, ""), around))
    return tuple(made)


def _beside(quote: Quote, events: Collection[Event]) -> tuple[str, str]:
    event = next((one for one in events if one.seq == quote.span.seq), None)
    if event is None or quote.text is None or not quote.span.end:
        return "", ""
    names = (quote.span.field,) if quote.span.field else FIELDS
    whole = next((value for name in names if isinstance(value := event.payload.get(name), str)), "")
    return whole[max(0, quote.span.start - CONTEXT_CHARS) : quote.span.start], whole[quote.span.end :][:CONTEXT_CHARS]


def _text(event: Event) -> str:
    for name in (*FIELDS, "name", "command"):
        value = event.payload.get(name)
        if isinstance(value, str) and value:
            return value
    return ""


def changes_between(seen: MemoryRevision, now: MemoryRevision, version_seen: int) -> tuple[str, ...]:
    """What was done to the record since the reviewer saw it, newest first: who did what."""
    reviews = MemoryReview.objects.filter(memory=now, version_seen__gte=version_seen).order_by("-id")
    done = [f"{review.reviewer}: {review.verdict}" + _told(review) for review in reviews]
    if bytes(seen.shown_sha256) != bytes(now.shown_sha256):
        done.insert(0, now.shown)
    return tuple(done)


def _told(review: MemoryReview) -> str:
    """The note; a first approval keeps it until the second person has voted."""
    return f" ({review.note})" if review.note and review.verdict != "approve_first" else ""


def is_narrower(scope: str, than: str) -> bool:
    return WIDTH[MemoryScope(scope)] < WIDTH[MemoryScope(than)]
