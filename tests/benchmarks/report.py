"""The form of every benchmark: one JSON object on standard output, progress on standard error, exit 1 when a limit is missed.

A figure that was not measured is left out; it is never zero. A benchmark module is:

    LIMITS = {"build_ms_p50": ("<=", 10)}

    def measure(options: Options) -> dict[str, float]: ...

    def main(arguments: Sequence[str] | None = None) -> int:
        return report.run("build", measure, LIMITS, arguments)
"""

from __future__ import annotations

import argparse
import contextlib
import json
import operator
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from contextapp.config.local import binaries

Limit = tuple[str, float]
HOLDS: dict[str, Callable[[float, float], bool]] = {"<=": operator.le, ">=": operator.ge, "=": operator.eq}


@dataclass(frozen=True, slots=True)
class Options:
    """`quick` means under a minute; `data` is the folder of recorded transcripts, where a benchmark reads some."""

    quick: bool
    data: Path | None


def run(
    name: str,
    measure: Callable[[Options], Mapping[str, float]],
    limits: Mapping[str, Limit],
    arguments: Sequence[str] | None = None,
) -> int:
    parsed = _arguments(name, arguments)
    started = time.monotonic()
    with contextlib.redirect_stdout(sys.stderr):
        figures = dict(measure(Options(parsed.quick, parsed.data)))
    progress(f"{name}: {time.monotonic() - started:.0f} s")
    missed = short(figures, limits)
    if parsed.json:
        result = {
            "name": name,
            "machine": machine(),
            "figures": figures,
            "limits": {figure: list(limit) for figure, limit in limits.items()},
            "short": missed,
        }
        print(json.dumps(result, allow_nan=False))
    else:
        for line in table(figures, limits):
            print(line)
    return 1 if missed else 0


def short(figures: Mapping[str, float], limits: Mapping[str, Limit]) -> list[str]:
    """The measured figures that miss their limit, in the limits' order."""
    return [
        figure
        for figure, (sign, bound) in limits.items()
        if figure in figures and not HOLDS[sign](figures[figure], bound)
    ]


def table(figures: Mapping[str, float], limits: Mapping[str, Limit]) -> list[str]:
    missed = short(figures, limits)
    lines = []
    for figure, value in figures.items():
        limit = " ".join(map(str, limits[figure])) if figure in limits else "report"
        lines.append(f"{figure:36} {value:>14,.3f}  {limit}{'  SHORT' if figure in missed else ''}")
    return lines


def progress(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def median(samples: Sequence[float], *, digits: int = 3) -> float:
    return round(statistics.median(samples), digits)


def percentile(samples: Sequence[float], percent: int, *, digits: int = 3) -> float:
    """By nearest rank, so that the figure is one that was measured."""
    ordered = sorted(samples)
    rank = max(1, -(-len(ordered) * percent // 100))
    return round(ordered[rank - 1], digits)


def timed_ms(work: Callable[[], object], *, runs: int, warm_up: int = 1) -> list[float]:
    """Milliseconds of each run after the warm-up."""
    samples = []
    for number in range(warm_up + runs):
        started = time.perf_counter()
        work()
        if number >= warm_up:
            samples.append((time.perf_counter() - started) * 1000)
    return samples


def machine() -> dict[str, object]:
    """What the figures were measured on."""
    found: dict[str, object] = {"cpus": cpus(), "python": platform.python_version()}
    version = _postgresql()
    if version:
        found["postgresql"] = version
    return found


def cpus() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _postgresql() -> str:
    url = os.environ.get("DATABASE_URL")
    if not url:
        return binaries.find().version()
    import psycopg

    try:
        with psycopg.connect(url, connect_timeout=3) as connection:
            row = connection.execute("SHOW server_version").fetchone()
            return str(row[0]).split()[0] if row else ""
    except psycopg.OperationalError as error:
        progress(f"the server's version is not known: {error}")
        return ""


def _arguments(name: str, arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog=f"python -m tests.benchmarks.{name}")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    parser.add_argument("--quick", action="store_true", help="under a minute; fewer figures and runs")
    parser.add_argument("--data", type=Path, help="folder of recorded transcripts")
    return parser.parse_args(arguments)
