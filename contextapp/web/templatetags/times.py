"""Times relative to now, with the absolute one on hover. A time that a transcript claims is told apart from one we recorded."""

from __future__ import annotations

from datetime import UTC, datetime

from django import template
from django.utils import timezone
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

register = template.Library()

MINUTE, HOUR, DAY = 60, 3600, 86_400
MONTH_DAYS = 30


@register.simple_tag
def when(moment: datetime | None, claimed: bool = False) -> str:
    """`claimed` for what a transcript says; otherwise it is a time of our own clock."""
    if moment is None:
        return "–"
    absolute = f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
    title = _("%(time)s, as the transcript claims") if claimed else _("%(time)s, recorded")
    return format_html(
        '<time datetime="{}" title="{}" class="nowrap">{}</time>',
        moment.isoformat(),
        title % {"time": absolute},
        ago(moment, timezone.now()),
    )


@register.filter
def clock(moment: datetime | None) -> str:
    """The absolute time with its zone, for evidence."""
    return "–" if moment is None else f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def ago(moment: datetime, now: datetime) -> str:
    seconds = int((now - moment).total_seconds())
    if -MINUTE < seconds < MINUTE:
        return _("just now")
    if seconds < 0:
        return f"{moment.astimezone(UTC):%Y-%m-%d}"
    if seconds < HOUR:
        return _("%(count)s min ago") % {"count": seconds // MINUTE}
    if seconds < DAY:
        return _("%(count)s h ago") % {"count": seconds // HOUR}
    days = seconds // DAY
    if days == 1:
        return _("yesterday")
    if days <= MONTH_DAYS:
        return ngettext("%(count)s day ago", "%(count)s days ago", days) % {"count": days}
    return f"{moment.astimezone(UTC):%Y-%m-%d}"
