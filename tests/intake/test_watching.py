"""Following a folder: what is due at which look, and that a growing session only adds what is new."""

from __future__ import annotations

import os
from pathlib import Path

from django.core.management import call_command
from django.utils import timezone

from contextapp.intake.models import Import, ImportFile
from contextapp.intake.services.watching import MOST_LOOKS, Watch
from tests.intake.files import conversation, event_count, sessions, stored, write
from tests.world import World


def due(watch: Watch) -> list[str]:
    return [Path(path).name for path in watch.look(timezone.now())]


def test_a_file_is_due_when_it_stood_still_and_not_again(tmp_path: Path) -> None:
    write(tmp_path, "a.jsonl", b"1\n")
    watch = Watch([str(tmp_path)])

    assert [due(watch) for _ in range(3)] == [[], ["a.jsonl"], []]


def test_a_file_that_never_stands_still_is_due_in_the_end(tmp_path: Path) -> None:
    watch, looks = Watch([str(tmp_path)]), []
    for number in range(MOST_LOOKS):
        write(tmp_path, "a.jsonl", b"1\n" * (number + 1))
        looks.append(due(watch))

    assert looks == [[]] * (MOST_LOOKS - 1) + [["a.jsonl"]]


def test_what_is_rewritten_renamed_or_cut_is_due_again(tmp_path: Path) -> None:
    path = write(tmp_path, "a.jsonl", b"12345\n", modified=1000)
    watch = Watch([str(tmp_path)])
    due(watch), due(watch)

    write(tmp_path, "a.jsonl", b"54321\n", modified=2000)
    rewritten = [due(watch), due(watch)]
    os.truncate(path, 3)
    cut = [due(watch), due(watch)]
    path.rename(tmp_path / "b.jsonl")
    renamed = [due(watch), due(watch), due(watch)]

    assert (rewritten, cut, renamed) == ([[], ["a.jsonl"]], [[], ["a.jsonl"]], [[], ["b.jsonl"], []])


def test_a_folder_that_is_not_there_yet_is_waited_for(tmp_path: Path) -> None:
    watch = Watch([str(tmp_path / "later" / "*.jsonl")])
    before = due(watch)

    write(tmp_path / "later", "a.jsonl", b"1\n")

    assert (before, due(watch), due(watch)) == ([], [], ["a.jsonl"])


def follow(folder: Path) -> None:
    call_command("watch", str(folder), "--project", "wonderland", "--every", "0", "--looks", "3")


def test_a_session_that_grows_adds_what_is_new_and_a_half_written_line_comes_later(
    world: World, tmp_path: Path
) -> None:
    whole = conversation()
    path = write(tmp_path, "a.jsonl", whole[:-40])
    follow(tmp_path)
    [session] = sessions(world)
    first = stored(session)
    half = ImportFile.objects.get()

    path.write_bytes(whole)
    follow(tmp_path)

    assert half.quarantined == 1
    assert stored(session)[: len(first)] == first
    assert event_count() == 8
    assert Import.objects.count() == 2
