"""Documents and code name the same things: settings, event types, migrations."""

from __future__ import annotations

import re

from django.apps import apps
from django.db.migrations.autodetector import MigrationAutodetector
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState

from contextapp.config.local.places import PROJECT
from contextapp.engine import events
from tests.conventions.settings_read import variables


def described(document: str, pattern: str) -> set[str]:
    """The names in backticks in the first cell of a table row, or in a heading."""
    text = (PROJECT / "docs" / document).read_text(encoding="utf-8")
    places = re.findall(r"^(?:\|([^|]*)\||#+(.*))", text, re.MULTILINE)
    return {name for cell, heading in places for name in re.findall(rf"`({pattern})`", cell + heading)}


def test_every_setting_is_described_and_every_described_setting_exists() -> None:
    assert described("settings.md", r"[A-Z][A-Z0-9_]+") == variables()


def test_every_event_type_is_described_and_every_described_type_exists() -> None:
    assert described("events.md", r"[a-z]+(?:_[a-z]+)*\.[a-z_]+") == set(events.TYPES)


def test_no_migration_is_missing() -> None:
    loader = MigrationLoader(None)
    ours = {config.label for config in apps.get_app_configs() if config.name.startswith("contextapp.")}

    changes = MigrationAutodetector(loader.project_state(), ProjectState.from_apps(apps)).changes(graph=loader.graph)

    assert {label: [str(m.operations) for m in found] for label, found in changes.items() if label in ours} == {}


def test_no_two_migrations_of_an_app_stand_side_by_side() -> None:
    assert MigrationLoader(None).detect_conflicts() == {}
