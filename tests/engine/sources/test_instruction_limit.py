"""The one cut an instruction file gets, and what becomes of files that are large all together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextapp.engine.builder import build
from contextapp.engine.policy import Limits, Policy
from contextapp.engine.reasons import Reason
from contextapp.engine.sources import instructions
from contextapp.engine.sources.instructions.shortened import GAP, shortened
from contextapp.engine.sources.source import Source
from contextapp.engine.values import Action, Mode, Verdict
from tests.engine.builder.worlds import ROOT, CharCounter, Log, inputs_of

RULES = (
    "Never push to main.",
    "Ask me first before a release.",
    "You must run the tests.",
    "必须先运行测试。",
    "不要改数据库。",
)
LINES = st.sampled_from(
    [*RULES, "filler", "", "x" * 700, "A sentence. Never touch it! " * 40, "👩‍👩‍👧" * 9, "only a hint"]
)


def load(log: Log, text: str, level: str = "project", path: str = f"{ROOT}/AGENTS.md") -> None:
    log.add("instructions.loaded", level=level, name="AGENTS.md", path=path, text=text)


def collected(text: str, limit: int) -> Source:
    log = Log()
    load(log, text)
    return instructions.collect(inputs_of(log.events), Policy(limits=Limits(instruction_file_chars=limit)))[1]


def test_a_file_over_its_limit_keeps_its_rules_and_its_order_and_says_what_is_gone() -> None:
    text = "filler\n" * 400 + "Never push to main.\n" + "filler\n" * 400 + "必须先运行测试。\n"

    found = collected(text, 1_000)

    assert (found.form.mode, found.form.action) == (Mode.EXCERPT, Action.TRUNCATE)
    assert found.form.reason == Reason.INSTRUCTION_FILE_LIMIT
    assert found.form.text.count("filler\n") > 130
    assert found.form.text.split(GAP)[1:] == [
        "Never push to main.\n",
        f"必须先运行测试。\n[{found.form.detail}]",
    ]
    assert found.form.detail.endswith("of 5,629 characters shown; lines with rules were kept")


def test_a_file_at_its_limit_is_whole() -> None:
    assert collected("x" * 1_000, 1_000).form.mode == Mode.FULL
    assert collected("x" * 1_001, 1_000).form.mode == Mode.EXCERPT


def test_rules_go_before_what_only_sounds_like_one_and_that_before_the_rest() -> None:
    text = "the only reader\n" * 20 + "plain\n" * 20 + "Never push.\n" * 5

    found = shortened(text, 150).text

    assert found.count("Never push.") == 5
    assert found.count("the only reader") == 3
    assert "plain" not in found


def test_a_rule_inside_a_very_long_line_is_kept_without_the_line() -> None:
    found = shortened("word " * 3_000 + ". Never push to main. " + "word " * 3_000, 500).text

    assert "Never push to main. " in found
    assert len(found) <= 500


@pytest.mark.parametrize("line", ["you must read " * 1_000, "Never push " + "and again " * 150])
def test_a_single_endless_line_shows_its_start(line: str) -> None:
    found = shortened(line, 300)

    assert line.startswith(found.text)
    assert len(found.text) > 250


def test_rules_that_do_not_fit_raise_an_alarm() -> None:
    found = collected("Never push to main.\n" * 100, 500)

    assert "alarm: " in found.form.detail
    assert " lines with rules did not fit" in found.form.detail


def test_constraints_come_out_of_the_whole_text_before_the_cut() -> None:
    log = Log()
    load(log, "filler\n" * 5_000 + "- Never push to main.\n")

    assert [item.text for item in inputs_of(log.events).state.constraints] == ["Never push to main."]


@given(st.lists(LINES, max_size=60), st.integers(0, 3_000))
def test_no_cut_is_longer_than_its_limit_and_every_piece_is_the_files(lines: list[str], limit: int) -> None:
    text = "\n".join(lines)

    found = shortened(text, limit)

    assert len(found.text) <= limit
    assert found.shown_chars <= len(text)
    place = 0
    for piece in filter(None, found.text.split(GAP.strip())):
        place = text.index(piece.strip("\n"), place)


def test_over_the_buckets_share_files_are_whole_and_the_borrowed_row_raises_an_alarm() -> None:
    log = Log()
    load(log, "rule " * 1_400)
    load(log, "more " * 200, "global", "/home/AGENTS.md")
    log.user("go")

    built = build(inputs_of(log.events, window=8_000), Policy(), CharCounter())

    (row,) = [row for row in built.ledger.rows if row.source_kind == "borrowed"]
    files = [row for row in built.ledger.included if row.source_kind == "instruction"]
    assert built.verdict == Verdict.OK
    assert [file.mode for file in files] == ["full", "full"]
    assert row.reason == Reason.BORROWED
    assert row.detail == (
        f"alarm: {row.before_tokens} tokens beyond the share of 640 are taken from the transcript's; "
        f"the largest is instruction:project:{ROOT}/AGENTS.md with {files[1].after_tokens}"
    )


@pytest.mark.parametrize("size", [900, 3_000])
def test_case_98_the_nearest_file_is_whole_or_the_build_says_which_files_are_too_large(size: int) -> None:
    log = Log()
    load(log, "root " * size)
    load(log, "near " * 500, "directory", f"{ROOT}/web/AGENTS.md")
    log.add("file.changed", path="web/a.ts")
    log.user("go")

    built = build(inputs_of(log.events, window=8_000), Policy(), CharCounter())

    if built.overflow:
        assert built.overflow.sources == (
            f"instruction:project:{ROOT}/AGENTS.md",
            f"instruction:directory:{ROOT}/web/AGENTS.md",
        )
    else:
        assert built.request is not None
        assert any("near " * 500 in block.text for block in built.request.blocks)
    assert (built.verdict == Verdict.OVERFLOW) == (size == 3_000)
