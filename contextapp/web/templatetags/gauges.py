"""Lengths of bars that templates draw, in whole per cent."""

from __future__ import annotations

from django import template

register = template.Library()


@register.filter
def width_of(part: int, whole: int) -> int:
    """0 to 100; what is negative has no length, what is more than the whole fills it."""
    return min(max(round(100 * part / whole), 0), 100) if whole else 0
