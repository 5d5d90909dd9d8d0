"""Where files contradict each other: shown side by side, recorded on their rows, settled only where a rule settles it."""

from __future__ import annotations

import pytest

from contextapp.engine.builder import build
from contextapp.engine.policy import Policy
from contextapp.engine.reasons import Reason
from contextapp.engine.sources import instructions
from contextapp.engine.sources.source import Source
from contextapp.engine.values import Trust
from tests.engine.builder.worlds import ROOT, CharCounter, Log, inputs_of


def load(log: Log, level: str, text: str, path: str = "") -> None:
    path = path or f"/{level}/AGENTS.md"
    log.add("instructions.loaded", level=level, name=path.rsplit("/", 1)[-1], path=path, text=text)


def collected(log: Log) -> dict[str, Source]:
    return {source.id: source for source in instructions.collect(inputs_of(log.events), Policy())}


def contradicting(weak: str, strong: str) -> Source | None:
    log = Log()
    load(log, "project", weak)
    load(log, "directory", strong, f"{ROOT}/AGENTS.md")
    return collected(log).get(instructions.CONFLICTS)


def test_case_107_both_are_shown_nearest_last_and_the_conflict_is_recorded() -> None:
    log = Log()
    load(log, "project", "- Use tabs for indentation.\n", "/work/AGENTS.md")
    load(log, "directory", "- Indent with two spaces.\n", f"{ROOT}/AGENTS.md")
    log.user("go")

    built = build(inputs_of(log.events), Policy(), CharCounter())

    assert built.request is not None
    parts = [block.text for block in built.request.blocks if block.part == "instructions"]
    assert [text.splitlines()[1] for text in parts[:2]] == ["- Use tabs for indentation.", "- Indent with two spaces."]
    assert parts[2].splitlines()[1:] == [
        "indentation:",
        "- project:/work/AGENTS.md: Use tabs for indentation.",
        f"- directory:{ROOT}/AGENTS.md: Indent with two spaces.",
    ]
    assert built.header["sources"]["instructions"] == ["project:AGENTS.md", "directory:AGENTS.md"]  # type: ignore[index]
    details = {row.title: row.detail for row in built.ledger.included if row.source_kind == "instruction"}
    assert details == {
        "project:AGENTS.md": f"conflict on indentation with directory:{ROOT}/AGENTS.md; "
        f"nearest is directory:{ROOT}/AGENTS.md",
        "directory:AGENTS.md": f"conflict on indentation with project:/work/AGENTS.md; "
        f"nearest is directory:{ROOT}/AGENTS.md",
        "conflicts": "1 conflicts: indentation",
    }


def test_the_same_key_of_front_matter_goes_to_the_stronger_level() -> None:
    log = Log()
    for level, value in (("safety", "block"), ("global", "allow"), ("session", "ask")):
        load(log, level, f"---\ndefault_action: {value}\nname: {level}\n---\n{level}\n")

    found = collected(log)

    block = found[instructions.CONFLICTS]
    assert block.form.text.splitlines()[1:] == [
        "default_action:",
        "- global:/global/AGENTS.md: allow",
        "- session:/session/AGENTS.md: ask",
        "- safety:/safety/AGENTS.md: block",
    ]
    assert (block.reason, block.trust, block.pinned) == (Reason.INSTRUCTION_CONFLICT, Trust.TRUSTED, True)
    assert "settled for safety:/safety/AGENTS.md" in found["instruction:global:/global/AGENTS.md"].form.detail


@pytest.mark.parametrize(
    ("weak", "strong", "topic"),
    [
        ("Never commit generated files.", "Always commit generated files", "“commit generated files”"),
        ("不要提交生成的文件。", "必须提交生成的文件", "“提交生成的文件”"),
        ("- Use npm.", "- Use pnpm.", "package manager"),
        ("- Line length: 100", "- **Line length**: 120", "line length"),
        ("一律使用制表符缩进", "使用空格缩进", "indentation"),
    ],
)
def test_contradictions_that_a_rule_can_tell(weak: str, strong: str, topic: str) -> None:
    found = contradicting(weak, strong)

    assert found is not None
    assert found.form.text.splitlines()[1] == f"{topic}:"


@pytest.mark.parametrize(
    ("weak", "strong"),
    [
        ("- Use tabs.", "- Use tabs, always."),
        ("- Use tabs.", "- Do not use spaces in file names."),
        ("- Use tabs.", "```\nUse spaces\n```"),
        ("- Use tabs in Go.\n- Use spaces in Python.", "- Use spaces."),
        ("- Note: see below", "- Note: see above"),
        ("---\nforbidden_commands: [a]\n---\n", "---\nforbidden_commands: [b]\n---\n"),
        ("---\ndescription: rules of the shop\n---\n", "---\ndescription: rules of the cart\n---\n"),
        ("---\nindent: 2\n---\n", "---\nindent: '2'\n---\n"),
    ],
)
def test_what_does_not_contradict_is_not_said_to(weak: str, strong: str) -> None:
    assert contradicting(weak, strong) is None


def test_a_readme_and_a_file_that_is_not_in_force_contradict_nobody() -> None:
    log = Log()
    load(log, "project", "- Use tabs.")
    load(log, "project", "- Use spaces.", "/project/README.md")
    load(log, "directory", "- Use spaces.\n- here", "/elsewhere/AGENTS.md")

    assert instructions.CONFLICTS not in collected(log)


def test_many_conflicts_are_counted_and_the_first_ones_shown() -> None:
    keys = [f"key_{number}" for number in range(30)]

    found = contradicting(*("\n".join(["---", *(f"{key}: {value}" for key in keys), "---"]) for value in "ab"))

    assert found is not None
    assert found.form.text.endswith("\nand 10 more")
    assert found.form.detail.startswith("30 conflicts: key_0, ")


@pytest.mark.parametrize(
    ("weak", "strong", "topic"),
    [
        ("- Never push.", "- Push after every commit.", "whether to push"),
        ("- Don't push your changes.", "- Always push the branch when the tests pass.", "whether to push"),
        ("- Do not commit.", "- Commit often.", "whether to commit"),
        ("- 不要推送。", "- 每次提交之后都推送。", "whether to push"),
        ("- 禁止自动提交", "- 完成后立即提交代码", "whether to commit"),
        ("- Use pnpm.", "- Use npm to install packages.", "package manager"),
        ("- Always answer in English.", "- Reply in Chinese.", "language of answers"),
        ("- 使用中文回答。", "- Respond in English.", "language of answers"),
    ],
)
def test_free_wording_that_excludes_each_other_is_shown_side_by_side(weak: str, strong: str, topic: str) -> None:
    found = contradicting(f"{weak}\n", f"{strong}\n")

    assert found is not None
    assert found.form.text.splitlines()[1] == f"{topic}:"
    assert found.form.text.splitlines()[2].endswith(weak[2:])
    assert found.form.text.splitlines()[3].endswith(strong[2:])


@pytest.mark.parametrize(
    ("weak", "strong"),
    [
        ("- Never push to main.", "- Push after every commit."),
        ("- Never push without asking.", "- Push after every commit."),
        ("- Do not commit secrets.", "- Commit often."),
        ("- Never push.", "- Push notifications are sent by the worker."),
        ("- Never push.", "- Push only if you are asked to."),
        ("- 不要推送到主分支。", "- 每次提交之后都推送。"),
        ("- Never merge.", "- Merge conflicts are settled by hand."),
        ("- Don't deploy on Fridays.", "- Deploy when the tests pass."),
        ("- Use pnpm instead of npm.", "- Use npm."),
        ("- Write comments in English.", "- Write user documents in Chinese and English."),
    ],
)
def test_what_is_qualified_or_speaks_of_something_else_is_no_conflict(weak: str, strong: str) -> None:
    assert contradicting(f"{weak}\n", f"{strong}\n") is None
