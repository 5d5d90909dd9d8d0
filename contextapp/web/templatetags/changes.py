"""Differences between two numbers, always with their direction."""

from __future__ import annotations

from django import template

register = template.Library()


@register.filter
def minus(value: int, other: int) -> int:
    return value - other


@register.filter
def signed(value: int) -> str:
    """+1,204, −38, or 0: a change always shows its direction."""
    return f"+{value:,}" if value > 0 else f"−{-value:,}" if value else "0"
