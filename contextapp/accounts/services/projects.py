"""Projects and their settings. A change names what its maker saw, so that of two admins nobody overwrites the other."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from contextapp.accounts.errors import SettingsChanged
from contextapp.accounts.models import Project, canonical_text
from contextapp.accounts.services.audit import record

# Which columns one page of settings changes together.
SETTINGS: dict[str, tuple[str, ...]] = {
    "masking": ("masking_mode", "masking_rules"),
    "retention": ("retention_days",),
    "limits": ("limit_events_per_minute",),
}


def create_project(*, slug: str, name: str, by: str, is_sample: bool = False) -> Project:
    with transaction.atomic():
        project = Project.objects.create(slug=slug, name=name, is_sample=is_sample)
        record(project=project, actor=by, action="project.created", target=f"project:{slug}", after={"name": name})
    return project


def settings_state(project: Project, group: str) -> str:
    """What a form carries to say from which settings it was filled."""
    return sha256(canonical_text(_values(project, group)).encode()).hexdigest()[:32]


def change_settings(*, project: Project, group: str, values: dict[str, Any], seen: str, by: str) -> Project:
    """Set the columns of one group of SETTINGS. SettingsChanged, and nothing written, unless `seen` still stands.

    Any: each column has its own type; whoever knows its meaning has checked the value before.
    """
    if set(values) != set(SETTINGS[group]):
        raise ValueError(f"settings {group} are {', '.join(SETTINGS[group])}, not {', '.join(sorted(values))}")
    with transaction.atomic():
        project = Project.objects.select_for_update(no_key=True).get(id=project.id)
        if settings_state(project, group) != seen:
            text = _(
                "Somebody else changed these settings meanwhile. Nothing was overwritten: look at what stands now."
            )
            raise SettingsChanged(text)
        before = _values(project, group)
        if before == values:
            return project
        for name, value in values.items():
            setattr(project, name, value)
        project.save(update_fields=list(values))
        record(
            project=project,
            actor=by,
            action=f"{group}.changed",
            target=f"project:{project.slug}",
            before=before,
            after=values,
        )
    return project


def _values(project: Project, group: str) -> dict[str, Any]:
    return {name: getattr(project, name) for name in SETTINGS[group]}
