"""A start serves at once only if neither code, nor versions, nor the database's address changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from contextapp.config.local import migrated


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "contextapp" / "jobs" / "migrations"
    folder.mkdir(parents=True)
    (folder / "0001_initial.py").write_text("first")
    (tmp_path / "requirements.lock").write_text("django==1")
    monkeypatch.setattr(migrated, "PROJECT", tmp_path)
    return tmp_path


def test_the_first_start_of_a_folder_need_not_wait(project: Path) -> None:
    assert migrated.may_serve_early(project, "postgresql:///a")


def test_a_start_without_a_change_need_not_wait(project: Path) -> None:
    migrated.remember(project, "postgresql:///a")

    assert migrated.may_serve_early(project, "postgresql:///a")


@pytest.mark.parametrize(
    ("changed", "content"),
    [
        ("contextapp/jobs/migrations/0002_more.py", "second"),
        ("contextapp/jobs/migrations/0001_initial.py", "edited"),
        ("requirements.lock", "django==2"),
    ],
)
def test_a_change_is_a_reason_to_wait(changed: str, content: str, project: Path) -> None:
    migrated.remember(project, "postgresql:///a")

    (project / changed).write_text(content)

    assert not migrated.may_serve_early(project, "postgresql:///a")


def test_another_database_is_a_reason_to_wait(project: Path) -> None:
    migrated.remember(project, "postgresql:///a")

    assert not migrated.may_serve_early(project, "postgresql:///b")
