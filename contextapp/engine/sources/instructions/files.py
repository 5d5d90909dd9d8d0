"""An instruction event as a file with a level, a place and a text, and where it stands among the others. Refuses nothing."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass

from contextapp.engine.events import Event
from contextapp.engine.front_matter import normal
from contextapp.engine.inputs import BuildInputs
from contextapp.engine.projection.instructions import LEVELS, is_readme
from contextapp.engine.projection.payloads import payload_of, text_of
from contextapp.engine.values import Trust

# Of the files of one directory the one that is meant to override stands nearest, a README furthest.
_NAMES = ("claude.md", "agents.md", "agents.override.md")


@dataclass(frozen=True, slots=True)
class File:
    """One instruction in force or named. `scope`: the directory it speaks for, absolute where that is known."""

    event: Event
    level: str
    name: str
    path: str
    real_path: str
    scope: str
    text: str
    warning: str

    @property
    def is_safety(self) -> bool:
        return self.level == "safety"

    @property
    def is_background(self) -> bool:
        return not self.is_safety and is_readme(self.path or self.name)

    @property
    def trust(self) -> Trust:
        return Trust.FACT if self.is_background else Trust.TRUSTED

    @property
    def id(self) -> str:
        return f"instruction:{self.level}:{self.path or self.name or self.event.seq}"

    @property
    def title(self) -> str:
        return f"{self.level}:{self.name}" if self.name else self.level

    @property
    def label(self) -> str:
        """How conflicts call it: two files of one level and name differ by their paths."""
        return f"{self.level}:{self.path or self.name}" if self.path or self.name else self.level

    @property
    def heading(self) -> str:
        """The line above its text."""
        shown = self.label.partition(":")[2] if self.level == "directory" else self.name or self.path
        return (
            f"# {'Background' if self.is_background else 'Instructions'} ({self.level}{': ' + shown if shown else ''})"
        )

    @property
    def strength(self) -> tuple[int, int, str, int, int]:
        """Weak to strong: level, then the inner directory, then the name, then what was loaded later."""
        scope = self.scope if self.level == "directory" else ""
        name = (self.path or self.name).rsplit("/", 1)[-1].casefold()
        named = _NAMES.index(name) + 1 if name in _NAMES else len(_NAMES) + 1
        rank = 0 if self.is_background else named
        return LEVELS.index(self.level), scope.count("/"), scope, rank, self.event.seq


def file_of(event: Event, inputs: BuildInputs) -> File:
    payload = payload_of(event)
    level = text_of(payload, "level")
    path = text_of(payload, "path")
    scope = text_of(payload, "scope") or (posixpath.dirname(_slashed(path)) if path else "")
    return File(
        event=event,
        level=level if level in LEVELS else "session",
        name=text_of(payload, "name"),
        path=path,
        real_path=text_of(payload, "real_path"),
        scope=_absolute(scope, inputs.workspace_root or inputs.state.cwd) if scope else "",
        text=normal(text_of(payload, "text")),
        warning=text_of(payload, "warning"),
    )


def concerns(file: File, inputs: BuildInputs) -> bool:
    """Whether the work touches its directory: the working directory or a changed file lies there. What speaks for no known
    directory, or with no known working directory, concerns all work."""
    here = _absolute(inputs.state.cwd or inputs.workspace_root, inputs.workspace_root)
    if file.level != "directory" or not _is_absolute(file.scope) or not _is_absolute(here):
        return True
    changed = (_absolute(held.path, here) for held in inputs.state.files if held.modified_seq)
    return any(_is_below(path, file.scope) for path in (here, *changed))


def _is_below(path: str, directory: str) -> bool:
    return path == directory or path.startswith(directory.rstrip("/") + "/")


def _absolute(path: str, base: str) -> str:
    """The path with one kind of slash and no dots, below `base` where it is relative; empty stays empty."""
    slashed = _slashed(path)
    if slashed and not _is_absolute(slashed):
        slashed = posixpath.join(_slashed(base), slashed)
    return posixpath.normpath(slashed) if slashed else ""


def _slashed(path: str) -> str:
    return path.replace("\\", "/")


def _is_absolute(path: str) -> bool:
    return path.startswith("/") or (path[:1].isalpha() and path[1:3] == ":/")
