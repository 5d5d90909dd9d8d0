"""The processes of a deployment on one machine: unprivileged database roles, a real Redis, DEBUG off, backup and restore."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import httpx
import pytest

from tests import clusters
from tests.deploy.conftest import APP, ERASER, MIGRATOR, Deployed, apply_roles, migrate
from tests.deploy.stack import Redis, Stack, end, wait_until

pytestmark = pytest.mark.slow

FINGERPRINT = (
    "SELECT count(*), sum(head_seq), encode(sha256(convert_to(string_agg(session_id::text || head_seq || "
    "encode(head_hash, 'hex'), ',' ORDER BY session_id), 'UTF8')), 'hex') FROM eventlog_head WHERE session_id <> %s"
)
CANARY = "canary-8c0f2d"
# A session that goes on is read for memory after five minutes; that job waits for its time and is not open.
OPEN_JOBS = (
    "SELECT kind, state, last_error FROM jobs_job WHERE state IN ('queued', 'running', 'dead') "
    "AND (not_before IS NULL OR not_before < now() + interval '1 minute')"
)


def prepared(cluster: clusters.TestCluster, name: str) -> Deployed:
    cluster.create(name)
    apply_roles(cluster, name)
    return Deployed(cluster, name)


@pytest.fixture
def redis(tmp_path: Path) -> Redis:
    return Redis(tmp_path)


@pytest.fixture
def product(role_cluster: clusters.TestCluster, tmp_path: Path) -> Iterator[Deployed]:
    found = prepared(role_cluster, "stack")
    migrate(found, tmp_path / "data")
    yield found
    role_cluster.drop("stack")


@pytest.fixture
def stack(product: Deployed, redis: Redis, tmp_path: Path) -> Iterator[Stack]:
    broker = {"CELERY_BROKER_URL": redis.url, "ERASER_DATABASE_URL": product.url(ERASER)}
    found = Stack(product.environment(APP, tmp_path / "data", **broker), tmp_path)
    with found.stack:
        yield found


class Agent:
    """A writer over HTTP with the key that the command printed."""

    def __init__(self, stack: Stack, key: str) -> None:
        self._http = httpx.Client(
            base_url=f"{stack.url}/api/v1",
            headers={"Authorization": f"Bearer {key}"},
            trust_env=False,
            timeout=20,
        )
        self.session: str = self.post("/sessions", {"model": "gpt-4o", "title": "stack"})["id"]

    def post(self, path: str, body: object) -> dict:  # type: ignore[type-arg]  # JSON
        answer = self._http.post(path, json=body)
        assert answer.status_code in (200, 201), answer.text
        return dict(answer.json())

    def get(self, path: str) -> dict:  # type: ignore[type-arg]  # JSON
        answer = self._http.get(path)
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def say(self, *texts: str) -> int:
        events = [
            {
                "event_id": str(uuid4()),
                "type": "user.message",
                "payload": {"text": text},
                "occurred_at": "2026-01-01T00:00:00Z",
            }
            for text in texts
        ]
        return int(self.post(f"/sessions/{self.session}/events", {"events": events})["head_seq"])


def wait_for_jobs(product: Deployed) -> None:
    with product.connect(MIGRATOR) as reading:
        wait_until(lambda: not reading.execute(OPEN_JOBS).fetchall(), "the jobs of the append", seconds=60)


def sweep_now(stack: Stack, product: Deployed) -> None:
    """What beat asks for every half minute, at once: every open job counts as overdue."""
    with product.connect(MIGRATOR) as owner:
        owner.execute(
            "UPDATE jobs_job SET created_at = created_at - interval '1 hour', not_before = NULL, "
            "lease_until = lease_until - interval '1 hour'"
        )
    stack.run(sys.executable, "manage.py", "shell", "-v0", "-c", "from contextapp.jobs.services import sweep; sweep()")


def indexed(product: Deployed) -> int:
    with product.connect(MIGRATOR) as reading:
        row = reading.execute("SELECT max(indexed_seq) FROM eventlog_session").fetchone()
    return int(row[0]) if row and row[0] else 0


@pytest.mark.fault("F22", "F24", "F63")
def test_ingest_index_build_verify_back_up_and_restore(
    product: Deployed, stack: Stack, redis: Redis, role_cluster: clusters.TestCluster, tmp_path: Path
) -> None:
    with redis.running() as server:
        stack.web()
        worker = stack.worker()
        stack.beat()
        key = stack.manage("key", "agent", "--scopes", "ingest,build,read,verify")
        agent = Agent(stack, key)

        head = agent.say("Fix the parser.", "Then run the tests.")
        built = agent.post(f"/sessions/{agent.session}/steps", {"build_id": str(uuid4())})
        sweep_now(stack, product)
        wait_for_jobs(product)

        assert head == 2
        assert built["ledger"]["verdict"] != "context_overflow"
        assert indexed(product) >= 2

        # F24: the wake-up is in Redis and nowhere else when Redis dies.
        end(worker, signal.SIGKILL)
        head = agent.say("While nobody works.")
        end(server, signal.SIGKILL)
        assert agent.say("While Redis is away.") == head + 1  # F22
    with redis.running():
        stack.worker()
        sweep_now(stack, product)
        wait_for_jobs(product)
        assert indexed(product) >= head + 1

        stack.manage("verify")
        wait_until(lambda: "Sending due task sweep" in stack.log("beat"), "beat's first round")
        forgotten = Agent(stack, key)
        forgotten.say(CANARY)
        known_then = saved_heads(stack, tmp_path / "then.txt")
        before = fingerprint(product, forgotten.session)
        files = stack.run(
            "sh", "deploy/backup.sh", str(tmp_path / "backup"), DATABASE_URL=product.url(MIGRATOR)
        ).split()
        agent.say("After the backup.")
        stack.manage("erase", forgotten.session, "--reason", "asked to", "--by", "test", "--yes")
        known_now = saved_heads(stack, tmp_path / "now.txt")
        redactions = tmp_path / "redactions.jsonl"
        redactions.write_text(stack.manage("redactions") + "\n")

    restored = prepared(role_cluster, "restored")
    there = {"DATABASE_URL": restored.url(MIGRATOR), "DATA_DIR": str(tmp_path / "other"), "PYTHON": sys.executable}
    there["REDACTIONS"] = str(redactions)
    try:
        answer = stack.run("sh", "deploy/restore.sh", *files, "--", "--known-head", known_then, **there)

        assert "rights set for every role" in answer
        assert "verified" in answer.splitlines()[-1]
        assert CANARY not in contents(restored)  # F63: it was in the dump
        assert fingerprint(restored, forgotten.session) == before
        assert fingerprint(product, forgotten.session) != before
        assert (tmp_path / "other" / "secret_key").read_text() == (tmp_path / "data" / "secret_key").read_text()
        there["DATABASE_URL"] = restored.url(APP)
        with pytest.raises(AssertionError, match="diverged"):  # it lacks what was said after the backup
            stack.manage("verify", "--known-head", known_now, **there)
        with pytest.raises(AssertionError, match="restore into an empty one"):
            stack.run("sh", "deploy/restore.sh", files[0], **there)
    finally:
        role_cluster.drop("restored")
    assert "Traceback" not in stack.log("web")


def saved_heads(stack: Stack, path: Path) -> str:
    """What an auditor takes home: a checkpoint and the heads below it."""
    stack.manage("checkpoint")
    path.write_text(stack.manage("checkpoint", "--show") + "\n")
    return str(path)


def fingerprint(deployed: Deployed, but: str) -> tuple[object, ...] | None:
    """Of every head; the session that is erased later has one more event there."""
    with deployed.connect(MIGRATOR) as reading:
        return reading.execute(FINGERPRINT, [but]).fetchone()


def contents(deployed: Deployed) -> str:
    with deployed.connect(MIGRATOR) as reading:
        found = reading.execute(
            "SELECT coalesce(string_agg(convert_from(body, 'UTF8'), ' '), '') FROM eventlog_payload"
        )
        return str((found.fetchone() or ("",))[0])
