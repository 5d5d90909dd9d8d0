"""Golden cases show what they are named for: every phase, reduction and overflow, and every way in for an injection."""

from __future__ import annotations

import pytest

from contextapp.engine.inputs import Built
from contextapp.engine.values import Phase
from tests.golden import cases


def text_of(built: Built) -> str:
    return "\n".join(block.text for block in built.request.blocks) if built.request else ""


def rows(built: Built, kind: str) -> list[tuple[str, str]]:
    return [(row.reason, row.mode) for row in built.ledger.rows if row.source_kind == kind]


def test_there_are_at_least_twenty_cases() -> None:
    assert len(cases.CASES) >= 20


@pytest.mark.parametrize("phase", list(Phase))
def test_each_phase_has_a_case_that_says_it_and_keeps_its_share_of_evidence(phase: Phase) -> None:
    built = cases.built_of(f"phase_{phase.value}")

    taken = sum(row.after_tokens for row in built.ledger.included if row.source_kind == "evidence")
    most = {"diagnosing": 30, "planning": 25, "editing": 20, "verifying": 15, "summarizing": 15, "blocked": 20}[phase]
    assert f"Phase: {phase.value}\n" in text_of(built)
    assert 0 < taken <= built.ledger.buckets["transcript"]["allotted"] * most // 100


def test_only_the_phases_for_edits_and_those_after_one_offer_the_edit_tool() -> None:
    offered = {phase.value for phase in Phase if "apply_patch" in tools_of(f"phase_{phase.value}")}

    assert offered == {"planning", "editing", "verifying", "summarizing"}


def tools_of(case: str) -> list[str]:
    return cases.built_of(case).header["sources"]["tools"]  # type: ignore[index, no-any-return]


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        ("long_file_read", "file_read_excerpt"),
        ("long_search", "search_excerpt"),
        ("long_listing", "list_excerpt"),
        ("long_command_output", "command_excerpt"),
        ("failing_test_output", "command_excerpt"),
        ("long_web_page", "tool_result_limit"),
        ("long_json_result", "tool_result_limit"),
        ("binary_output", "media_reference"),
    ],
)
def test_each_family_of_results_is_reduced_by_its_own_rule(case: str, reason: str) -> None:
    built = cases.built_of(case)

    (reduced,) = [row for row in built.ledger.included if row.source_kind == "tool_result" and row.mode == "excerpt"]
    assert reduced.reason == reason
    assert reduced.after_tokens < reduced.before_tokens
    assert " of " in reduced.detail


def test_errors_verdicts_and_failures_survive_their_reduction() -> None:
    assert "error: part_120.c:7" in text_of(cases.built_of("long_command_output"))
    assert "5 failed, 2155 passed" in text_of(cases.built_of("failing_test_output"))
    assert "FAILED tests/test_total.py::test_total_4" in text_of(cases.built_of("failing_test_output"))
    assert "image/png" in text_of(cases.built_of("picture_in_a_result"))


@pytest.mark.parametrize(
    ("case", "kind", "bucket", "ways"),
    [
        ("overflow_by_instructions", "bucket_full", "instructions", {"shorten_instructions", "raise_bucket", "larger_window"}),
        ("overflow_by_the_users_message", "bucket_full", "transcript",
         {"raise_bucket", "lend_unused", "shorten_message", "larger_window"}),
        ("overflow_by_constraints", "bucket_full", "transcript", {"raise_bucket", "lend_unused", "larger_window"}),
        ("overflow_of_the_window", "window_full", "transcript", {"larger_window"}),
    ],
)  # fmt: skip
def test_each_overflow_names_its_bucket_and_the_ways_out(case: str, kind: str, bucket: str, ways: set[str]) -> None:
    built = cases.built_of(case)

    assert built.request is None
    assert built.overflow is not None
    assert (built.overflow.kind, built.overflow.bucket) == (kind, bucket)
    assert {way.action for way in built.overflow.ways_out} == ways
    assert all(way.tokens > 0 for way in built.overflow.ways_out)


def test_memory_that_gives_orders_stays_out_and_what_enters_closes_nothing() -> None:
    built = cases.built_of("injection_through_memory")

    entered = [row.source_id for row in built.ledger.included if row.source_kind == "memory"]
    assert sorted(rows(built, "memory")) == [
        ("memory_hint", "full"), ("not_approved", "none"), ("quarantined", "none"), ("quarantined", "none"),
    ]  # fmt: skip
    assert entered == ["mem_e4e4e4e4e4e4@1"]
    assert "</untrusted-0000000000000000>" not in text_of(built)
    assert "\nSYSTEM" not in text_of(built)


def test_a_summary_that_gives_orders_is_quoted_and_the_users_own_word_still_stands() -> None:
    built = cases.built_of("injection_through_a_summary")

    (row,) = [row for row in built.ledger.included if row.source_kind == "summary"]
    assert "injection signals" in row.detail
    assert row.role == "user"
    assert "</untrusted-0123456789abcdef>" not in text_of(built)
    assert "Do not push." in text_of(built)


@pytest.mark.parametrize("case", ["baseline_last_n", "baseline_sliding_window"])
def test_a_baseline_cuts_at_its_own_measure_and_says_so(case: str) -> None:
    built = cases.built_of(case)

    assert {row.reason for row in built.ledger.excluded} == {"baseline_cut"}
    assert {row.mode for row in built.ledger.included} == {"full"}
