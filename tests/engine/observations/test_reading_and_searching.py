"""How file reads, searches and listings are reduced."""

from __future__ import annotations

from contextapp.engine.observations import reduce
from contextapp.engine.policy import Limits
from contextapp.engine.reasons import Reason

LIMITS = Limits()


def test_a_file_of_up_to_500_lines_passes_byte_for_byte() -> None:
    content = "\n".join(f"{n}→x" for n in range(1, 501)) + "\n"

    made = reduce("Read", {"file_path": "a.py"}, content, is_error=False, limits=LIMITS)

    assert (made.text, made.reason, made.shown, made.total) == (content, None, 500, 500)
    assert made.summary == "Read a.py: 500 lines"


def test_a_long_file_shows_head_and_tail_and_names_the_omitted_lines() -> None:
    content = "\n".join(f"line {n}" for n in range(1, 1241))

    made = reduce("Read", {"file_path": "a.py"}, content, is_error=False, limits=LIMITS, artifact="artifact 9f2c…")

    lines = made.text.splitlines()
    assert (lines[0], lines[299], lines[300], lines[301], lines[-2]) == (
        "line 1", "line 300", "[… lines 301-1,040 omitted …]", "line 1041", "line 1240",
    )  # fmt: skip
    assert lines[-1] == "[500 of 1,240 lines shown; all: artifact 9f2c…]"
    assert (made.reason, made.shown, made.total, made.unit) == (Reason.FILE_READ_EXCERPT, 500, 1240, "lines")


def test_the_omitted_range_is_in_the_files_own_numbers() -> None:
    content = "\n".join(f"{n:>6}\tcode" for n in range(200, 900))

    made = reduce("Read", {}, content, is_error=False, limits=LIMITS)

    assert "[… lines 500-699 omitted …]" in made.text


def test_long_lines_shrink_the_number_of_lines_not_the_limit() -> None:
    content = "\n".join("x" * 300 for _ in range(600))

    made = reduce("Read", {}, content, is_error=False, limits=LIMITS)

    assert len(made.text) <= LIMITS.result_chars
    assert made.shown < 60
    assert f"[{made.shown} of 600 lines shown" in made.text


def test_one_endless_line_is_cut_by_characters() -> None:
    made = reduce("Read", {}, "x" * 100_000, is_error=False, limits=LIMITS)

    assert len(made.text) <= LIMITS.result_chars
    assert "1 lines shown" in made.text or "characters shown" in made.text


def test_chinese_is_held_to_the_token_limit_too() -> None:
    made = reduce("Read", {}, "\n".join("数据" * 20 for _ in range(400)), is_error=False, limits=LIMITS)

    assert made.reason == Reason.FILE_READ_EXCERPT
    assert len(made.text) < 14_000


def test_twenty_matches_pass_and_more_are_grouped_by_file_with_the_total() -> None:
    few = "\n".join(f"a.py:{n}:hit" for n in range(20))
    many = "\n".join(f"{file}.py:{n}:  hit {n}" for file in "abcd" for n in range(15))

    passed = reduce("Grep", {"pattern": "hit"}, few, is_error=False, limits=LIMITS)
    made = reduce("Grep", {"pattern": "hit"}, many, is_error=False, limits=LIMITS, artifact="event 7")

    assert (passed.text, passed.reason) == (few, None)
    lines = made.text.splitlines()
    assert lines[0] == "a.py"
    assert lines[1] == "  0: hit 0"
    assert lines[16] == "b.py"
    assert lines[-1] == "[20 of 60 matches shown, in 2 of 4 files; all: event 7]"
    assert made.summary == "Grep hit: 60 matches in 4 files"
    assert (made.reason, made.shown, made.total) == (Reason.SEARCH_EXCERPT, 20, 60)


def test_windows_paths_context_lines_and_headings_are_understood() -> None:
    windows = "\n".join(f"C:\\a.py:{n}:hit" for n in range(30))
    headed = "\n".join(["a.py", *(f"{n}:hit number {n}" for n in range(30))])
    names = "\n".join(f"src/{n}.py" for n in range(30))

    assert "C:\\a.py\n  0: hit" in reduce("rg", {}, windows, is_error=False, limits=LIMITS).text
    assert "20 of 30 matches" in reduce("rg", {}, headed, is_error=False, limits=LIMITS).text
    assert "20 of 30 matches" in reduce("Grep", {}, names, is_error=False, limits=LIMITS).text


def test_a_listing_shows_twenty_entries_and_the_total() -> None:
    made = reduce("Glob", {"pattern": "*"}, "\n".join(f"file{n}" for n in range(134)), is_error=False, limits=LIMITS)

    assert made.text.splitlines()[-2:] == ["file19", "[20 of 134 entries shown; narrow the call to see more]"]
    assert (made.reason, made.unit) == (Reason.LIST_EXCERPT, "entries")


def test_structured_listings_are_not_taken_apart_by_line() -> None:
    content = "[\n" + ",\n".join(f'  "{n}"' for n in range(50)) + "\n]"

    assert reduce("list_files", {}, content, is_error=False, limits=LIMITS).text == content
