"""The state of a session as its panel shows it: files in the order a person looks for them, the rest as folded."""

from __future__ import annotations

from dataclasses import dataclass

from contextapp.contexts.values import StateView
from contextapp.engine.projection.state import FileState, SessionState

SHOWN_FILES = 12


@dataclass(frozen=True, slots=True)
class File:
    path: str
    modified_seq: int
    latest_seq: int


@dataclass(frozen=True, slots=True)
class Panel:
    """`files` are the first of all, changed ones before read ones, newest first."""

    step: int
    log_seq: int
    state: SessionState
    files: tuple[File, ...]
    modified_count: int
    read_count: int
    hidden_files: int


def panel(view: StateView, root: str, *, all_files: bool = False) -> Panel:
    """Paths under `root` are shown from there on, as people name them."""
    files = sorted(view.state.files, key=lambda file: (not file.modified_seq, -max(file.modified_seq, file.read_seq)))
    shown = files if all_files else files[:SHOWN_FILES]
    modified = sum(1 for file in files if file.modified_seq)
    return Panel(
        step=view.step,
        log_seq=view.log_seq,
        state=view.state,
        files=tuple(_file(file, root) for file in shown),
        modified_count=modified,
        read_count=len(files) - modified,
        hidden_files=len(files) - len(shown),
    )


def _file(file: FileState, root: str) -> File:
    start = root.rstrip("/") + "/"
    path = file.path.removeprefix(start) if root else file.path
    return File(path, file.modified_seq, max(file.modified_seq, file.read_seq))
