"""Drafts, the version in force, and its past: draft -> active -> retired, never back. What was in force never changes.

A change names what its maker saw, so that of two admins nobody overwrites the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from contextapp.accounts.models import Project
from contextapp.accounts.services import record
from contextapp.engine.policy import Policy
from contextapp.policy.checking import faults_of
from contextapp.policy.errors import Fault, PolicyChanged, PolicyRefused, WrongState
from contextapp.policy.models import PolicyState, PolicyVersion
from contextapp.policy.selectors import policy_state

NOTE_CHARS = 500

type Body = Mapping[str, Any]  # JSON: what `Policy.to_dict` gives, or less of it


def ensure_default(project: Project) -> PolicyVersion:
    """The project's active policy; the engine's default becomes version 1 when there is none."""
    with transaction.atomic():
        _lock(project)  # two starters make one version
        active = PolicyVersion.objects.filter(project=project, state=PolicyState.ACTIVE).first()
        if active is not None:
            return active
        last = PolicyVersion.objects.filter(project=project).order_by("-number").first()
        made = PolicyVersion.objects.create(
            project=project,
            number=1 if last is None else last.number + 1,
            state=PolicyState.ACTIVE,
            body=Policy().to_dict(),
            author="system",
            activated_at=timezone.now(),
        )
        record(
            project=project, actor="system", action="policy.activated", target=f"policy:{made.number}", after=made.body
        )
    return made


def create_draft(*, project: Project, body: Body, note: str = "", by: str) -> PolicyVersion:
    """A new draft with the next number; fields that the body leaves out have the engine's default."""
    checked = _checked(body, note)
    with transaction.atomic():
        _lock(project)
        made = _next(project, checked, note, by)
        record(
            project=project,
            actor=by,
            action="policy.drafted",
            target=f"policy:{made.number}",
            after={"body": made.body, "note": made.note},
        )
    return made


def update_draft(*, version: PolicyVersion, body: Body, note: str, seen: str, by: str) -> PolicyVersion:
    """PolicyChanged, and nothing written, unless the draft still is what `seen` (of `policy_state`) says."""
    checked = _checked(body, note)
    with transaction.atomic():
        draft = _draft(version, seen)
        before = {"body": draft.body, "note": draft.note}
        after = {"body": checked, "note": note}
        if before == after:
            return draft
        draft.body, draft.note = checked, note
        draft.save(update_fields=["body", "note"])
        record(
            project=draft.project,
            actor=by,
            action="policy.changed",
            target=f"policy:{draft.number}",
            before=before,
            after=after,
        )
    return draft


def activate(*, version: PolicyVersion, note: str, seen: str, seen_active: int, by: str) -> PolicyVersion:
    """Put a draft in force; the one in force retires. A note says why. PolicyChanged when either is not what was seen."""
    if not note.strip():
        raise PolicyRefused((Fault("note", _("Say in a note why this version comes into force.")),))
    with transaction.atomic():
        draft = _draft(version, seen)
        checked = _checked(draft.body, note)  # an engine of today may refuse what one of yesterday took
        return _put_in_force(draft, checked, note, seen_active, by)


def retire(*, version: PolicyVersion, seen: str, by: str) -> PolicyVersion:
    """Give a draft up. The version in force retires by another that takes its place, so that there always is one."""
    with transaction.atomic():
        draft = _draft(version, seen)
        draft.state = PolicyState.RETIRED
        draft.save(update_fields=["state"])
        record(
            project=draft.project,
            actor=by,
            action="policy.retired",
            target=f"policy:{draft.number}",
            before={"state": PolicyState.DRAFT},
            after={"state": PolicyState.RETIRED},
        )
    return draft


def roll_back(*, version: PolicyVersion, note: str, seen_active: int, by: str) -> PolicyVersion:
    """Put in force again what a retired version said, as a new version: a number stands for one time in force."""
    if not note.strip():
        raise PolicyRefused((Fault("note", _("Say in a note why this version comes into force.")),))
    with transaction.atomic():
        _lock(version.project)
        old = PolicyVersion.objects.select_related("project").get(id=version.id)
        if old.state != PolicyState.RETIRED or old.activated_at is None:
            words = _("Version %(number)s was not in force before; only what was can be rolled back to.")
            raise WrongState(words % {"number": old.number})
        checked = _checked(old.body, note)
        draft = _next(old.project, checked, note, by)
        return _put_in_force(draft, checked, note, seen_active, by)


def _put_in_force(draft: PolicyVersion, body: dict[str, Any], note: str, seen_active: int, by: str) -> PolicyVersion:
    active = PolicyVersion.objects.filter(project=draft.project, state=PolicyState.ACTIVE).first()
    number = 0 if active is None else active.number
    if number != seen_active:
        words = _("Version %(now)s is in force by now, not %(seen)s. Nothing is published: look at what stands now.")
        raise PolicyChanged(words % {"now": number, "seen": seen_active})
    if active is not None:
        active.state = PolicyState.RETIRED
        active.save(update_fields=["state"])
    draft.state, draft.body, draft.note, draft.activated_at = PolicyState.ACTIVE, body, note, timezone.now()
    draft.save(update_fields=["state", "body", "note", "activated_at"])
    record(
        project=draft.project,
        actor=by,
        action="policy.activated",
        target=f"policy:{draft.number}",
        before=None if active is None else {"number": active.number, "body": active.body},
        after={"number": draft.number, "body": body, "note": note},
    )
    return draft


def _draft(version: PolicyVersion, seen: str) -> PolicyVersion:
    """The version as it stands, under the project's lock."""
    _lock(version.project)
    draft = PolicyVersion.objects.select_related("project").get(id=version.id)
    if draft.state != PolicyState.DRAFT:
        words = _("Version %(number)s is no draft any more and never changes. Make a new draft from it.")
        raise WrongState(words % {"number": draft.number})
    if policy_state(draft) != seen:
        words = _("Somebody else changed draft %(number)s meanwhile. Nothing was overwritten: look at what stands now.")
        raise PolicyChanged(words % {"number": draft.number})
    return draft


def _next(project: Project, body: dict[str, Any], note: str, by: str) -> PolicyVersion:
    last = PolicyVersion.objects.filter(project=project).order_by("-number").first()
    return PolicyVersion.objects.create(
        project=project,
        number=1 if last is None else last.number + 1,
        state=PolicyState.DRAFT,
        body=body,
        note=note,
        author=by,
    )


def _lock(project: Project) -> None:
    Project.objects.select_for_update(no_key=True).get(id=project.id)


def _checked(body: Body, note: str) -> dict[str, Any]:
    """The whole body as it is stored, without a number: the version's own counts."""
    faults = faults_of(body)
    if len(note) > NOTE_CHARS:
        words = _("The note has %(length)s characters; give at most %(most)s.")
        faults += (Fault("note", words % {"length": len(note), "most": NOTE_CHARS}),)
    if faults:
        raise PolicyRefused(faults)
    return Policy.from_dict({name: value for name, value in body.items() if name != "number"}).to_dict()
