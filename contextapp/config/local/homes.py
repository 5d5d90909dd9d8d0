"""Chooses the folder of the embedded cluster and the user that runs it. PostgreSQL refuses to run as root."""

from __future__ import annotations

import os
import pwd
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from contextapp.config.local.places import LocalError, short_name

SOCKET_NAME = "/.s.PGSQL.5432"
SOCKET_LIMIT_BYTES = 103 if sys.platform == "darwin" else 107


@dataclass(frozen=True, slots=True)
class ServerUser:
    name: str
    uid: int
    gid: int

    def may_enter(self, folder: Path) -> bool:
        """Asked of the system, as that user: access lists and mounts count, not only the mode bits."""
        probe = ["/bin/sh", "-c", 'test -x "$1"', "sh", str(folder)]
        return subprocess.run(probe, user=self.uid, group=self.gid, extra_groups=[], cwd="/").returncode == 0


@dataclass(frozen=True, slots=True)
class Home:
    """`folder` belongs to who starts; `cluster`, `socket` and `log` to who serves (the same, unless root starts)."""

    folder: Path
    socket: Path
    user: ServerUser | None
    note: str

    @property
    def cluster(self) -> Path:
        return self.folder / "cluster"

    @property
    def log(self) -> Path:
        return self.folder / "log"


def choose(data: Path, *, outside: Path = Path("/var/tmp")) -> Home:
    """`data/postgres`; for root a folder outside when the unprivileged user can't enter that one."""
    inside = data / "postgres"
    if os.geteuid() != 0:
        _make(inside, 0o700, {os.geteuid()})
        return Home(inside, _socket_folder(inside, None), None, "")
    user = _server_user(inside)
    _make(inside, 0o711, {0, user.uid})
    distant = outside / f"contextapp-{short_name(data)}"
    if user.may_enter(inside) and ((inside / "cluster").exists() or not (distant / "cluster").exists()):
        return Home(inside, _socket_folder(inside, user), user, "")
    if (inside / "cluster").exists():
        raise LocalError(f"The user {user.name} runs the database in {inside} but may not enter it; open its parents.")
    _make(distant, 0o711, {0})
    note = f"The user {user.name}, who runs the database for root, can't enter {inside}: the database is in {distant}."
    return Home(distant, _socket_folder(distant, user), user, note)


def give(folder: Path, user: ServerUser | None) -> None:
    """Make a private folder of the serving user; refuse one that somebody else put there first."""
    owner = os.geteuid() if user is None else user.uid
    try:
        folder.mkdir(mode=0o700, parents=True)
        if user is not None:
            os.chown(folder, user.uid, user.gid)
    except FileExistsError:
        if user is not None and folder.lstat().st_uid == 0 and not folder.is_symlink():
            os.chown(folder, user.uid, user.gid)
    _refuse_foreign(folder, {owner})
    os.chmod(folder, 0o700)


def _make(folder: Path, mode: int, owners: set[int]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except PermissionError as error:
        raise LocalError(
            f"{folder} can't be made: {error.strerror}. Set DATA_DIR to a folder you may write."
        ) from error
    _refuse_foreign(folder, owners)
    os.chmod(folder, mode)


def _refuse_foreign(folder: Path, owners: set[int]) -> None:
    found = folder.lstat()
    if folder.is_symlink() or found.st_uid not in owners:
        raise LocalError(
            f"{folder} is a link or belongs to uid {found.st_uid}, not {min(owners)}. "
            "Run as its owner, remove it, or set DATA_DIR to another folder."
        )


def _server_user(home: Path) -> ServerUser:
    """Who made the database before, be it root's nobody or a plain user; else nobody. No user is ever created."""
    owner = max((place.stat().st_uid for place in (home, home / "cluster") if place.exists()), default=0)
    try:
        entry = pwd.getpwuid(owner) if owner else pwd.getpwnam("nobody")
    except KeyError as error:
        raise LocalError(
            f"PostgreSQL can't run as root and there is no user {owner or 'nobody'}; start as a user."
        ) from error
    return ServerUser(entry.pw_name, entry.pw_uid, entry.pw_gid)


def _socket_folder(home: Path, user: ServerUser | None) -> Path:
    """A socket's whole path has a limit of about a hundred bytes, which a deep clone exceeds."""
    beside = home / "socket"
    if len(os.fsencode(beside)) + len(SOCKET_NAME) <= SOCKET_LIMIT_BYTES:
        return beside
    runtime = os.environ.get("XDG_RUNTIME_DIR") if user is None else None
    for base in (runtime, "/tmp"):
        short = Path(base or "/tmp") / f"contextapp-{short_name(home)}"
        if len(os.fsencode(short)) + len(SOCKET_NAME) <= SOCKET_LIMIT_BYTES:
            return short
    raise LocalError(f"No short folder for the database's socket: {home} and XDG_RUNTIME_DIR are both too long.")
