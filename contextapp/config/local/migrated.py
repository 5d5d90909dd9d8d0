"""Remembers for which code the database was migrated, so that a start serves while it asks. The database has the last say."""

from __future__ import annotations

import hashlib
from pathlib import Path

from contextapp.config.local.places import PROJECT


def may_serve_early(data: Path, url: str) -> bool:
    """Nothing changed since the last start, or nobody can have an address of this folder yet."""
    path = data / "migrated"
    return not path.exists() or path.read_text() == _mark(url)


def remember(data: Path, url: str) -> None:
    (data / "migrated").write_text(_mark(url))


def _mark(url: str) -> str:
    """Our migrations, the versions of everybody else's, and which database: a change of any is a reason to wait."""
    found = hashlib.sha256(url.encode())
    for path in (PROJECT / "requirements.lock", *sorted(PROJECT.glob("contextapp/*/migrations/*.py"))):
        found.update(path.name.encode() + b"\0" + path.read_bytes())
    return found.hexdigest()
