"""A session as a film strip: sources down, steps across, how each source stood in each input."""

from __future__ import annotations

from dataclasses import dataclass

GONE = ""  # not yet there, or spoken of no more


@dataclass(frozen=True, slots=True)
class Run:
    """Steps in a row at which a source stood alike. `mode` is full, excerpt, summary, reference, none, or GONE."""

    first_step: int
    last_step: int
    mode: str
    reason: str

    @property
    def width(self) -> int:
        return self.last_step - self.first_step + 1


@dataclass(frozen=True, slots=True)
class Strip:
    """`tokens`: of its block at its largest. `runs` cover every step of the page, in order."""

    source_id: str
    title: str
    kind: str
    bucket: str
    trust: str
    tokens: int
    runs: tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Film:
    """`hidden`: sources that the filter let through and the page has no room for. `kinds`: (kind, how many) of all."""

    origin: str
    first_step: int
    last_step: int
    step_count: int
    strips: tuple[Strip, ...]
    hidden: int
    kinds: tuple[tuple[str, int], ...]

    @property
    def steps(self) -> int:
        return self.last_step - self.first_step + 1
