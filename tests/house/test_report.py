"""The form of the benchmarks: one JSON object, limits, exit code."""

from __future__ import annotations

import json
import sys

import pytest

from tests.benchmarks import report

LIMITS = {"fast_ms": ("<=", 10.0), "rate": (">=", 5.0), "lost": ("=", 0.0)}


def run(figures: dict[str, float], arguments: list[str]) -> int:
    def measure(options: report.Options) -> dict[str, float]:
        sys.stdout.write("chatter of the measured code")
        return figures

    return report.run("sample", measure, LIMITS, arguments)


def test_standard_output_holds_exactly_one_object(capsys: pytest.CaptureFixture[str]) -> None:
    code = run({"fast_ms": 9, "rate": 5, "lost": 0}, ["--json"])

    printed = json.loads(capsys.readouterr().out)
    assert code == 0
    assert printed["name"] == "sample"
    assert printed["figures"] == {"fast_ms": 9, "rate": 5, "lost": 0}
    assert printed["limits"]["fast_ms"] == ["<=", 10]
    assert printed["short"] == []
    assert set(printed["machine"]) >= {"cpus", "python"}


@pytest.mark.parametrize(
    ("figures", "short"),
    [
        ({"fast_ms": 10.1, "rate": 5, "lost": 0}, ["fast_ms"]),
        ({"fast_ms": 10, "rate": 4.9, "lost": 1}, ["rate", "lost"]),
    ],
)
def test_a_missed_limit_is_named_and_fails(
    figures: dict[str, float], short: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    code = run(figures, ["--json"])

    assert (code, json.loads(capsys.readouterr().out)["short"]) == (1, short)


def test_a_figure_that_was_not_measured_is_absent_and_fails_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    code = run({"fast_ms": 1}, ["--json", "--quick"])

    assert code == 0
    assert set(json.loads(capsys.readouterr().out)["figures"]) == {"fast_ms"}


def test_without_json_a_person_reads_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    run({"fast_ms": 12, "more": 3}, [])

    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines] == [
        ["fast_ms", "12.000", "<=", "10.0", "SHORT"],
        ["more", "3.000", "report"],
    ]


@pytest.mark.parametrize(("percent", "expected"), [(50, 2), (75, 3), (99, 4), (100, 4), (1, 1)])
def test_a_percentile_is_a_figure_that_was_measured(percent: int, expected: float) -> None:
    assert report.percentile([4, 1, 3, 2], percent) == expected
