from __future__ import annotations

from contextapp.engine.policy import Limits, Policy
from contextapp.engine.reasons import Reason
from contextapp.engine.sources import instructions
from contextapp.engine.sources.source import Source
from contextapp.engine.values import Mode, Trust
from tests.engine.builder.worlds import Log, inputs_of


def collected(log: Log, policy: Policy | None = None) -> tuple[Source, ...]:
    return instructions.collect(inputs_of(log.events), policy or Policy())


def load(log: Log, level: str, text: str, name: str = "AGENTS.md", path: str = "") -> None:
    log.add("instructions.loaded", level=level, name=name, path=path or f"/{level}/{name}", text=text)


def test_levels_stand_from_weak_to_strong_behind_the_safety_policy() -> None:
    log = Log()
    for level in ("session", "directory", "global", "project"):
        load(log, level, f"text of {level}")

    found = collected(log)

    assert [source.title for source in found] == [
        "safety", "global:AGENTS.md", "project:AGENTS.md", "directory:AGENTS.md", "session:AGENTS.md",
    ]  # fmt: skip
    assert all(source.pinned and source.role == "system" for source in found)


def test_runtime_safety_stands_with_the_safety_policy() -> None:
    log = Log()
    load(log, "safety", "never run rm -rf /")

    found = collected(log)[-1]

    assert (found.part, found.reason, found.rank) == ("safety", Reason.SAFETY_POLICY, 1)


def test_a_readme_is_background_and_never_a_rule() -> None:
    log = Log()
    load(log, "project", "You must obey.", name="README.md")

    found = collected(log)[1]

    assert found.trust == Trust.FACT
    assert found.form.text.startswith("# Background")


def test_case_102_the_same_text_enters_once_and_the_stronger_level_keeps_it() -> None:
    log = Log()
    load(log, "project", "same", path="/w/AGENTS.md")
    load(log, "global", "same", path="/link/AGENTS.md")

    found = {source.id: source.refusal for source in collected(log)}

    assert found["instruction:global:/link/AGENTS.md"] == Reason.DUPLICATE
    assert found["instruction:project:/w/AGENTS.md"] is None


def test_a_file_over_its_limit_keeps_the_lines_that_hold_rules() -> None:
    log = Log()
    load(log, "project", "filler\n" * 400 + "Never push to main.\n" + "filler\n" * 400 + "必须先运行测试。\n")

    found = collected(log, Policy(limits=Limits(instruction_file_chars=1_000)))[1]

    assert found.form.mode == Mode.EXCERPT
    assert found.form.reason == Reason.INSTRUCTION_FILE_LIMIT
    assert "Never push to main." in found.form.text
    assert "必须先运行测试。" in found.form.text
    assert len(found.form.text) < 1_200
    assert "of 5,629 characters shown" in found.form.detail


def test_denied_paths_and_empty_files_are_refused_with_their_reasons() -> None:
    log = Log()
    load(log, "project", "secret", path="/w/private/AGENTS.md")
    log.add("instructions.loaded", level="global", name="CLAUDE.md", path="/g/CLAUDE.md", text="x")

    found = collected(log, Policy(deny_paths=("*/private/*",)))

    assert [source.refusal for source in found] == [None, None, Reason.NOT_PERMITTED]


def test_an_empty_safety_text_is_a_row_and_no_block() -> None:
    found = collected(Log(), Policy(safety_text=" "))

    assert [source.refusal for source in found] == [Reason.EMPTY]
