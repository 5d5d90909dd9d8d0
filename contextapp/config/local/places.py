"""Where this installation keeps its files. Reads the environment only; creates nothing."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[3]


class LocalError(Exception):
    """The machine can't do what was asked; the message says what to change."""


def data_folder() -> Path:
    """The same folder as the setting DATA_DIR."""
    return Path(os.environ.get("DATA_DIR") or PROJECT / "data").resolve()


def short_name(path: Path) -> str:
    """Twelve hex digits that stand for a path where the path itself is too long or out of reach."""
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:12]
