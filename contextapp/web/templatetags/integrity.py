"""The tick of a session: what the last verification found, in one sign whose title says how far and under which checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from django import template
from django.utils.html import format_html
from django.utils.translation import gettext as _

from contextapp.eventlog.selectors import Integrity
from contextapp.web import words

register = template.Library()


@register.simple_tag
def integrity_tick(known: Mapping[UUID, Integrity], session_id: UUID) -> str:
    """Nothing for a session that was never verified: a missing sign is no claim."""
    found = known.get(session_id)
    if found is None:
        return ""
    if not found.is_good:
        title = f"{words.word(words.VERDICTS, found.verdict)}: {found.what}"
        return format_html('<strong class="bad-text" title="{0}" role="img" aria-label="{0}">✗</strong>', title)
    values = {"seq": f"{found.seq:,}", "total": f"{found.head_seq:,}", "number": f"{found.checkpoint or 0:,}"}
    if found.checkpoint is None:
        title = _("Verified to event %(seq)s of %(total)s, under no checkpoint yet") % values
    else:
        title = _("Verified to event %(seq)s of %(total)s, checkpoint %(number)s") % values
    sign = "✓" if found.is_whole and found.checkpoint is not None else "◌"
    return format_html('<span class="good-text" title="{0}" role="img" aria-label="{0}">{1}</span>', title, sign)


@register.filter
def verdict_word(value: str) -> str:
    return words.word(words.VERDICTS, value)
