"""Compiles the translation catalogues that are newer than their compiled form. Writes nothing but `.mo` files."""

from __future__ import annotations

import os
from pathlib import Path

import polib

from contextapp.config.local.places import PROJECT


def compile_stale(folder: Path = PROJECT / "locale") -> list[Path]:
    """The catalogues that were compiled just now. A reader never sees half a file: each is renamed into place."""
    compiled = []
    for source in sorted(folder.glob("*/LC_MESSAGES/*.po")):
        target = source.with_suffix(".mo")
        if target.exists() and target.stat().st_mtime >= source.stat().st_mtime:
            continue
        draft = target.with_suffix(f".mo.{os.getpid()}")
        polib.pofile(str(source)).save_as_mofile(str(draft))
        draft.rename(target)
        compiled.append(target)
    return compiled


if __name__ == "__main__":
    for path in compile_stale():
        print(f"compiled {path.relative_to(PROJECT)}")
