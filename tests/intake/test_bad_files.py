"""Files and lines that can't be imported: named with file, line and field; the rest goes on; nothing is half-written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from contextapp.intake import selectors
from contextapp.intake.selectors import FileRow
from tests.importers.parsing import call, result, to_lines, user
from tests.intake.files import bring_in, conversation, sessions, stored, write
from tests.world import World


def files_after(world: World, *paths: Path) -> dict[str, FileRow]:
    batch = bring_in(world, *paths)
    return {Path(file.path).name: file for file in selectors.files_of(batch.id)}


@pytest.mark.parametrize(
    ("name", "body", "words"),
    [
        ("empty.jsonl", b"", "It is empty"),
        ("notes.json", b'{"shopping": ["milk"]}', "We looked for Claude Code"),
        ("binary.jsonl", bytes(range(256)) * 8, "We looked for"),
        ("wide.jsonl", "words".encode("utf-16"), "UTF-16"),
        ("cut.json", b'[{"role": "user", "content": "hi"}, {"role": "us', "not a readable JSON document"),
    ],
)
def test_a_file_that_can_not_be_read_is_named_and_the_others_go_on(
    world: World, tmp_path: Path, name: str, body: bytes, words: str
) -> None:
    found = files_after(world, write(tmp_path, name, body), write(tmp_path, "good.jsonl", conversation()))

    assert found[name].state == "failed"
    assert name in found[name].error and words in found[name].error
    assert found["good.jsonl"].state == "done"
    assert len(sessions(world)) == 1


def test_a_file_that_is_gone_is_named(world: World, tmp_path: Path) -> None:
    found = files_after(world, tmp_path / "gone.jsonl", write(tmp_path, "good.jsonl", conversation()))

    assert found["gone.jsonl"].error.startswith(f"{tmp_path}/gone.jsonl: No such file")
    assert found["good.jsonl"].state == "done"


def test_an_import_whose_every_file_failed_has_failed(world: World, tmp_path: Path) -> None:
    batch = bring_in(world, write(tmp_path, "empty.jsonl", b""))

    assert batch.state == "failed"
    assert batch.error.startswith("1 of 1 files")


def test_a_bad_line_is_kept_with_place_reason_field_and_start(world: World, tmp_path: Path) -> None:
    bad = json.dumps({"type": "user", "uuid": 7, "message": {"content": "x"}}).encode()

    batch = bring_in(world, write(tmp_path, "a.jsonl", conversation() + bad + b"\n"))

    line = selectors.quarantine_of(batch.id).lines[0]
    assert (line.line, line.reason, line.field) == (5, "wrong_type", "uuid")
    assert line.detail == "expected a string, found a number"
    assert line.excerpt == bad.decode()
    assert sessions(world)[0].quarantine_count == 1


def test_nul_and_lone_surrogates_are_stored_and_come_back(world: World, tmp_path: Path) -> None:
    body = to_lines(user("a\0b \ud83d c", 1), call("c1"), result("c1", "\0\udfff", 3))

    bring_in(world, write(tmp_path, "a.jsonl", body))

    texts = [payload.get("text") or payload.get("content") for _, _, payload in stored(sessions(world)[0])]
    assert "a\0b \ud83d c" in texts and "\0\udfff" in texts
    assert sessions(world)[0].title == "a\N{REPLACEMENT CHARACTER}b ? c"


@pytest.mark.slow
def test_a_line_of_fifty_megabytes_becomes_an_event_with_an_attachment(world: World, tmp_path: Path) -> None:
    huge = "log line with some words\n" * 2_000_000
    body = to_lines(user("read the log", 1), call("c1"), result("c1", huge, 3))

    found = files_after(world, write(tmp_path, "a.jsonl", body))

    completed = next(payload for _, kind, payload in stored(sessions(world)[0]) if kind == "tool.completed")
    assert found["a.jsonl"].state == "done"
    assert completed["artifact"]["size_bytes"] > 50_000_000
    assert len(completed["content"]) < 256 * 1024


def test_what_the_log_refuses_quarantines_its_line_and_the_rest_goes_on(world: World, tmp_path: Path) -> None:
    too_large = call("c1", number=2, blob="x" * 9_000_000)

    batch = bring_in(world, write(tmp_path, "a.jsonl", to_lines(user("go", 1), too_large, user("on", 3))))

    file, line = selectors.files_of(batch.id)[0], selectors.quarantine_of(batch.id).lines[0]
    assert (file.lines, file.produced, file.quarantined) == (3, 2, 1)
    assert (line.line, line.reason) == (2, "refused_by_log")
    assert [kind for _, kind, _ in stored(sessions(world)[0])].count("user.message") == 2


def test_unknown_records_models_and_missing_results_are_no_fault(world: World, tmp_path: Path) -> None:
    strange = {"type": "quantum", "uuid": "q", "sessionId": "s", "depth": 1e2, "big": 2**70}
    body = to_lines(user("go", 1), call("c1"), strange) + to_lines(call("c1", number=4))

    found = files_after(world, write(tmp_path, "a.jsonl", body))

    assert (found["a.jsonl"].state, found["a.jsonl"].quarantined) == ("done", 0)
    unknown = next(payload for _, kind, payload in stored(sessions(world)[0]) if kind == "import.unknown")
    assert unknown["record"]["big"] == 2**70
