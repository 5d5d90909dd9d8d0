"""From the disk to the ledger: every file that was found has its row, and what could not be read says why."""

from __future__ import annotations

from pathlib import Path

from contextapp.client.discovery import discover_instructions
from contextapp.engine.builder import build
from contextapp.engine.policy import Policy
from tests.engine.builder.worlds import CharCounter, Log, inputs_of


def test_each_file_that_was_found_is_a_row_of_the_build(tmp_path: Path) -> None:
    (tmp_path / "web").mkdir()
    (tmp_path / "AGENTS.override.md").symlink_to("/etc/passwd")
    (tmp_path / "AGENTS.md").write_bytes(b"\xef\xbb\xbf---\r\nforbidden_commands: [rm -rf]\r\n---\r\n- Use tabs.\r\n")
    (tmp_path / "CLAUDE.md").write_text("See AGENTS.md")
    (tmp_path / "README.md").write_bytes(b"The shop \xff")
    (tmp_path / "web" / "AGENTS.md").write_text("- Use spaces.")
    (tmp_path / "web" / "CLAUDE.md").symlink_to(tmp_path / "AGENTS.md")
    log = Log()
    log.add("session.created", cwd=str(tmp_path / "web"))
    for payload in discover_instructions(tmp_path, tmp_path / "web"):
        log.add("instructions.loaded", **payload)
    log.user("go")

    ledger = build(inputs_of(log.events), Policy(), CharCounter()).ledger

    rows = {
        row.source_id.replace(str(tmp_path), ""): (row.is_included, row.reason, row.trust)
        for row in ledger.rows
        if row.source_kind in ("instruction", "constraint")
    }
    assert rows == {
        "instruction:project:/README.md": (True, "invalid_utf8", "fact"),
        "instruction:project:/CLAUDE.md": (False, "pointer_file", "trusted"),
        "instruction:project:/AGENTS.md": (True, "instruction", "trusted"),
        "instruction:project:/AGENTS.override.md": (False, "outside_root", "trusted"),
        "instruction:directory:/web/CLAUDE.md": (False, "duplicate", "trusted"),
        "instruction:directory:/web/AGENTS.md": (True, "instruction", "trusted"),
        "instruction:conflicts": (True, "instruction_conflict", "trusted"),
        "constraint:instr:3.1": (True, "constraint", "trusted"),
    }
