"""The small bar of a session's row: how full the window was over its steps. Drawn on the server, one path per level."""

from __future__ import annotations

from collections.abc import Sequence

from django import template
from django.utils.html import format_html
from django.utils.translation import gettext as _

register = template.Library()

PITCH, BAR, HEIGHT = 4, 3, 16
FULL_PERMILLE = 1000
NEARLY_FULL_PERMILLE = 850


@register.simple_tag
def fill_bar(series: Sequence[int]) -> str:
    """Per mille of the window for each step, or for the fullest of several; an unknown window draws nothing."""
    if not series:
        return format_html('<span class="muted" title="{}">–</span>', _("The model's window is not known"))
    calm = _bars(series, high=False)
    high = _bars(series, high=True)
    words = _("fullest at %(peak)s %% of the window, %(last)s %% at the end") % {
        "peak": round(max(series) / 10),
        "last": round(series[-1] / 10),
    }
    return format_html(
        '<svg class="fill" width="{0}" height="{1}" viewBox="0 0 {0} {1}" role="img"><title>{2}</title>'
        '<path class="line" d="M0 15.5h{0}"/><path class="calm" d="{3}"/><path class="high" d="{4}"/></svg>',
        len(series) * PITCH,
        HEIGHT,
        words,
        calm,
        high,
    )


def _bars(series: Sequence[int], *, high: bool) -> str:
    """A path of standing bars; a bar is never lower than one pixel, so that an empty window can be told from no step."""
    pieces = []
    for index, permille in enumerate(series):
        if (permille >= NEARLY_FULL_PERMILLE) is high:
            height = max(1, round(min(permille, FULL_PERMILLE) * HEIGHT / FULL_PERMILLE))
            pieces.append(f"M{index * PITCH} {HEIGHT}v-{height}h{BAR}v{height}z")
    return "".join(pieces)
