"""Runs PostgreSQL for a machine that has no server: starts it, shares it between processes, stops it with the last one.

Speaks to a local socket only, keeps fsync on, and never touches a server that DATABASE_URL names.
"""

from __future__ import annotations

import atexit
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from contextapp.config.local import binaries as programs
from contextapp.config.local import homes, locks
from contextapp.config.local.places import LocalError, data_folder
from contextapp.config.local.processes import command_line

DATABASE = "contextapp"
ROLE = "contextapp"
PORT = 5432
START_TRIES = 10
SETTINGS = {
    "listen_addresses": "",
    "max_connections": "100",
    "shared_buffers": "128MB",
    "max_wal_size": "512MB",
    "jit": "off",
    "log_checkpoints": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
}

_held: dict[Path, int] = {}


@dataclass(frozen=True, slots=True)
class Cluster:
    """One cluster and how to reach it. Its address depends on its place alone, so it is known before the start."""

    home: homes.Home
    binaries: programs.Binaries

    def url(self, database: str = DATABASE) -> str:
        return f"postgresql://{ROLE}@:{PORT}/{quote(database)}?host={quote(str(self.home.socket), safe='')}"

    def is_running(self) -> bool:
        """A live postmaster of this very folder that accepts connections; a pid that was given away does not count."""
        return self.has_postmaster() and self.answers()

    def has_postmaster(self) -> bool:
        """Cheap: no program is started, but it may still be recovering."""
        return _postmaster(self.home) is not None

    def answers(self) -> bool:
        command = [
            self.binaries.program("pg_isready"),
            "-q",
            "-h",
            str(self.home.socket),
            "-p",
            str(PORT),
            "-U",
            ROLE,
            "-d",
            "postgres",
        ]
        return subprocess.run(command, cwd="/", env=_environment()).returncode == 0

    def stop(self) -> None:
        """Disconnect everybody and shut down; does nothing when it does not run."""
        if not self.has_postmaster():
            return
        for mode in ("fast", "immediate"):
            if _run(self, "pg_ctl", "stop", "-w", "-t", "30", "-m", mode, "-D", str(self.home.cluster)).returncode == 0:
                return
        raise LocalError(f"PostgreSQL in {self.home.cluster} does not stop; see {self.home.log}/server.log.")


def local_cluster(data: Path | None = None) -> Cluster:
    """The cluster of a data folder, running or not."""
    home = homes.choose((data or data_folder()).resolve())
    return Cluster(home, programs.find())


def ensure_running(data: Path | None = None, *, settings: Mapping[str, str] | None = None) -> Cluster:
    """Initialise, start or join the cluster, and keep it up until this process ends. Safe from many processes at once."""
    cluster = local_cluster(data)
    with locks.exclusive(cluster.home.folder / "lock"):
        if cluster.home.folder not in _held:
            descriptor = locks.open_lock(cluster.home.folder / "users")
            locks.share(descriptor)
            _held[cluster.home.folder] = descriptor
            atexit.register(_release_at_exit, cluster, os.getpid())
        if not cluster.is_running():
            cluster = _within_reach(cluster)
            _start(cluster, {**SETTINGS, **(settings or {})})
    return cluster


def release(cluster: Cluster) -> bool:
    """Give the cluster up; the last process to do so stops it. True when it was stopped."""
    if cluster.home.folder not in _held:
        return False
    with locks.exclusive(cluster.home.folder / "lock"):
        descriptor = _held.pop(cluster.home.folder)
        os.close(descriptor)  # not an unlock: a child that was forked from us still holds it
        again = locks.open_lock(cluster.home.folder / "users")
        try:
            if not locks.try_exclusive(again):
                return False
            cluster.stop()
            return True
        finally:
            os.close(again)


def create_database(cluster: Cluster, name: str = DATABASE) -> None:
    """Create the database unless it exists, also when two processes try at once."""
    import psycopg  # the launcher itself must start without a driver

    with psycopg.connect(cluster.url("postgres"), autocommit=True) as connection:
        found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone()
        if found is None:
            try:
                connection.execute(f"CREATE DATABASE {_quoted(name)}")
            except (psycopg.errors.DuplicateDatabase, psycopg.errors.UniqueViolation):
                pass  # another starter was first


def local_database_url() -> str:
    """For the settings, when DATABASE_URL is not given: the running local database, made and started if need be."""
    try:
        cluster = ensure_running()
        if not _marker(cluster).exists():
            create_database(cluster)
            _marker(cluster).touch()
    except LocalError as error:
        sys.exit(f"contextapp: {error}")
    return cluster.url()


def _marker(cluster: Cluster) -> Path:
    return cluster.home.folder / f"has-{DATABASE}"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _release_at_exit(cluster: Cluster, owner: int) -> None:
    if os.getpid() == owner:  # a forked child leaves the decision to its parent
        release(cluster)


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    return {**kept, "LC_ALL": "C", "TZ": "UTC"}


def _run(cluster: Cluster, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    user = cluster.home.user
    identity = {} if user is None else {"user": user.uid, "group": user.gid, "extra_groups": []}
    command = [cluster.binaries.program(program), *arguments]
    return subprocess.run(command, cwd="/", env=_environment(), capture_output=True, text=True, **identity)  # type: ignore[call-overload,no-any-return]  # the keywords of a dict can't be typed


def _within_reach(cluster: Cluster) -> Cluster:
    user = cluster.home.user
    if user is None or user.may_enter(Path(cluster.binaries.program("postgres"))):
        return cluster
    return Cluster(cluster.home, programs.copy_within_reach(cluster.binaries, cluster.home.folder))


def _postmaster(home: homes.Home) -> int | None:
    """The pid in postmaster.pid, if that process is a postgres of this folder."""
    try:
        first = (home.cluster / "postmaster.pid").read_text().partition("\n")[0]
        pid = int(first)
    except (FileNotFoundError, ValueError):
        return None
    started_as = " ".join(command_line(pid))
    return pid if f"/postgres -D {home.cluster} " in f"{started_as} " else None


def _start(cluster: Cluster, settings: Mapping[str, str]) -> None:
    home = cluster.home
    version = cluster.binaries.version()
    if not home.cluster.exists():
        _initialise(cluster, version)
    _refuse_other_major(home.cluster, version)
    for folder in (home.cluster, home.socket, home.log):
        homes.give(folder, home.user)
    _drop_stale_pid(home)
    options = ["-k", str(home.socket), "-p", str(PORT)]
    for name, value in settings.items():
        options += ["-c", f"{name}={value}"]
    log = home.log / "server.log"
    for attempt in range(START_TRIES):
        done = _run(
            cluster,
            "pg_ctl",
            "start",
            "-w",
            "-t",
            "90",
            "-D",
            str(home.cluster),
            "-l",
            str(log),
            "-o",
            shlex.join(options),
        )
        if done.returncode == 0 or cluster.is_running():
            return
        time.sleep(0.25 * (attempt + 1))  # after a crash orphaned backends hold the socket's lock for a moment
    tail = "\n".join(log.read_text(errors="replace").splitlines()[-8:]) if log.exists() else done.stderr
    raise LocalError(f"PostgreSQL does not start in {home.cluster}. The end of {log}:\n{tail}")


def _initialise(cluster: Cluster, version: str) -> None:
    """Into a draft that is renamed when whole, so that an interrupted start leaves nothing half made."""
    draft = cluster.home.folder / "cluster.new"
    shutil.rmtree(draft, ignore_errors=True)
    homes.give(draft, cluster.home.user)
    locale = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"] if int(version.split(".")[0]) >= 17 else []
    done = _run(
        cluster,
        "initdb",
        "-D",
        str(draft),
        f"--username={ROLE}",
        "--auth=trust",
        "--encoding=UTF8",
        "--locale=C",
        *locale,
    )
    if done.returncode != 0:
        raise LocalError(f"initdb failed in {draft}:\n{done.stderr.strip() or done.stdout.strip()}")
    setting = "default_toast_compression"
    if _run(cluster, "postgres", "-D", str(draft), "-C", setting, "-c", f"{setting}=lz4").returncode == 0:
        with (draft / "postgresql.conf").open("a") as configuration:
            configuration.write(f"\n{setting} = lz4\n")
    _marker(cluster).unlink(missing_ok=True)
    draft.rename(cluster.home.cluster)


def _refuse_other_major(folder: Path, version: str) -> None:
    made_by = (folder / "PG_VERSION").read_text().strip()
    if made_by != version.split(".")[0]:
        raise LocalError(
            f"{folder} was made by PostgreSQL {made_by}, but the programs here are {version}. Point PG_BIN to the programs of "
            f"{made_by}, dump with its pg_dumpall and load the dump into a new folder, or move {folder} away to start empty."
        )


def _drop_stale_pid(home: homes.Home) -> None:
    """PostgreSQL takes any live process of that number for its own server and refuses. Backends that outlived a crash
    still stop a second start: they hold the shared memory block that PostgreSQL finds by the folder's inode."""
    if _postmaster(home) is None:
        (home.cluster / "postmaster.pid").unlink(missing_ok=True)
