"""`make up`: database, migrations, web server and worker in one terminal. One per data folder; a second points to it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from urllib.parse import urlsplit

from contextapp.config.local import address, locks, messages, postgres
from contextapp.config.local.children import kill_group
from contextapp.config.local.places import PROJECT, LocalError, data_folder
from contextapp.config.local.processes import command_line
from contextapp.config.local.supervisor import Supervisor


def main() -> int:
    data = data_folder()
    try:
        data.mkdir(parents=True, exist_ok=True)
        lock = locks.open_lock(data / "up.lock")
        if not locks.try_exclusive(lock):
            running = address.read()
            print(
                f"Already running: {running.address} (process {running.pid})."
                if running
                else "Another start is under way."
            )
            return 0
        _end_orphans()
        _supervise(data)
    except (LocalError, OSError) as error:
        print(f"contextapp: {error}", file=sys.stderr)
        return 1
    return 0


def _supervise(data: Path) -> None:
    messages.compile_stale()
    (data / "static").mkdir(exist_ok=True)  # WhiteNoise warns without it; files are served from the sources
    host = os.environ.get("HOST") or "127.0.0.1"
    port = address.choose_port(host)
    given = os.environ.get("DATABASE_URL")
    cluster = None if given else postgres.ensure_running()
    if cluster is None:
        _say(f"database    {urlsplit(given or '').hostname or 'by DATABASE_URL'} (DATABASE_URL)")
        url = given or ""
    else:
        postgres.create_database(cluster)
        if cluster.home.note:
            _say(cluster.home.note)
        _say(f"database    PostgreSQL {cluster.binaries.version()} in {_shown(cluster.home.cluster)}")
        url = cluster.url()

    def keep_database() -> str:
        if cluster is None or cluster.has_postmaster():
            return ""
        postgres.ensure_running()
        return "The database had ended; it was started again."

    try:
        environment = {**os.environ, "DATABASE_URL": url, "PYTHONUNBUFFERED": "1"}
        Supervisor(host, port, environment, data, _say, keep_database).run()
    finally:
        address.forget()
        if cluster is not None:
            stopped = postgres.release(cluster)
            _say("Stopped." if stopped else "Stopped; another command still uses the database, which stops with it.")


def _end_orphans() -> None:
    """Web server and worker of a supervisor that was killed: they hold the port and work on old code."""
    left = address.read()
    for group in left.groups if left else ():
        if "contextapp.config." in " ".join(command_line(group)):  # some servers write their title over their arguments
            kill_group(group)
            _say(f"Ended process group {group}, left over from a start that was killed.")


def _shown(path: Path) -> str:
    return str(path.relative_to(PROJECT) if path.is_relative_to(PROJECT) else path)


def _say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
