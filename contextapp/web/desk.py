"""What the reviewers' desk shows of one record: what a model would get, code points, what a decision needs. Fetches nothing."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.http import HttpRequest, QueryDict
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from contextapp.memory import presenting
from contextapp.memory.risk import READ_EVIDENCE, SAY_WHY, TWO_PEOPLE
from contextapp.memory.selectors import RecordPage
from contextapp.memory.transitions import possible

CODE_POINTS = 400
LIFETIMES: dict[str, str | Promise] = {
    "": _("as proposed"),
    "7": _("7 days"),
    "30": _("30 days"),
    "90": _("90 days"),
    "365": _("a year"),
}
RISKS: tuple[str | Promise, ...] = (_("plain"), _("read the evidence"), _("say why"), _("two people"))
TICKS: tuple[tuple[str, str | Promise, str | Promise], ...] = (
    ("exists", _("in the log"), _("an event it names is gone, erased, foreign, or was itself put before the model")),
    ("hash", _("quote unchanged"), _("the quoted text is not what was quoted")),
    ("terms", _("says so"), _("no quote holds")),
    ("echo", _("no echo"), _("it repeats a record that the session was given")),
)


@dataclass(frozen=True, slots=True)
class Tick:
    label: str | Promise
    passed: bool | None
    why: str | Promise
    detail: str


@dataclass(frozen=True, slots=True)
class CodePoint:
    code: str
    name: str
    character: str
    is_lost: bool


@dataclass(frozen=True, slots=True)
class Desk:
    """`entered` holds what the reviewer typed before a refusal, so that nothing of it is lost."""

    page: RecordPage
    hint: str
    hint_tokens: int
    code_points: tuple[CodePoint, ...]
    ticks: tuple[Tick, ...]
    actions: frozenset[str]
    needs_note: bool
    needs_evidence: bool
    needs_two: bool
    risk: str | Promise
    is_mine: bool  # proposed by the reviewer
    is_second: bool  # somebody else approved it once
    entered: dict[str, str]
    refusal: str
    changed: tuple[str, ...]


def desk(
    page: RecordPage,
    *,
    reviewer: str,
    entered: QueryDict | None = None,
    refusal: str = "",
    changed: tuple[str, ...] = (),
) -> Desk:
    revision = page.revision
    shown = presenting.as_model_gets_it(revision, timezone.now())
    return Desk(
        page=page,
        hint=shown.text,
        hint_tokens=shown.tokens,
        code_points=code_points(revision.claim, {place for place, _character in page.lost}),
        ticks=_ticks(page),
        actions=possible(revision.state),
        needs_note=revision.risk >= SAY_WHY or not any(quote.text for quote in page.quotes),
        needs_evidence=bool(page.quotes) and revision.risk >= READ_EVIDENCE,
        needs_two=revision.needs_two or revision.risk >= TWO_PEOPLE,
        risk=RISKS[min(revision.risk, len(RISKS) - 1)],
        is_mine=revision.proposed_by == reviewer,
        is_second=bool(revision.first_approved_by) and revision.first_approved_by != reviewer,
        entered={name: value for name, value in (entered or {}).items() if name != "csrfmiddlewaretoken"},
        refusal=refusal,
        changed=changed,
    )


def code_points(text: str, lost: set[int]) -> tuple[CodePoint, ...]:
    """Each character with its number and name: what a font may hide is written out."""
    return tuple(
        CodePoint(f"U+{ord(character):04X}", unicodedata.name(character, "?"), character, place in lost)
        for place, character in enumerate(text[:CODE_POINTS])
    )


def lifetime(request: HttpRequest) -> datetime | None:
    """The end that the reviewer chose; None leaves the proposed one."""
    chosen = request.POST.get("lifetime", "")
    return timezone.now() + timedelta(days=int(chosen)) if chosen in LIFETIMES and chosen else None


def _ticks(page: RecordPage) -> tuple[Tick, ...]:
    checks: dict[str, Any] = page.checks.to_dict()
    made = []
    for name, label, why in TICKS:
        passed = checks[name]
        if name == "echo" and passed is not None:
            passed = not passed
        detail = ", ".join(page.checks.missing) if name == "terms" else page.checks.echo_of if name == "echo" else ""
        made.append(Tick(label, passed, why, detail))
    return tuple(made)
