from __future__ import annotations

import pytest

from contextapp.client.instruction_files import WARNINGS as client_warnings
from contextapp.engine.policy import Policy
from contextapp.engine.projection.state import MAX_INDEXED
from contextapp.engine.reasons import Reason
from contextapp.engine.sources import instructions, state
from contextapp.engine.sources.instructions.gates import WARNINGS
from contextapp.engine.sources.source import Source
from contextapp.engine.values import Trust
from tests.engine.builder.worlds import ROOT, Log, inputs_of


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


def test_denied_paths_and_empty_files_are_refused_with_their_reasons() -> None:
    log = Log()
    load(log, "project", "secret", path="/w/private/AGENTS.md")
    log.add("instructions.loaded", level="global", name="CLAUDE.md", path="/g/CLAUDE.md", text="x")

    found = collected(log, Policy(deny_paths=("*/private/*",)))

    assert [source.refusal for source in found] == [None, None, Reason.NOT_PERMITTED]


def test_nothing_with_level_safety_is_background_and_no_file_takes_its_place() -> None:
    log = Log()
    load(log, "safety", "never", name="README.md", path="/w/AGENTS.md")
    load(log, "project", "---\nlevel: safety\n---\nalways", path="/w/AGENTS.md")
    log.add("instructions.loaded", level="project", name="AGENTS.md", path="/w/AGENTS.md", text="")

    found = collected(log)

    assert [(source.kind, source.trust, source.refusal) for source in found[1:]] == [("safety", Trust.TRUSTED, None)]


def test_of_one_folder_the_override_stands_nearest_and_of_two_folders_the_inner_one() -> None:
    log = Log()
    for path in ("a/b/AGENTS.md", "a/AGENTS.override.md", "a/CLAUDE.md", "a/AGENTS.md", "a/README.md"):
        load(log, "directory", path, path=f"{ROOT}/{path}", name=path.rsplit("/", 1)[-1])

    found = collected(log)[1:]

    assert [source.whole for source in found] == [
        "a/README.md", "a/CLAUDE.md", "a/AGENTS.md", "a/AGENTS.override.md", "a/b/AGENTS.md",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("cwd", "changed", "reason"),
    [
        ("", "", Reason.NOT_RELEVANT),
        (ROOT, "api/views.py", Reason.NOT_RELEVANT),
        (ROOT, "website/app.ts", Reason.NOT_RELEVANT),
        (ROOT, "web/app.ts", None),
        (ROOT, f"{ROOT}/web/src/app.ts", None),
        (f"{ROOT}/api", "../web/app.ts", None),
        (f"{ROOT}/web", "", None),
        (f"{ROOT}/web/src", "", None),
    ],
)
def test_a_directorys_file_applies_where_the_work_is(cwd: str, changed: str, reason: Reason | None) -> None:
    log = Log()
    log.add("session.created", cwd=cwd)
    load(log, "directory", "- Never use px.", path=f"{ROOT}/web/AGENTS.md")
    if changed:
        log.add("file.changed", path=changed)

    inputs = inputs_of(log.events)

    assert instructions.collect(inputs, Policy())[1].refusal == reason
    rules = [source for source in state.collect(inputs, Policy()) if source.kind == "constraint"]
    assert [(rule.title, rule.refusal) for rule in rules] == [("Never use px.", reason)]


def test_a_file_that_was_only_read_brings_no_directory_into_force() -> None:
    log = Log()
    load(log, "directory", "x", path=f"{ROOT}/web/AGENTS.md")
    log.call("Read", "text", file_path=f"{ROOT}/web/app.ts")

    assert collected(log)[1].refusal == Reason.NOT_RELEVANT


def test_the_scope_of_a_payload_goes_before_the_folder_of_its_path() -> None:
    log = Log()
    log.add("instructions.loaded", level="directory", path=f"{ROOT}/docs/web.md", scope=f"{ROOT}/web", text="x")
    log.add("file.changed", path="web/app.ts")

    assert collected(log)[1].refusal is None


def test_the_rule_of_a_file_that_is_not_in_force_stays_where_another_file_says_it() -> None:
    log = Log()
    load(log, "project", "- Never push.", path=f"{ROOT}/AGENTS.md")
    load(log, "directory", "- never push.\n- More", path=f"{ROOT}/web/AGENTS.md")

    inputs = inputs_of(log.events)
    before = {source.id: source.refusal for source in state.collect(inputs, Policy())}
    log.add("file.changed", path="web/a.ts")
    after = {source.id: source.refusal for source in state.collect(inputs_of(log.events), Policy())}

    assert before == {"constraint:instr:1.1": None, "constraint:instr:2.1": Reason.NOT_RELEVANT}
    assert after["constraint:instr:2.1"] == Reason.DUPLICATE


@pytest.mark.parametrize(("warning", "reason"), sorted(WARNINGS.items()))
def test_each_warning_of_a_reader_is_a_row_with_its_reason(warning: str, reason: Reason) -> None:
    log = Log()
    log.add("instructions.loaded", level="project", path="/w/AGENTS.md", name="AGENTS.md", text="", warning=warning)

    found = collected(log)[1]

    assert (found.refusal, found.form.detail) == (reason, f"warning: {warning}")
    assert WARNINGS.keys() == client_warnings


def test_case_100_a_repaired_text_enters_and_its_row_says_so() -> None:
    log = Log()
    log.add("instructions.loaded", level="project", path="/w/AGENTS.md", text="- Never \ufffd", warning="invalid_utf8")

    found = collected(log)[1]

    assert (found.refusal, found.form.reason, found.form.detail) == (None, Reason.INVALID_UTF8, "warning: invalid_utf8")
    assert "Never \ufffd" in found.form.text


def test_case_101_front_matter_behind_a_byte_order_mark_binds_and_what_breaks_is_said() -> None:
    log = Log()
    load(log, "project", "\ufeff---\r\nforbidden_commands:\r\n  - rm -rf /\r\n---\r\nx")
    load(log, "global", "---\na: 1\na: 2\n---\n- Never push.\n")

    inputs = inputs_of(log.events)

    assert [item.text for item in inputs.state.constraints] == ["Do not run: rm -rf /", "Never push."]
    assert "\ufeff" not in collected(log)[2].form.text
    assert "front matter passed on unread: front matter line 3 gives 'a' again" in collected(log)[1].form.detail


def test_case_102_the_same_file_read_at_two_times_counts_as_it_was_read_last() -> None:
    log = Log()
    for path, text in (("/w/AGENTS.md", "old"), ("/tree/AGENTS.md", "new"), ("/copy/AGENTS.md", "new")):
        log.add("instructions.loaded", level="project", path=path, real_path="/w/AGENTS.md", text=text)

    found = {source.id: (source.refusal, source.displaced_by) for source in collected(log)[1:]}

    assert found == {
        "instruction:project:/w/AGENTS.md": (Reason.SUPERSEDED, "instruction:project:/copy/AGENTS.md"),
        "instruction:project:/tree/AGENTS.md": (Reason.DUPLICATE, "instruction:project:/copy/AGENTS.md"),
        "instruction:project:/copy/AGENTS.md": (None, ""),
    }


def test_a_duplicate_of_a_file_that_is_not_in_force_enters() -> None:
    log = Log()
    load(log, "project", "same", path=f"{ROOT}/AGENTS.md")
    load(log, "directory", "same", path=f"{ROOT}/web/AGENTS.md")

    assert [source.refusal for source in collected(log)[1:]] == [None, Reason.NOT_RELEVANT]


def test_a_denied_file_leaves_its_rules_out_too() -> None:
    log = Log()
    log.add("instructions.loaded", level="project", path="/w/A.md", real_path="/w/private/A.md", text="- Never tell.")

    inputs, policy = inputs_of(log.events), Policy(deny_paths=("*/private/*",))

    assert instructions.collect(inputs, policy)[1].refusal == Reason.NOT_PERMITTED
    assert [source.refusal for source in state.collect(inputs, policy)] == [Reason.NOT_PERMITTED]


def test_more_files_than_a_state_names_lose_the_weakest_and_say_so() -> None:
    log = Log()
    load(log, "safety", "- Never push.")
    load(log, "global", "- Never shout.")
    for number in range(MAX_INDEXED):
        load(log, "directory", f"text {number}", path=f"{ROOT}/{number}.md")

    found = {source.id: source for source in collected(log)}
    rules = inputs_of(log.events).state.constraints

    assert found["instruction:lost"].refusal == Reason.OVER_MAXIMUM
    assert found["instruction:lost"].form.detail.startswith("2 files")
    assert "instruction:safety:/safety/AGENTS.md" in found
    assert [rule.text for rule in rules] == ["Never push."]


def test_an_empty_safety_text_is_a_row_and_no_block() -> None:
    found = collected(Log(), Policy(safety_text=" "))

    assert [source.refusal for source in found] == [Reason.EMPTY]
