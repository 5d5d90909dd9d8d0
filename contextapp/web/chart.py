"""The geometry of the token chart: a series of steps in, positions of bars, ticks, marks and brackets out.

Pure: it knows no session, writes no markup and names no colour; `templates/_chart.html` draws what it says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

WIDTH = 1200
LEFT, RIGHT = 52, 12  # room for the axis, and for the last mark
TOP, PLOT_HEIGHT = 26, 170
BOTTOM = TOP + PLOT_HEIGHT
BRACKET_HEIGHT = 30
HEIGHT = BOTTOM + BRACKET_HEIGHT
MARK_SIZE = 10
OVERVIEW_HEIGHT = 56
PLOT_WIDTH = WIDTH - LEFT - RIGHT
MAX_PITCH = 44.0  # a bar of a short session is not a wall
MAX_BARS = 400  # more steps than this are shown as an overview and a window of it
WINDOW_STEPS = 200
OVERVIEW_BINS = 100
NICE = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True, slots=True)
class Column:
    """One step as the chart takes it. `parts` stand from bottom to top; `line` is the figure of the thin line, if any."""

    step: int
    turn: int
    href: str
    parts: tuple[tuple[str, int], ...]
    detail: str = ""
    marks: tuple[str, ...] = ()
    line: int | None = None

    @property
    def height_tokens(self) -> int:
        return sum(tokens for _, tokens in self.parts if tokens > 0)


@dataclass(frozen=True, slots=True)
class Rect:
    kind: str
    y: float
    height: float


@dataclass(frozen=True, slots=True)
class Mark:
    kind: str
    y: float


@dataclass(frozen=True, slots=True)
class Bar:
    step: int
    href: str
    detail: str
    x: float
    width: float
    left: float  # of the whole column, which is what a pointer hits
    pitch: float
    rects: tuple[Rect, ...]
    marks: tuple[Mark, ...]

    @property
    def middle(self) -> float:
        return _short(self.x + self.width / 2)

    @property
    def mark_x(self) -> float:
        return _short(self.middle - MARK_SIZE / 2)


@dataclass(frozen=True, slots=True)
class Tick:
    tokens: int
    y: float


@dataclass(frozen=True, slots=True)
class Bracket:
    """The steps of one turn under the axis. `wide` brackets have room for the word, others for the number or nothing."""

    turn: int
    left: float
    right: float

    @property
    def middle(self) -> float:
        return _short((self.left + self.right) / 2)

    @property
    def width(self) -> float:
        return _short(self.right - self.left)

    @property
    def wide(self) -> bool:
        return self.right - self.left >= 56

    @property
    def labelled(self) -> bool:
        return self.right - self.left >= 18


@dataclass(frozen=True, slots=True)
class Chart:
    """`limit_y` is None where the window is unknown or lies above the scale; `window_tokens` tells the two apart."""

    bars: tuple[Bar, ...]
    ticks: tuple[Tick, ...]
    brackets: tuple[Bracket, ...]
    line: str  # path of the thin line, empty when there is none
    window_tokens: int | None
    limit_y: float | None
    top_tokens: int
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    top: int = TOP
    bottom: int = BOTTOM
    plot_height: int = PLOT_HEIGHT

    @property
    def above_scale(self) -> bool:
        return self.window_tokens is not None and self.limit_y is None


@dataclass(frozen=True, slots=True)
class Bin:
    """Neighbouring steps of the overview: the fullest of them stands for all, and nothing that was marked is lost."""

    first_step: int
    last_step: int
    x: float
    width: float
    y: float
    height: float
    marks: tuple[Mark, ...]
    in_window: bool

    @property
    def mark_x(self) -> float:
        return _short(self.x + self.width / 2 - MARK_SIZE / 2)


@dataclass(frozen=True, slots=True)
class Overview:
    bins: tuple[Bin, ...]
    limit_y: float | None
    first_step: int  # of the window shown beneath
    last_step: int
    width: int = WIDTH
    height: int = OVERVIEW_HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT


def draw(columns: Sequence[Column], window_tokens: int | None, *, to_window: bool = True) -> Chart:
    """Bars over a common scale. `to_window` makes the scale reach the window's limit even where nothing comes near it."""
    highest = max((max(column.height_tokens, column.line or 0) for column in columns), default=0)
    top_tokens, ticks = _scale(max(highest, window_tokens or 0) if to_window else highest)
    pitch = min(PLOT_WIDTH / max(len(columns), 1), MAX_PITCH)
    bars = tuple(_bar(column, place, pitch, top_tokens) for place, column in enumerate(columns))
    limit_y = _y(window_tokens, top_tokens) if window_tokens and window_tokens <= top_tokens else None
    return Chart(
        bars=bars,
        ticks=tuple(Tick(tokens, _y(tokens, top_tokens)) for tokens in ticks),
        brackets=_brackets(columns, pitch),
        line=_line(columns, pitch, top_tokens),
        window_tokens=window_tokens,
        limit_y=limit_y,
        top_tokens=top_tokens,
    )


def overview(columns: Sequence[Column], window_tokens: int | None, first_step: int) -> Overview:
    """All steps in at most OVERVIEW_BINS bins, with the window of WINDOW_STEPS that begins at `first_step` marked."""
    highest = max((column.height_tokens for column in columns), default=0)
    top_tokens, _ = _scale(max(highest, window_tokens or 0))
    per_bin = -(-len(columns) // OVERVIEW_BINS) or 1
    groups = [columns[start : start + per_bin] for start in range(0, len(columns), per_bin)]
    pitch = PLOT_WIDTH / max(len(groups), 1)
    last_step = first_step + WINDOW_STEPS - 1
    bins = tuple(_bin(group, place, pitch, top_tokens, first_step, last_step) for place, group in enumerate(groups))
    return Overview(bins, _overview_y(window_tokens, top_tokens) if window_tokens else None, first_step, last_step)


def window_start(step_count: int, wanted: int | None) -> int:
    """The first step of the window to show: the one asked for, held inside the session; without a wish its end."""
    latest = max(step_count - WINDOW_STEPS + 1, 1)
    return latest if wanted is None else min(max(wanted, 1), latest)


def _bar(column: Column, place: int, pitch: float, top_tokens: int) -> Bar:
    left = LEFT + place * pitch
    gap = 3.0 if pitch >= 12 else 1.0 if pitch >= 4 else 0.0
    rects, reached = [], 0
    for kind, tokens in column.parts:
        if tokens <= 0:
            continue
        low, reached = _y(reached, top_tokens), reached + tokens
        high = _y(reached, top_tokens)
        rects.append(Rect(kind, high, _short(low - high)))
    top = _y(reached, top_tokens)
    marks = tuple(Mark(kind, _short(max(top - 12 - 12 * row, 1))) for row, kind in enumerate(column.marks))
    return Bar(
        column.step, column.href, column.detail, _short(left + gap / 2), _short(pitch - gap), _short(left), _short(pitch),
        tuple(rects), marks,
    )  # fmt: skip


def _bin(group: Sequence[Column], place: int, pitch: float, top: int, first_step: int, last_step: int) -> Bin:
    y = _overview_y(max(column.height_tokens for column in group), top)
    kinds = dict.fromkeys(kind for column in group for kind in column.marks)
    return Bin(
        first_step=group[0].step,
        last_step=group[-1].step,
        x=_short(LEFT + place * pitch),
        width=_short(pitch),
        y=y,
        height=_short(OVERVIEW_HEIGHT - y),
        marks=tuple(Mark(kind, 1.0) for kind in kinds),
        in_window=group[-1].step >= first_step and group[0].step <= last_step,
    )


def _brackets(columns: Sequence[Column], pitch: float) -> tuple[Bracket, ...]:
    found, place = [], 0
    for turn, steps in groupby(columns, key=lambda column: column.turn):
        count = len(list(steps))
        found.append(Bracket(turn, _short(LEFT + place * pitch + 1), _short(LEFT + (place + count) * pitch - 1)))
        place += count
    return tuple(found)


def _line(columns: Sequence[Column], pitch: float, top_tokens: int) -> str:
    """The path of the thin line. It is broken at steps without a figure; one alone is a dash as wide as its bar."""
    path: list[str] = []
    for place, column in enumerate(columns):
        if column.line is None:
            continue
        middle, y = LEFT + (place + 0.5) * pitch, _y(column.line, top_tokens)
        before = columns[place - 1].line if place else None
        after = columns[place + 1].line if place + 1 < len(columns) else None
        if before is not None:
            path.append(f"L{_short(middle)} {y}")
        elif after is not None:
            path.append(f"M{_short(middle)} {y}")
        else:
            path.append(f"M{_short(middle - pitch * 0.3)} {y}H{_short(middle + pitch * 0.3)}")
    return "".join(path)


def _scale(highest: int) -> tuple[int, tuple[int, ...]]:
    """The top of the axis and its ticks: four to six round numbers, the last at or above `highest`."""
    wanted = max(highest, 1) / 5
    power = 1.0
    while power * 10 <= wanted:
        power *= 10
    size = max(int(next(factor for factor in NICE if factor * power >= wanted) * power), 1)
    count = -(-max(highest, 1) // size)
    return size * count, tuple(size * number for number in range(count + 1))


def _y(tokens: int, top_tokens: int) -> float:
    return _short(BOTTOM - PLOT_HEIGHT * tokens / top_tokens)


def _overview_y(tokens: int, top_tokens: int) -> float:
    return _short(OVERVIEW_HEIGHT - (OVERVIEW_HEIGHT - 16) * tokens / top_tokens)


def _short(value: float) -> float:
    return round(value, 1)
