"""Words, signs and sentences for recorded values, as filters. The tables are in `contextapp/web/words.py`."""

from __future__ import annotations

from django import template
from django.utils.html import format_html

from contextapp.web import words

register = template.Library()

TRUST_SHAPES = {
    "trusted": "M5.5 0L10 1.6v4C10 8.2 8 10.2 5.5 11 3 10.2 1 8.2 1 5.6v-4z",
    "fact": "M5.5 3a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5z",
    "untrusted": "M4.6 2C2.4 2.6 1 4.2 1 6.6 1 8 1.8 9 3 9s2-.8 2-2-.8-1.9-1.9-1.9c.1-.9.8-1.5 1.9-1.9z"
    "M9.6 2C7.4 2.6 6 4.2 6 6.6 6 8 6.8 9 8 9s2-.8 2-2-.8-1.9-1.9-1.9c.1-.9.8-1.5 1.9-1.9z",
}


@register.filter
def bucket_word(value: str) -> str:
    return words.word(words.BUCKETS, value)


@register.filter
def bucket_letter(value: str) -> str:
    return words.LETTERS.get(value, "?")


@register.filter
def mark_word(value: str) -> str:
    return words.word(words.MARKS, value)


@register.filter
def mode_word(value: str) -> str:
    return words.word(words.MODES, value)


@register.filter
def mode_sign(value: str) -> str:
    return words.SIGNS.get(value, "?")


@register.filter
def trust_word(value: str) -> str:
    return words.word(words.TRUSTS, value)


@register.filter
def trust_sign(value: str) -> str:
    """A shield, a dot, a quotation mark. Drawn, since fonts do not agree on them."""
    return format_html(
        '<svg class="trust-sign" viewBox="0 0 11 11" aria-hidden="true"><path fill="currentColor" d="{}"/></svg>',
        TRUST_SHAPES.get(value, ""),
    )


@register.filter
def phase_word(value: str) -> str:
    return words.word(words.PHASES, value)


@register.filter
def origin_word(value: str) -> str:
    return words.word(words.ORIGINS, value)


@register.filter
def role_word(value: str) -> str:
    return words.word(words.ROLES, value)


@register.filter
def constraint_word(value: str) -> str:
    return words.word(words.CONSTRAINT_KINDS, value)


@register.filter
def status_word(value: str) -> str:
    return words.word(words.STATUSES, value)


@register.filter
def item_word(value: str) -> str:
    return words.word(words.ITEM_KINDS, value)


@register.filter
def way_word(value: str) -> str:
    return words.word(words.WAYS_OUT, value)


@register.filter
def kind_word(value: str) -> str:
    return words.word(words.SOURCE_KINDS, value)


@register.filter
def job_word(kind: str) -> str:
    return words.word(words.JOB_KINDS, kind)


@register.filter
def reason_sentence(value: str) -> str:
    return words.sentence(value)
