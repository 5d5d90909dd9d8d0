"""Lines that can't become events: each is told by its reason and place, and the lines beside it are read all the same."""

from __future__ import annotations

import json

import pytest

from tests.importers.parsing import SESSION, outcomes, read, record, to_lines, types_of, user

GOOD = to_lines(user("hello", 1))
LATER = to_lines(user("again", 9))


@pytest.mark.parametrize(
    ("line", "reason", "field"),
    [
        (b'{"type": "user", oops}', "bad_json", ""),
        (b"\x00" * 40, "nul_bytes", ""),
        (b'{"type":"user","message":"\xff\xfe"}', "invalid_utf8", ""),
        (b"[1, 2, 3]", "not_an_object", ""),
        (b'"words"', "not_an_object", ""),
        (b'{"type":"user","x":NaN}', "not_a_number", ""),
        (b'{"type":"user","x":-Infinity}', "not_a_number", ""),
        (b'{"type":"user","x":1e400}', "number_out_of_range", ""),
        (b'{"type":"user","x":' + b"9" * 5000 + b"}", "number_out_of_range", ""),
        (b'{"type":"user","type":"user"}', "duplicate_key", "type"),
        (b'{"type":"user","x":' + b"[" * 70 + b"]" * 70 + b"}", "too_deep", ""),
        (b'{"type":"user","x":' + b"[" * 200_000 + b"]" * 200_000 + b"}", "too_deep", ""),
        (json.dumps({"sessionId": SESSION}).encode(), "missing_field", "type"),
        (json.dumps({"type": 7}).encode(), "wrong_type", "type"),
        (json.dumps(record("user")).encode(), "missing_field", "message"),
        (json.dumps(record("user", message="hi")).encode(), "wrong_type", "message"),
        (json.dumps(user(5)).encode(), "wrong_type", "message.content"),
        (json.dumps(user(["hi"])).encode(), "wrong_type", "message.content[0]"),
        (json.dumps(user([{"text": "hi"}])).encode(), "missing_field", "message.content[0].type"),
        (json.dumps(user([{"type": "text", "text": 1}])).encode(), "wrong_type", "message.content[0].text"),
        (json.dumps(user("hi", timestamp=12)).encode(), "wrong_type", "timestamp"),
        (json.dumps(user("hi", timestamp="yesterday")).encode(), "wrong_value", "timestamp"),
        (json.dumps(user("hi", timestamp="9999-01-01T00:00:00Z")).encode(), "wrong_value", "timestamp"),
        (json.dumps(user("hi", uuid=4)).encode(), "wrong_type", "uuid"),
        (json.dumps(user("hi", isMeta="yes")).encode(), "wrong_type", "isMeta"),
        (json.dumps(record("attachment", attachment=[])).encode(), "wrong_type", "attachment"),
    ],
)
def test_a_bad_line_is_quarantined_with_its_reason_and_field(line: bytes, reason: str, field: str) -> None:
    lines = read(GOOD + line + b"\n" + LATER)

    assert outcomes(lines) == [("produced", ""), ("quarantined", reason), ("produced", "")]
    assert (lines[1].line, lines[1].field) == (2, field)
    assert len(lines[1].sha256) == 64
    assert not lines[1].drafts


def test_a_wrong_usage_figure_names_the_figure() -> None:
    bad = record("assistant", message={"id": "m", "content": "hi", "usage": {"input_tokens": "many"}})

    lines = read(to_lines(bad))

    assert (lines[0].reason, lines[0].field) == ("wrong_type", "message.usage.input_tokens")


def test_a_line_that_breaks_off_at_the_end_is_partial_and_not_broken() -> None:
    cut = to_lines(user("a longer prompt", 2))[:40]

    lines = read(GOOD + cut)

    assert outcomes(lines) == [("produced", ""), ("quarantined", "partial_line")]


def test_a_character_cut_in_half_at_the_end_is_partial() -> None:
    cut = json.dumps(user("给解析器加上行号", 2), ensure_ascii=False).encode()
    at = cut.index("析".encode()) + 1

    assert read(GOOD + cut[:at])[1].reason == "partial_line"


def test_a_last_line_without_a_newline_counts_when_it_is_whole() -> None:
    assert outcomes(read(GOOD + LATER.rstrip(b"\n"))) == [("produced", ""), ("produced", "")]


def test_an_overlong_line_is_measured_and_skipped() -> None:
    long = b'{"type":"user","x":"' + b"a" * 5000 + b'"}\n'

    lines = read(GOOD + long + LATER, line_limit_bytes=1000)

    assert outcomes(lines) == [("produced", ""), ("quarantined", "line_too_long"), ("produced", "")]
    assert f"{len(long) - 1:,} bytes" in lines[1].detail


def test_blank_lines_carriage_returns_and_a_byte_order_mark_change_nothing() -> None:
    plain = read(GOOD + LATER)

    windows = read(b"\xef\xbb\xbf" + GOOD.replace(b"\n", b"\r\n") + b"\r\n  \r\n" + LATER.replace(b"\n", b"\r\n"))

    assert outcomes(windows) == [("produced", ""), ("folded", "blank"), ("folded", "blank"), ("produced", "")]
    assert [e.event_id for line in windows for e in line.drafts] == [e.event_id for line in plain for e in line.drafts]


def test_nul_and_lone_surrogates_inside_strings_are_kept() -> None:
    lines = read(b'{"type":"user","uuid":"u","sessionId":"s","message":{"content":"a\\u0000b\\ud83dc"}}\n')

    assert lines[0].drafts[-1].payload["text"] == "a\0b\ud83dc"


def test_two_objects_on_one_line_are_both_read() -> None:
    joined = to_lines(user("one", 1)).rstrip(b"\n") + to_lines(user("two", 2))

    lines = read(joined)

    assert outcomes(lines) == [("produced", "")]
    assert types_of(lines).count("user.message") == 2


def test_a_joined_line_with_a_broken_half_leaves_no_trace_of_the_other() -> None:
    lines = read(to_lines(user("one", 1)).rstrip(b"\n") + b'{"type":\n' + LATER)

    assert outcomes(lines) == [("quarantined", "bad_json"), ("produced", "")]
    assert "turn.completed" not in types_of(lines)


def test_an_unfit_block_does_not_open_a_turn() -> None:
    half = user([{"type": "text", "text": "fine"}, {"type": "text", "text": []}], 1)

    lines = read(to_lines(half) + LATER)

    assert types_of(lines) == ["session.created", "turn.started", "user.message"]


def test_a_repeated_line_is_folded_as_a_duplicate() -> None:
    lines = read(GOOD + GOOD)

    assert outcomes(lines) == [("produced", ""), ("folded", "duplicate")]
