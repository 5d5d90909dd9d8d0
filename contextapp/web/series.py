"""The figures of a session or turn put into the chart's columns, with the words that hover and focus show.

Reads values alone; where things stand is decided in `chart.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.urls import reverse
from django.utils.translation import gettext as _

from contextapp.contexts.values import Chart as Figures
from contextapp.contexts.values import ChartStep
from contextapp.web import chart, words

RESIDUE = ("preamble", "correction", "unexplained")
COMFORTABLE_SHARE = 0.25  # a window used less than this is drawn to the scale of its use, unless asked otherwise


@dataclass(frozen=True, slots=True)
class TableRow:
    """The figures of one bar, in the order of the picture's kinds."""

    step: int
    turn: int
    href: str
    total: int | None
    figures: tuple[int, ...]
    line: int | None
    marks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """What `_chart.html` draws, and the same as a table."""

    drawn: chart.Chart
    overview: chart.Overview | None
    table: tuple[TableRow, ...]
    kinds: tuple[str, ...]  # what stands in the bars, for the legend and the columns of the table
    marks: tuple[str, ...]
    origin: str
    step_count: int
    has_line: bool
    scale: str
    earlier: int | None = None
    later: int | None = None

    @property
    def last_step(self) -> int:
        """Of the bars, which may be a window of all steps."""
        return self.table[-1].step if self.table else 0


def picture(figures: Figures, session_id: UUID, *, first_step: int | None = None, scale: str = "") -> Picture:
    """All steps, or an overview and one window of them where they are more than `chart.MAX_BARS`."""
    steps, whole, earlier, later = figures.steps, None, None, None
    if len(steps) > chart.MAX_BARS:
        numbers = [step.number for step in steps]
        place = chart.window_start(len(steps), None if first_step is None else first_step - numbers[0] + 1) - 1
        plain = [chart.Column(step.number, step.turn, "", parts(step), marks=step.marks) for step in steps]
        whole = chart.overview(plain, figures.window_tokens, numbers[place])
        earlier = numbers[max(place - chart.WINDOW_STEPS, 0)] if place > 0 else None
        later = numbers[place + chart.WINDOW_STEPS] if place + chart.WINDOW_STEPS < len(steps) else None
        steps = steps[place : place + chart.WINDOW_STEPS]
    columns = [_column(step, session_id, figures) for step in steps]
    scale = scale or _natural_scale(figures)
    kinds = _kinds(columns)
    return Picture(
        drawn=chart.draw(columns, figures.window_tokens, to_window=scale == "window"),
        overview=whole,
        table=tuple(_row(step, column, kinds) for step, column in zip(steps, columns, strict=True)),
        kinds=kinds,
        marks=tuple(kind for kind in words.MARKS if any(kind in step.marks for step in figures.steps)),
        origin=figures.origin,
        step_count=len(figures.steps),
        has_line=any(column.line is not None for column in columns),
        scale=scale,
        earlier=earlier,
        later=later,
    )


def parts(step: ChartStep) -> tuple[tuple[str, int], ...]:
    """Everything that stands in the bar, from bottom to top."""
    residue = tuple((name, getattr(step, name)) for name in RESIDUE)
    return (*residue[:1], *step.segments, ("overhead", step.overhead), *residue[1:], ("reserve", step.reserve_tokens))


def _column(step: ChartStep, session_id: UUID, figures: Figures) -> chart.Column:
    return chart.Column(
        step=step.number,
        turn=step.turn,
        href=reverse("steps:detail", args=[session_id, step.number]),
        parts=parts(step),
        detail=_detail(step, figures.window_tokens),
        marks=step.marks,
        line=step.simulated_tokens if figures.origin == "observed" else None,
    )


def _detail(step: ChartStep, window_tokens: int | None) -> str:
    """Lines for hover and focus: the step, its total, the parts by size, what is marked."""
    lines = [_("step %(step)s · turn %(turn)s") % {"step": step.number, "turn": step.turn}]
    if not step.verdict:
        return "\n".join([*lines, _("no ledger of this origin")])
    total = f"{step.total_tokens:,}"
    if window_tokens:
        values = {
            "total": total,
            "share": round(100 * step.total_tokens / window_tokens),
            "window": f"{window_tokens:,}",
        }
        lines.append(_("%(total)s tok, %(share)s %% of %(window)s") % values)
    else:
        lines.append(_("%(total)s tok; the model's window is unknown") % {"total": total})
    for kind, tokens in sorted(parts(step), key=lambda part: -part[1]):
        if tokens:
            lines.append(f"{words.word(words.BUCKETS, kind)} {tokens:,}")
    if step.simulated_tokens is not None:
        lines.append(_("simulated %(total)s tok") % {"total": f"{step.simulated_tokens:,}"})
    lines += [words.word(words.MARKS, mark) for mark in step.marks]
    return "\n".join(lines)


def _row(step: ChartStep, column: chart.Column, kinds: tuple[str, ...]) -> TableRow:
    tokens = dict(column.parts)
    return TableRow(
        step=step.number,
        turn=step.turn,
        href=column.href,
        total=step.total_tokens if step.verdict else None,
        figures=tuple(tokens.get(kind, 0) for kind in kinds),
        line=step.simulated_tokens,
        marks=step.marks,
    )


def _kinds(columns: Sequence[chart.Column]) -> tuple[str, ...]:
    present = {kind for column in columns for kind, tokens in column.parts if tokens}
    return tuple(kind for kind in words.BUCKETS if kind in present)


def _natural_scale(figures: Figures) -> str:
    window = figures.window_tokens
    return "window" if not window or figures.peak_tokens >= COMFORTABLE_SHARE * window else "use"
