"""What the detectors' signals say, and whose word a record rests on. The tables are in `contextapp/web/signal_words.py`."""

from __future__ import annotations

from django import template
from django.utils.functional import Promise
from django.utils.html import format_html

from contextapp.web.signal_words import SIGNALS, TRUST_OF_SOURCE
from contextapp.web.templatetags.words import trust_sign

register = template.Library()


@register.filter
def signal_word(value: str) -> str | Promise:
    return SIGNALS.get(value, value)


@register.simple_tag
def source_trust(value: str, label: str) -> str:
    """A shield, a dot or a quotation mark beside the word: colour is never the only sign."""
    trust = TRUST_OF_SOURCE.get(value, "untrusted")
    return format_html('<span class="source-trust {}">{}{}</span>', trust, trust_sign(trust), label)
