"""Which files an import takes: folders, patterns, the newest, those since; and sub-agents with their parents."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from contextapp.intake.errors import BadSelection, NothingToImport
from contextapp.intake.services.discovering import discover, moment_of
from tests.intake.files import write

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)


def names(*paths: str, since: str | None = None, last: int | None = None) -> list[str]:
    return [Path(found.path).name for found in discover(paths, since=since, last=last, now=NOW)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    hour = 3600.0
    now = NOW.timestamp()
    write(tmp_path, "shop/old.jsonl", b"x", modified=now - 100 * hour)
    write(tmp_path, "shop/new.jsonl", b"x", modified=now - 2 * hour)
    write(tmp_path, "shop/middle.json", b"x", modified=now - 30 * hour)
    write(tmp_path, "shop/old/subagents/agent-1.jsonl", b"x", modified=now - hour)
    write(tmp_path, "shop/old/subagents/workflows/wf/journal.jsonl", b"x", modified=now)
    write(tmp_path, "shop/old/tool-results/output.txt", b"x", modified=now)
    return tmp_path


def test_a_folder_is_taken_newest_first_and_a_sub_agent_after_its_parent(folder: Path) -> None:
    assert names(str(folder)) == ["new.jsonl", "middle.json", "old.jsonl", "agent-1.jsonl"]


def test_since_judges_whole_sessions(folder: Path) -> None:
    assert names(str(folder), since="24h") == ["new.jsonl"]
    assert names(str(folder), since="7d") == ["new.jsonl", "middle.json", "old.jsonl", "agent-1.jsonl"]


def test_last_counts_sessions_and_not_their_sub_agents(folder: Path) -> None:
    assert names(str(folder / "shop"), last=3) == ["new.jsonl", "middle.json", "old.jsonl", "agent-1.jsonl"]
    assert names(str(folder / "shop"), last=1) == ["new.jsonl"]


def test_patterns_files_and_repetitions_are_taken_once(folder: Path) -> None:
    assert names(f"{folder}/**/*.jsonl", str(folder / "shop" / "new.jsonl"))[0] == "new.jsonl"
    assert names(f"{folder}/shop/n*", str(folder / "shop/new.jsonl")) == ["new.jsonl"]


def test_a_file_named_by_itself_is_taken_whatever_its_age_and_suffix(folder: Path) -> None:
    assert names(str(folder / "shop/old.jsonl"), since="1h") == ["old.jsonl"]
    assert names(str(folder / "shop/old/tool-results/output.txt")) == ["output.txt"]


def test_no_path_means_the_transcripts_of_this_machine(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(folder))
    write(folder, ".claude/projects/-x/a.jsonl", b"x")

    assert names() == ["a.jsonl"]


def test_nothing_to_import_says_where_it_looked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))

    with pytest.raises(NothingToImport, match=r"~/\.claude/projects"):
        names()


def test_nothing_new_enough_says_how_much_there_is(folder: Path) -> None:
    with pytest.raises(NothingToImport, match="4 files"):
        names(str(folder), since="10m")


@pytest.mark.parametrize(
    ("since", "expected"),
    [
        ("90m", NOW - timedelta(minutes=90)),
        ("2w", NOW - timedelta(weeks=2)),
        ("2026-03-01", datetime(2026, 3, 1, tzinfo=UTC)),
        ("2026-03-01T08:00:00+02:00", datetime(2026, 3, 1, 6, tzinfo=UTC)),
    ],
)
def test_times_are_spans_or_dates(since: str, expected: datetime) -> None:
    assert moment_of(since, NOW) == expected


@pytest.mark.parametrize("since", ["soon", "7 days", "2026-13-01", "99999999d"])
def test_a_time_that_is_none_is_quoted(since: str) -> None:
    with pytest.raises(BadSelection, match=since):
        moment_of(since, NOW)


def test_last_needs_a_number_of_files(folder: Path) -> None:
    with pytest.raises(BadSelection, match="0"):
        names(str(folder), last=0)
