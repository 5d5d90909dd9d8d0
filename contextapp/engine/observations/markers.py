"""The sentence that says how much of a result is shown and where the rest is. Every reduction ends or is cut with one."""

from __future__ import annotations

from contextapp.engine.observations.text import number


def marker(shown: int, total: int, unit: str, artifact: str, *, how: str = "") -> str:
    """`[20 of 134 matches shown, in 3 of 17 files; all: event 131]`; without a place to ask, how to ask for less."""
    rest = f"all: {artifact}" if artifact else "narrow the call to see more"
    return f"[{number(shown)} of {number(total)} {unit} shown{', ' + how if how else ''}; {rest}]"


def gap(count: int, unit: str, span: tuple[int, int] | None = None) -> str:
    """The line that stands where something was left out."""
    if span:
        return f"[… {unit} {number(span[0])}-{number(span[1])} omitted …]"
    return f"[… {number(count)} {unit} omitted …]"
