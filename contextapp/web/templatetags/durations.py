"""How long something lasted or has waited, in the largest unit that says it."""

from __future__ import annotations

from datetime import timedelta

from django import template
from django.utils.translation import gettext as _

register = template.Library()

MINUTE, HOUR, DAY = 60, 3600, 86_400


@register.filter
def lasted(duration: timedelta | None) -> str:
    if duration is None:
        return "–"
    seconds = int(duration.total_seconds())
    if seconds < MINUTE:
        return _("%(count)s s") % {"count": max(seconds, 0)}
    if seconds < HOUR:
        return _("%(count)s min") % {"count": seconds // MINUTE}
    if seconds < DAY:
        return _("%(count)s h") % {"count": seconds // HOUR}
    return _("%(count)s d") % {"count": seconds // DAY}
