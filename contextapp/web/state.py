"""The state of a session as its panel shows it: files in the order a person looks for them, the rest as folded."""

from __future__ import annotations

from dataclasses import dataclass

from contextapp.contexts.values import StateView
from contextapp.engine.projection.state import Constraint, Denial, FileState, SessionState

SHOWN_FILES = 12
SHOWN_CONSTRAINTS = 8
SHOWN_DENIALS = 5


@dataclass(frozen=True, slots=True)
class File:
    path: str
    modified_seq: int
    latest_seq: int


@dataclass(frozen=True, slots=True)
class Panel:
    """`files` are the first of all, changed ones before read ones, newest first; confirmed constraints stand before others."""

    step: int
    log_seq: int
    state: SessionState
    constraints: tuple[Constraint, ...]
    denials: tuple[Denial, ...]
    files: tuple[File, ...]
    modified_count: int
    read_count: int
    hidden_files: int

    @property
    def hidden_constraints(self) -> int:
        return len(self.state.constraints) - len(self.constraints)

    @property
    def hidden_denials(self) -> int:
        return len(self.state.denials) - len(self.denials)


def panel(view: StateView, root: str, *, whole: bool = False) -> Panel:
    """Paths under `root` are shown from there on, as people name them."""
    files = sorted(view.state.files, key=lambda file: (not file.modified_seq, -max(file.modified_seq, file.read_seq)))
    shown = files if whole else files[:SHOWN_FILES]
    constraints = sorted(view.state.constraints, key=lambda constraint: not constraint.confirmed)
    modified = sum(1 for file in files if file.modified_seq)
    return Panel(
        step=view.step,
        log_seq=view.log_seq,
        state=view.state,
        constraints=tuple(constraints if whole else constraints[:SHOWN_CONSTRAINTS]),
        denials=view.state.denials if whole else view.state.denials[-SHOWN_DENIALS:],
        files=tuple(_file(file, root) for file in shown),
        modified_count=modified,
        read_count=len(files) - modified,
        hidden_files=len(files) - len(shown),
    )


def _file(file: FileState, root: str) -> File:
    start = root.rstrip("/") + "/"
    path = file.path.removeprefix(start) if root else file.path
    return File(path, file.modified_seq, max(file.modified_seq, file.read_seq))
