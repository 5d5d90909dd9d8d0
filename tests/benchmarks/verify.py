"""How long it takes to verify a million events, and a thousand new ones: `python -m tests.benchmarks.verify --json [--quick]`.

Both are what the product does, results stored: hashes, links, payloads, artifacts, heads, checkpoints, published file.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from uuid import UUID, uuid4

from tests.benchmarks import chained_log, database, report

LIMITS = {"sql_s_1m": ("<=", 10.0), "incremental_ms_1k": ("<=", 200.0)}
EVENTS, QUICK_EVENTS = 1_000_000, 50_000
RUNS, QUICK_RUNS, NEW_RUNS = 3, 1, 7
NEW_SESSIONS, NEW_EACH = 50, 20


def measure(options: report.Options) -> dict[str, float]:
    database.use("verify_quick" if options.quick else "verify")
    _own_folder()
    sessions = chained_log.ensure(QUICK_EVENTS if options.quick else EVENTS)
    _checkpoint()
    figures: dict[str, float] = {}
    whole_s = _whole_s(QUICK_RUNS if options.quick else RUNS)
    if not options.quick:
        figures["sql_s_1m"] = whole_s
    figures["incremental_ms_1k"] = _incremental_ms(sessions[:NEW_SESSIONS])
    return figures


def _own_folder() -> None:
    """Keys and published checkpoints of the benchmark, never those of an installation; gone with a fresh database."""
    from django.conf import settings

    from contextapp.eventlog.models import Checkpoint

    folder = database.FOLDER / "checkpoints" / str(settings.DATABASES["default"]["NAME"])
    folder.mkdir(parents=True, exist_ok=True)
    settings.DATA_DIR = folder
    settings.CHECKPOINT_KEY_FILE = folder / "checkpoint_key.pem"
    settings.CHECKPOINT_FILE = folder / "checkpoints.txt"
    settings.CHECKPOINT_WEBHOOK = ""
    if not Checkpoint.objects.exists():
        for path in folder.iterdir():
            path.unlink()


def _checkpoint() -> None:
    from contextapp.eventlog.services import publish_checkpoints, take_checkpoint

    take_checkpoint()
    publish_checkpoints()


def _whole_s(runs: int) -> float:
    from contextapp.eventlog.services import verify_log

    def verify() -> None:
        found = verify_log()
        report.progress(f"{found.verdict}: {found.events:,} events in {found.seconds:.1f} s")
        _expect_verified(found.verdict)

    return report.median(report.timed_ms(verify, runs=runs)) / 1000


def _incremental_ms(sessions: Sequence[UUID]) -> float:
    """A thousand events over fifty sessions, appended as an agent would; only the verification is timed."""
    from contextapp.eventlog.services import append, verify_log
    from contextapp.eventlog.values import Draft

    taken = []
    for _ in range(NEW_RUNS):
        for session_id in sessions:
            drafts = [Draft(uuid4(), "user.message", {"text": "x" * 1000}) for _ in range(NEW_EACH)]
            append(session_id=session_id, drafts=drafts, actor="benchmark")

        def verify() -> None:
            found = verify_log(is_full=False)
            _expect_verified(found.verdict)
            if found.events != NEW_SESSIONS * NEW_EACH:
                raise RuntimeError(f"{found.events} new events were verified, not {NEW_SESSIONS * NEW_EACH}")

        taken += report.timed_ms(verify, runs=1, warm_up=0)
    return report.median(taken)


def _expect_verified(verdict: str) -> None:
    if verdict != "verified":
        raise RuntimeError(f"the benchmark's own log is {verdict}; drop its database and start again")


def main(arguments: Sequence[str] | None = None) -> int:
    return report.run("verify", measure, LIMITS, arguments)


if __name__ == "__main__":
    sys.exit(main())
