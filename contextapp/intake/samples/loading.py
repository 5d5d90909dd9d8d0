"""Puts the sample sessions into their project through the ordinary doors. A sample that we rewrote replaces its older self."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

from django.db.models import Sum

from contextapp.accounts.models import Project, Role, User
from contextapp.accounts.services import add_member, create_project
from contextapp.contexts.services import index_session
from contextapp.eventlog.models import Session
from contextapp.eventlog.services import append, erase_session, open_session, update_session_facts
from contextapp.memory.models import MemoryRevision
from contextapp.memory.services import approve, look_at, propose
from contextapp.policy.services import ensure_default

if TYPE_CHECKING:
    from contextapp.intake.samples.script import Script

SLUG, NAME = "samples", "Samples"
ACTOR = "system:samples"
REVIEWER = "sample-reviewer"
SCRIPTS = ("pushed", "denied", "injected", "overflowed", "support", "numbered", "delegated", "delegated-explore")


@dataclass(frozen=True, slots=True)
class Loaded:
    sessions: int
    new: int
    events: int


def load_samples() -> Loaded:
    """The samples as they are written today; what is there already is only counted, and nothing is put together for it."""
    project = Project.objects.filter(slug=SLUG).first()
    if project is None:
        project = create_project(slug=SLUG, name=NAME, by=ACTOR, is_sample=True)
    ensure_default(project)
    written = _written()
    _erase_older(project, written)
    present = _present(project, written)
    missing = [script for script in _scripts() if script.slug not in present] if len(present) < len(SCRIPTS) else []
    for script in missing:
        present[script.slug] = _load(project, script, written, present.get(script.parent))
    _approve_memory(project)
    events = Session.objects.filter(id__in=present.values()).aggregate(found=Sum("event_count"))["found"] or 0
    return Loaded(len(present), len(missing), events)


def _written() -> str:
    """A digest of the texts of this package: the version of the samples."""
    digest = sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _erase_older(project: Project, written: str) -> None:
    samples = Session.objects.filter(project=project, external_id__startswith="sample:", erased_at=None)
    for session_id in samples.exclude(external_id__endswith=f"@{written}").values_list("id", flat=True):
        erase_session(session_id=session_id, reason="the samples were written anew", actor=ACTOR)


def _present(project: Project, written: str) -> dict[str, UUID]:
    """Samples that were loaded whole; a load that was broken off is finished by doing it again."""
    found = Session.objects.filter(
        project=project, external_id__endswith=f"@{written}", erased_at=None, indexed_seq__gt=0
    )
    names = found.values_list("external_id", "id")
    return {name.removeprefix("sample:").removesuffix(f"@{written}"): session_id for name, session_id in names}


def _scripts() -> list[Script]:
    from contextapp.intake.samples import delegated, denied, injected, numbered, overflowed, pushed, support

    single = [module.script() for module in (pushed, denied, injected, overflowed, support, numbered)]
    return [*single, *delegated.scripts()]


def _load(project: Project, script: Script, written: str, parent: UUID | None) -> UUID:
    session = open_session(
        project_id=project.id,
        origin="sample",
        external_id=f"sample:{script.slug}@{written}",
        workspace_root=script.cwd,
        title=script.title,
        agent=script.agent,
        agent_version=script.agent_version,
        model=script.model,
        parent_id=parent,
        started_at=script.started_at,
    )
    append(session_id=session.id, drafts=script.drafts, actor=ACTOR)
    update_session_facts(session_id=session.id, guide=script.guide)
    index_session(session_id=session.id)
    return session.id


def _approve_memory(project: Project) -> None:
    from contextapp.intake.samples.numbered import HOME, MEMORY

    for claim, kind in MEMORY:
        if MemoryRevision.objects.filter(project=project, claim=claim).exists():
            continue
        proposed = propose(
            project=project,
            claim=claim,
            kind=kind,
            scope="workspace",
            scope_key=HOME,
            proposed_by="agent:claude-code",
            source="sample",
        )
        if proposed.revision is not None:
            look = look_at(proposed.revision)
            approve(
                revision_id=proposed.revision.pk, reviewer=_reviewer(project), look=look, note="part of the samples"
            )


def _reviewer(project: Project) -> User:
    """Records are approved by people; the samples have one of their own, who can't log in."""
    user, is_new = User.objects.get_or_create(username=REVIEWER)
    if is_new:
        user.set_unusable_password()
        user.save()
        add_member(project=project, user=user, role=Role.REVIEWER, by=ACTOR)
    return user
