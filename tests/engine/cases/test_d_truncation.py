"""Cases D: cuts that split nothing, say how much is missing, keep the verdict and always save something."""

from __future__ import annotations

import json
import re

import pytest
import regex

from contextapp.engine.observations import reduce, reference
from contextapp.engine.observations.text import head, tail
from contextapp.engine.policy import Limits, Policy
from contextapp.engine.projection.fold import project
from contextapp.engine.request import openai
from tests.engine.builder.worlds import Log
from tests.engine.cases.scenes import built, compact, messages, row_of, rows_for

FAMILY, FLAG, ACCENTED, KOREAN = "👨‍👩‍👧‍👦", "🇩🇪", "e\u0301", "\u1112\u1161\u11ab"
TOOLS = {
    "bash": {"command": "make"},
    "run_tests": {},
    "read_file": {"path": "a.py"},
    "grep": {"pattern": "x"},
    "ls": {"path": "."},
    "webfetch": {"url": "https://example.org"},
    "mcp__fs__fetch": {},
}
SMALL = Limits(result_chars=600, old_result_chars=300)


@pytest.mark.parametrize("piece", [FAMILY, FLAG, ACCENTED, KOREAN, "😀", "字"])
@pytest.mark.parametrize("limit", range(292, 304))
def test_d56_no_cut_splits_what_a_reader_sees_as_one(piece: str, limit: int) -> None:
    text = "x" * 3 + piece * 200 + "y" * 3

    whole = set(regex.findall(r"\X", text))
    for part in (head(text, limit), tail(text, limit)):
        assert len(part) <= limit
        assert set(regex.findall(r"\X", part)) <= whole


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("piece", [FAMILY, "😀", FLAG])
def test_d56_no_reduction_leaves_half_a_character_in_the_request(tool: str, piece: str) -> None:
    content = "a" + (piece * 60 + "\n") * 40
    made = reduce(tool, TOOLS[tool], content, is_error=False, limits=SMALL)

    for text in (made.text, reference(made, limits=SMALL).text):
        shown = set(regex.findall(r"\X", "".join(regex.findall(rf"[{piece}]+", text))))
        assert shown <= {piece}
        assert text.encode().decode() == text


def test_d56_the_previews_of_state_and_clipped_arguments_hold_no_half_either() -> None:
    log = Log()
    log.user("x" + "😀" * 4_000)
    log.add("constraint.added", id="k", text="Never " + "😀" * 2_000)
    log.add("plan.updated", items=[{"text": "p" + FAMILY * 500, "status": "open"}])
    for number in range(40):
        log.call("write_file", "ok", path=f"{number}.txt", text="z" + FAMILY * 600)
    log.user("go on")

    made = built(log, window=20_000)

    assert made.request is not None
    json.dumps(openai.render(made.request), ensure_ascii=False).encode()
    json.dumps(project(log.events).to_dict(), ensure_ascii=False).encode()
    for block in made.request.blocks:
        for _, _, arguments in block.calls:
            assert "\ufffd" not in arguments and json.loads(arguments)


@pytest.mark.parametrize("letter", ["é", "字", "😀", "ж"])
def test_d57_a_long_instruction_file_ends_in_whole_characters_with_what_is_missing(letter: str) -> None:
    log = Log()
    log.add("instructions.loaded", level="project", name="AGENTS.md", path="/work/shop/AGENTS.md", text=letter * 40_000)
    log.user("go")

    made = built(log, window=200_000)

    row = next(row for row in made.ledger.rows if row.source_kind == "instruction")
    content = messages(made)[0]["content"]
    assert (row.action, row.reason) == ("truncate", "instruction_file_limit")
    assert re.search(r"[\d,]+ of 40,000 characters shown", content)
    assert "\ufffd" not in content


def _test_output(failures: int, noise: int) -> str:
    lines = [f"tests/test_{number}.py::test_ok PASSED [{number}%]" for number in range(noise)]
    lines += [f"FAILED tests/test_{number}.py::test_sum - assert {number} == 0" for number in range(1, failures + 1)]
    return "\n".join([*lines, f"====== {failures} failed, {noise} passed in 3.21s ======"])


@pytest.mark.parametrize("tool", ["bash", "run_tests"])
@pytest.mark.parametrize("noise", [400, 4_000])
def test_d59_the_end_of_a_test_run_with_its_verdict_stays(tool: str, noise: int) -> None:
    content = _test_output(3, noise)

    made = reduce(tool, {"command": "pytest"}, content, is_error=True, limits=Limits(result_chars=6_000))

    assert f"3 failed, {noise} passed" in made.text
    assert all(f"FAILED tests/test_{number}.py" in made.text for number in (1, 2, 3))
    assert "3 failed" in made.summary
    shown = made.text.splitlines()
    gap = next(place for place, line in enumerate(shown) if "omitted" in line)
    assert sum(map(len, shown[gap:])) > 2 * sum(map(len, shown[:gap]))


@pytest.mark.parametrize("is_verdict_first", [True, False])
def test_d59_a_verdict_in_the_middle_of_the_noise_stays(is_verdict_first: bool) -> None:
    noise = [f"compiling module {number} of many, nothing to see here" for number in range(600)]
    place = 30 if is_verdict_first else 420
    content = "\n".join([*noise[:place], "error: expected `;` at src/lib.rs:12", *noise[place:]])

    made = reduce("bash", {"command": "cargo build"}, content, is_error=True, limits=Limits(result_chars=6_000))

    assert "expected `;` at src/lib.rs:12" in made.text


def test_d59_failures_among_passing_tests_are_told_and_not_crowded_out() -> None:
    lines = [f"tests/test_{number}.py::test_ok PASSED" for number in range(900)]
    lines[430:430] = ["tests/test_cart.py::test_sum FAILED", "tests/test_tax.py::test_rate FAILED"]

    made = reduce("bash", {"command": "pytest -v"}, "\n".join(lines), is_error=True, limits=Limits(result_chars=6_000))

    assert "test_cart.py::test_sum FAILED" in made.text and "test_tax.py::test_rate FAILED" in made.text


def test_d60_what_a_cut_leaves_out_is_counted() -> None:
    content = "\n".join(f"{number}) test_case_{number} failed: " + "detail " * 60 for number in range(1, 35))

    made = reduce("bash", {"command": "npm test"}, content, is_error=True, limits=Limits(result_chars=4_000))

    gaps = [int(found.replace(",", "")) for found in re.findall(r"… ([\d,]+) lines omitted", made.text)]
    assert sum(gaps) == made.total - made.shown > 0
    assert f"[{made.shown} of {made.total} lines shown" in made.text


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("artifact", ["", "event 131"])
def test_d63_a_marker_says_shown_total_and_what_to_do(tool: str, artifact: str) -> None:
    content = "\n".join(f"src/{number}.py:{number}: match number {number}" for number in range(3_000))

    made = reduce(tool, TOOLS[tool], content, is_error=False, limits=Limits(), artifact=artifact)

    marker = re.search(r"\[([\d,]+) of ([\d,]+) (\w+) shown.*?; (.+)\]", made.text)
    assert marker is not None
    shown, total = (int(group.replace(",", "")) for group in marker.groups()[:2])
    assert (shown, total, marker[3]) == (made.shown, made.total, made.unit)
    assert 0 < shown < total
    assert marker[4] == (f"all: {artifact}" if artifact else "narrow the call to see more")


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("size", [1, 120, 599, 601, 640, 700, 1_500, 20_000])
def test_d65_a_form_that_saves_nothing_is_not_taken(tool: str, size: int) -> None:
    for content in ("x" * size, "ab\n" * (size // 3), "日" * size):
        made = reduce(tool, TOOLS[tool], content, is_error=False, limits=SMALL, artifact="event 7")
        shorter = reference(made, limits=SMALL, artifact="event 7")

        assert len(made.text) <= len(content)
        assert (made.text == content) == (made.reason is None)
        assert shorter is made or len(shorter.text) < len(made.text)


@pytest.mark.parametrize("window", [12_000, 30_000, 60_000])
def test_d65_in_a_request_every_shortened_row_has_saved_tokens(window: int) -> None:
    log = Log()
    log.user("go")
    for number in range(120):
        log.call("bash", "word " * (300 + number * 13 % 400), command="echo " + "w" * (number * 17 % 900))

    rows = built(log, window=window).ledger.included

    shortened = [row for row in rows if row.action in ("truncate", "reference")]
    assert shortened
    assert all(row.after_tokens < row.before_tokens for row in shortened)


def test_d65_a_compaction_never_brings_back_the_text_it_covered() -> None:
    log = Log()
    log.user("go")
    log.call("bash", "the whole text " * 500, command="x")
    compact(log, 3, "Ran x.")

    made = built(log)

    assert "the whole text" not in str(messages(made))
    assert "summarized" in {row.reason for row in rows_for(made, 3)}


@pytest.mark.parametrize(
    ("tool", "reason"),
    [
        ("bash", "command_excerpt"),
        ("read_file", "file_read_excerpt"),
        ("grep", "search_excerpt"),
        ("ls", "list_excerpt"),
        ("webfetch", "tool_result_limit"),
        ("mcp__fs__fetch", "tool_result_limit"),
        ("mcp__fs__read_file", "file_read_excerpt"),
    ],
)
def test_d66_the_rule_that_cut_a_result_is_named_in_its_row(tool: str, reason: str) -> None:
    log = Log()
    log.user("go")
    arguments = {"command": "make"} if tool == "bash" else {}
    log.call(tool, "\n".join(f"line {number} of the output" for number in range(2_000)), **arguments)

    row = row_of(built(log, Policy(limits=Limits(result_chars=8_000))), "event:3")

    assert (row.action, row.mode, row.reason) == ("truncate", "excerpt", reason)
    assert re.search(r"\d+ of \d+ \w+ shown", row.detail)
