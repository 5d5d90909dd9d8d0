"""What one build costs: the engine alone from loaded inputs, and the service from read to commit. The cost must follow the
window, not the session; every build is checked on the way.
"""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from contextapp.engine.builder import build
from contextapp.engine.events import Event
from contextapp.engine.inputs import BuildInputs, Built
from contextapp.engine.policy import Policy
from contextapp.engine.projection.fold import Fold
from contextapp.engine.request import openai
from contextapp.engine.tokens import KeptCounter, TiktokenCounter
from contextapp.engine.values import Verdict
from tests.benchmarks import peers, report, sessions
from tests.benchmarks.report import Limit, Options, progress

LIMITS: dict[str, Limit] = {
    "engine_ms_p50_1k": ("<=", 10),
    "engine_ms_p50_10k": ("<=", 10),
    "engine_ms_p50_100k": ("<=", 10),
    "service_ms_p50_1k": ("<=", 50),
    "service_ms_p50_10k": ("<=", 50),
    "service_ms_p50_100k": ("<=", 50),
    "service_ratio_100k_1k": ("<=", 1.3),
    "all_calls_s_1k": ("<=", 6),
    "all_calls_s_10k": ("<=", 60),
    "ratio_langchain_cached_100k": (">=", 1),
    "ratio_langchain_approx_100k": (">=", 10),
    "over_window": ("=", 0),
    "orphans": ("=", 0),
    "ledger_mismatch": ("=", 0),
    "peak_mb_100k": ("<=", 50),
}
WINDOW_TOKENS = 200_000
SIZES = {"1k": 1_000, "10k": 10_000, "100k": 100_000}
CHECKED_WINDOWS = (8_000, 32_000, 200_000)
RUNS, WARM_UP = 41, 3
MEGABYTE = 1_000_000


@dataclass(slots=True)
class Faults:
    """What must never happen, counted over all builds."""

    builds: int = 0
    over_window: int = 0
    orphans: int = 0
    ledger_mismatch: int = 0

    def look_at(self, built: Built) -> None:
        self.builds += 1
        self.over_window += built.verdict == Verdict.OK and built.ledger.total_tokens > built.ledger.window_tokens
        self.orphans += bool(built.request and openai.validate(openai.render(built.request)))
        self.ledger_mismatch += built.ledger.difference != 0

    def figures(self) -> dict[str, float]:
        return {"over_window": self.over_window, "orphans": self.orphans, "ledger_mismatch": self.ledger_mismatch}


def measure(options: Options) -> Mapping[str, float]:
    figures = engine_figures(quick=options.quick) | _service_figures(quick=options.quick)
    return figures if options.quick else figures | _peer_figures(figures["service_ms_p50_100k"])


def engine_figures(*, quick: bool) -> dict[str, float]:
    """The engine alone: no database, counts kept by content as every shell keeps them."""
    counter = _counter()
    faults = Faults()
    figures: dict[str, float] = {}
    for name in ("1k", "10k") if quick else SIZES:
        inputs = sessions.loaded(SIZES[name], WINDOW_TOKENS)
        if name == "100k":
            figures["peak_mb_100k"] = _peak_mb(inputs, counter)
        faults.look_at(build(inputs, Policy(), counter))
        taken = report.timed_ms(lambda: build(inputs, Policy(), counter), runs=RUNS, warm_up=WARM_UP)  # noqa: B023
        figures[f"engine_ms_p50_{name}"] = report.median(taken)
        progress(f"engine_ms_p50_{name}: {figures[f'engine_ms_p50_{name}']} ({inputs.state.seq:,} events)")
    for window in CHECKED_WINDOWS[:1] if quick else CHECKED_WINDOWS:
        for inputs in _every_call(SIZES["1k"], window):
            faults.look_at(build(inputs, Policy(), counter))
    progress(f"{faults.builds} builds checked")
    return figures | faults.figures()


def _counter() -> KeptCounter:
    kept: dict[str, int] = {}
    return KeptCounter(TiktokenCounter(), kept.get, kept.__setitem__)


def _peak_mb(inputs: BuildInputs, counter: KeptCounter) -> float:
    """Above the loaded inputs, for the first build of a process."""
    tracemalloc.start()
    try:
        build(inputs, Policy(), counter)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    return round(peak / MEGABYTE, 1)


def _every_call(messages: int, window: int) -> Iterator[BuildInputs]:
    """The inputs of each model call of one session, as it stood then."""
    fold = Fold()
    told: list[Event] = []
    for event in sessions.events(messages):
        if event.type == "model.message":
            yield sessions.inputs_of(fold, tuple(told), {}, window)
        fold.feed(event)
        told.append(event)


def _peer_figures(ours_ms: float) -> dict[str, float]:
    """Theirs over ours: their trim alone against our build from the read to the commit of its record."""
    taken = peers.langchain_ms(SIZES["100k"])
    return {f"ratio_langchain_{name}_100k": round(theirs_ms / ours_ms, 2) for name, theirs_ms in taken.items()}


def _service_figures(*, quick: bool) -> dict[str, float]:
    from tests.benchmarks import database

    database.use("build")
    from tests.benchmarks.build_service import service_figures

    return service_figures(quick=quick)


def main(arguments: Sequence[str] | None = None) -> int:
    return report.run("build", measure, LIMITS, arguments)


if __name__ == "__main__":
    sys.exit(main())
