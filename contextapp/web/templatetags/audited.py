"""The before and after of an audit entry as lines of name and value. Every part is escaped."""

from __future__ import annotations

import json

from django import template
from django.utils.html import format_html, format_html_join

from contextapp.web.templatetags.text import visible

register = template.Library()
CHARS = 400


@register.simple_tag
def audited(value: object) -> str:
    if value is None:
        return "–"
    if not isinstance(value, dict):
        return format_html("<code>{}</code>", _shown(value))
    pairs = ((visible(name), _shown(inner)) for name, inner in value.items())
    return format_html("<dl>{}</dl>", format_html_join("", "<div><dt>{}</dt><dd>{}</dd></div>", pairs))


def _shown(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return visible(text if len(text) <= CHARS else f"{text[:CHARS]}… ({len(text):,})")
