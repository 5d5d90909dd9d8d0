"""Numbers as people read them: grouped by thousands in every language, shortened with a unit, shares in per cent."""

from __future__ import annotations

from django import template

register = template.Library()

KILO = 1000
UNITS = ("B", "KB", "MB", "GB", "TB")


@register.filter
def thousands(value: int | None) -> str:
    """4512 -> 4,512; nothing known -> an en dash."""
    return "–" if value is None else f"{value:,}"


@register.filter
def short(value: int | None) -> str:
    """Three figures that matter: 950, 9.8k, 118k, 1.2M. The full number belongs in a title beside it."""
    if value is None:
        return "–"
    for limit, unit in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if abs(value) >= limit:
            scaled = value / limit
            return f"{scaled:.0f}{unit}" if abs(scaled) >= 99.95 else f"{scaled:.1f}{unit}".replace(".0", "")
    return str(value)


@register.filter
def share(part: int | None, whole: int | None) -> str:
    """61 of 100 -> 61 %; below one per cent it says so instead of rounding to nothing."""
    if part is None or not whole:
        return "–"
    percent = 100 * part / whole
    return "< 1 %" if 0 < percent < 1 else f"{percent:.0f} %"


@register.filter
def size(value: int | None) -> str:
    """Bytes, by 1,000: 812 B, 41 KB, 1.2 MB."""
    if value is None:
        return "–"
    amount, unit = float(value), 0
    while amount >= KILO and unit < len(UNITS) - 1:
        amount, unit = amount / KILO, unit + 1
    return f"{amount:.0f} {UNITS[unit]}" if unit < 2 or amount >= 99.95 else f"{amount:.1f} {UNITS[unit]}"
