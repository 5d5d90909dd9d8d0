"""What agents can write over HTTP, durably: `python -m tests.benchmarks.ingest --json [--quick]`.

A cluster of its own with fsync on, web server, worker and beat as a deployment runs them, agents in another process. All of
them share the machine, so a figure is what one small machine gives to everybody. The floor is COPY of the same payloads.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import psycopg

from contextapp.config.local.places import PROJECT
from tests.benchmarks import database, report
from tests.benchmarks.ingest_load import Orders, Seen, payloads
from tests.benchmarks.report import Limit, Options, progress

LIMITS: dict[str, Limit] = {
    "events_per_s_http_100": (">=", 5000),
    "ack_ms_p99_http_100": ("<=", 150),
    "events_per_s_http_1": (">=", 500),
    "ack_ms_p99_http_1": ("<=", 60),
    "ratio_copy": (">=", 0.3),
    "lost_after_kill": ("=", 0),
    "pss_mb_idle": ("<=", 300),
    "pss_mb_loaded": ("<=", 450),
    "derive_lag_s_p99": ("<=", 30),
}
BATCH_AGENTS, SINGLE_AGENTS, STEADY_AGENTS, LAG_AGENTS = 2, 8, 4, 4
LAG_EVENTS_PER_S = 1_000


@dataclass(slots=True)
class Site:
    """The product as it runs for this benchmark. Any: the stack, which is imported once Django is set up."""

    stack: Any
    url: str
    key: str

    def sessions(self, count: int) -> list[str]:
        import logging

        import httpx

        logging.getLogger("httpx").setLevel(logging.WARNING)

        with httpx.Client(
            base_url=f"{self.stack.url}/api/v1", headers={"Authorization": f"Bearer {self.key}"}
        ) as agent:
            return [agent.post("/sessions", json={"agent": "benchmark"}).json()["id"] for _ in range(count)]

    def load(self, agents: int, batch: int, seconds: float, *, per_second: float | None = None) -> Seen:
        return finished(self.begin_load(agents, batch, seconds, per_second=per_second))

    def begin_load(
        self, agents: int, batch: int, seconds: float, *, per_second: float | None = None, keep_ids: bool = False
    ) -> subprocess.Popen[str]:
        sessions = self.sessions(agents)
        orders = Orders(
            "127.0.0.1", self.stack.port, self.key, sessions, batch, seconds, per_second=per_second, keep_ids=keep_ids
        )
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.benchmarks.ingest_load"],
            cwd=PROJECT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdin is not None
        process.stdin.write(json.dumps(asdict(orders)))
        process.stdin.close()
        return process


def finished(process: subprocess.Popen[str]) -> Seen:
    assert process.stdout is not None
    seen = Seen(**json.loads(process.stdout.read()))
    process.wait()
    if seen.refused:
        progress(f"refused: {seen.refused}")
    return seen


def measure(options: Options) -> dict[str, float]:
    seconds = 8.0 if options.quick else 30.0
    figures: dict[str, float] = {}
    with _site() as (site, processes):
        time.sleep(3)
        figures["pss_mb_idle"] = _pss_mb(processes)
        site.load(BATCH_AGENTS, 100, 2)  # warm-up
        batches = site.load(BATCH_AGENTS, 100, seconds)
        figures["events_per_s_http_100"] = round(batches.events / batches.seconds)
        figures["ack_ms_p99_http_100"] = report.percentile(batches.ack_ms, 99, digits=1)
        figures["ratio_copy"] = round(batches.events / batches.seconds / _copied_per_s(site.url, seconds / 4), 3)
        singles = site.load(SINGLE_AGENTS, 1, seconds / 3)
        figures["events_per_s_http_1"] = round(singles.events / singles.seconds)
        steady = site.load(STEADY_AGENTS, 1, seconds / 2, per_second=100.0)
        figures["ack_ms_p99_http_1"] = report.percentile(steady.ack_ms, 99, digits=1)
        figures["pss_mb_loaded"] = _pss_mb(processes)
        if not options.quick:
            _settle()
            figures["derive_lag_s_p99"] = _derive_lag_s(site)
        figures["lost_after_kill"] = _lost_after_kill(site, processes)
    return figures


@contextmanager
def _site() -> Iterator[tuple[Site, dict[str, subprocess.Popen[bytes]]]]:
    """Cluster, schema, key, web server, worker, beat; all of it ends with the block."""
    from tests import clusters

    os.environ["CELERY_BROKER_URL"] = "pgmq://"
    with tempfile.TemporaryDirectory(prefix="ingest-") as place, clusters.running(max_connections="60") as cluster:
        folder = Path(place)
        cluster.create("ingest")
        url = cluster.url("ingest")
        os.environ.update(DATABASE_URL=url, DATA_DIR=str(folder), DEBUG="false", SECRET_KEY="x" * 60)
        database.use("ingest")
        from tests.deploy.stack import Stack

        environment = {**clusters.environment(url, folder), "SECRET_KEY": "x" * 60, "ALLOWED_HOSTS": "127.0.0.1"}
        site = Site(Stack(environment, folder), url, _key())
        with site.stack.stack:
            processes = {name: getattr(site.stack, name)() for name in ("web", "worker", "beat")}
            yield site, processes
    del os.environ["DATABASE_URL"]  # its server is gone


def _key() -> str:
    from contextapp.accounts.models import Project
    from contextapp.accounts.services import create_api_key

    project = Project.objects.create(slug="benchmark", name="Benchmark")
    _made, text = create_api_key(project=project, name="agents", scopes=["ingest", "read"], by="benchmark")
    return text


def _pss_mb(processes: dict[str, subprocess.Popen[bytes]]) -> float:
    """Proportional set size of the processes with their children; memory that they share counts once."""
    total = 0
    for pid in _with_children([process.pid for process in processes.values()]):
        try:
            text = Path(f"/proc/{pid}/smaps_rollup").read_text()
        except OSError:  # it ended meanwhile
            continue
        total += next(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:"))
    return round(total / 1024, 1)


def _with_children(pids: list[int]) -> list[int]:
    found = list(pids)
    for pid in found:
        for task in Path(f"/proc/{pid}/task").glob("*/children"):
            found.extend(int(child) for child in task.read_text().split())
    return found


def _copied_per_s(url: str, seconds: float) -> float:
    """The floor: the same payloads, a hundred per commit, into a table without anything."""
    pool = [text.encode() for text in payloads()]
    rows = 0
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE floor (id bigint, body bytea)")
        connection.commit()
        started = time.monotonic()
        while time.monotonic() - started < seconds:
            with connection.cursor().copy("COPY floor (id, body) FROM STDIN (FORMAT BINARY)") as copy:
                copy.set_types(["int8", "bytea"])
                for number in range(100):
                    copy.write_row((rows + number, pool[(rows + number) % len(pool)]))
            connection.commit()
            rows += 100
        taken = time.monotonic() - started
        connection.execute("DROP TABLE floor")
    progress(f"COPY: {rows / taken:,.0f} rows/s")
    return rows / taken


def _settle(limit_s: float = 240.0) -> None:
    """Until what came before is read, so that the lag that follows is its own."""
    from contextapp.eventlog.selectors import derive_lag

    end = time.monotonic() + limit_s
    while (lag := derive_lag()).events and time.monotonic() < end:
        progress(f"{lag.events:,} events are not read yet")
        time.sleep(5)


def _derive_lag_s(site: Site) -> float:
    from contextapp.eventlog.selectors import derive_lag

    load = site.begin_load(LAG_AGENTS, 50, 30, per_second=LAG_EVENTS_PER_S / 50)
    samples = []
    while load.poll() is None:
        lag = derive_lag()
        samples.append(0.0 if lag.oldest is None else lag.oldest.total_seconds())
        time.sleep(0.5)
    seen = finished(load)
    progress(f"{seen.events / seen.seconds:,.0f} events/s while the lag was taken")
    return report.percentile(samples, 99, digits=2)


def _lost_after_kill(site: Site, processes: dict[str, subprocess.Popen[bytes]]) -> float:
    """The web server is killed in the middle, then a backend of PostgreSQL; what was acknowledged has to be there."""
    load = site.begin_load(4, 20, 12, keep_ids=True)
    kills = threading.Timer(3, lambda: os.killpg(processes["web"].pid, signal.SIGKILL))
    kills.start()
    time.sleep(5)
    processes["web"].wait()
    processes["web"] = site.stack.web()
    time.sleep(2)
    os.kill(_a_backend(site.url), signal.SIGKILL)
    seen = finished(load)
    with psycopg.connect(site.url) as connection:
        row = connection.execute(
            "SELECT count(*) FROM unnest(%s::uuid[]) AS acked (id) "
            "WHERE NOT EXISTS (SELECT FROM eventlog_event WHERE event_id = acked.id)",
            [seen.acked],
        ).fetchone()
    progress(f"{len(seen.acked):,} acknowledged before, between and after the kills")
    if row is None or not seen.acked or not seen.refused:
        raise RuntimeError("the kills interrupted nothing; there is nothing to say about what they lost")
    return float(row[0])


def _a_backend(url: str) -> int:
    with psycopg.connect(url) as connection:
        row = connection.execute(
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() "
            "AND backend_type = 'client backend' AND query ILIKE '%eventlog_append%' LIMIT 1"
        ).fetchone()
    if row is None:
        raise RuntimeError("no backend appends at the moment")
    return int(row[0])


def main(arguments: Sequence[str] | None = None) -> int:
    return report.run("ingest", measure, LIMITS, arguments)


if __name__ == "__main__":
    sys.exit(main())
