"""The service's part of the build benchmark: builds against a real database, from the read to the commit. `build.py` prints.

Sessions are written once and kept; the builds of every run are appended to a copy of nothing: they go on where the last ended.
"""

from __future__ import annotations

import statistics
import sys
import time
from itertools import batched
from uuid import UUID, uuid4

from tests.benchmarks import sessions

WINDOW_TOKENS = 200_000
SIZES = {"1k": 1_000, "10k": 10_000, "100k": 100_000}
QUICK_SIZES = ("1k", "10k")
WARM_UP, RUNS = 3, 15
BATCH = 1_000


def service_figures(*, quick: bool) -> dict[str, float]:
    """`service_ms_p50_*`, their ratio, and `all_calls_s_*`. Wants Django set up on a migrated database."""
    figures: dict[str, float] = {}
    names = QUICK_SIZES if quick else tuple(SIZES)
    for name in names:
        session_id = written(name)
        figures[f"service_ms_p50_{name}"] = round(_service_ms(session_id), 1)
        _tell(f"service_ms_p50_{name}: {figures[f'service_ms_p50_{name}']}")
    if not quick:
        figures["service_ratio_100k_1k"] = round(figures["service_ms_p50_100k"] / figures["service_ms_p50_1k"], 2)
    for name in ("1k",) if quick else ("1k", "10k"):
        figures[f"all_calls_s_{name}"] = round(_all_calls_s(written(name, origin="import")), 2)
        _tell(f"all_calls_s_{name}: {figures[f'all_calls_s_{name}']}")
    return figures


def written(name: str, origin: str = "api") -> UUID:
    """The session of that size, appended and indexed if this database does not hold it yet."""
    from contextapp.contexts.services import index_session
    from contextapp.eventlog.selectors import head_seq
    from contextapp.eventlog.services import append, open_session, update_session_facts
    from contextapp.eventlog.values import Draft

    session = open_session(
        project_id=_project(), origin=origin, external_id=f"bench:{origin}:{name}", model=sessions.MODEL
    )
    update_session_facts(session_id=session.id, model_window_tokens=WINDOW_TOKENS)
    if head_seq(session.id) == 0:
        _tell(f"writing a session of {SIZES[name]:,} messages")
        for batch in batched(sessions.events(SIZES[name]), BATCH):
            drafts = [Draft(UUID(event.event_id), event.type, dict(event.payload)) for event in batch]
            append(session_id=session.id, drafts=drafts, actor="benchmark")
    index_session(session_id=session.id)
    return session.id


def _service_ms(session_id: UUID) -> float:
    """One call of an agent after another: a build, then its answer and a tool result. Only the build is timed."""
    from contextapp.contexts.services import build_step

    taken = []
    for number in range(WARM_UP + RUNS):
        _answer(session_id, number)
        start = time.perf_counter()
        build_step(session_id=session_id, build_id=uuid4(), actor="benchmark")
        taken.append(1000 * (time.perf_counter() - start))
    return statistics.median(taken[WARM_UP:])


def _answer(session_id: UUID, number: int) -> None:
    from contextapp.eventlog.services import append
    from contextapp.eventlog.values import Draft

    message, call = f"m{uuid4()}", f"c{uuid4()}"
    told = [
        ("model.message", {"message_id": message, "text": f"I look at part {number} of the parser."}),
        (
            "tool.requested",
            {"message_id": message, "call_id": call, "name": "bash", "input": {"command": f"make part{number}"}},
        ),
        ("tool.completed", {"call_id": call, "content": f"part {number} is built\n" * 60}),
    ]
    append(session_id=session_id, drafts=[Draft(uuid4(), kind, payload) for kind, payload in told], actor="benchmark")


def _all_calls_s(session_id: UUID) -> float:
    """Every recorded call built under the active policy, each ledger kept."""
    from contextapp.contexts.models import Ledger
    from contextapp.contexts.services import simulate_session

    Ledger.objects.filter(session_id=session_id, origin="simulated").delete()
    start = time.perf_counter()
    simulate_session(session_id=session_id)
    return time.perf_counter() - start


def _project() -> UUID:
    from contextapp.accounts.models import Project
    from contextapp.policy.services import ensure_default

    project, _ = Project.objects.get_or_create(slug="benchmark", defaults={"name": "Benchmark"})
    ensure_default(project)
    return project.id


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
