"""Token counts with the sign of how they were made. A count whose method is unknown carries no sign and is never guessed."""

from __future__ import annotations

from django import template
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

register = template.Library()

METHODS = {
    "exact": ("●", gettext_lazy("exact: counted with this model's own tokenizer")),
    "estimated": ("◐", gettext_lazy("estimated: counted with another tokenizer and the model's calibration factor")),
    "provider": ("◆", gettext_lazy("reported by the provider")),
}


@register.simple_tag
def method_mark(method: str) -> str:
    """● exact, ◐ estimated, ◆ provider; hover and screen readers get the words."""
    if method not in METHODS:
        return ""
    sign, words = METHODS[method]
    return format_html(
        '<span class="method" title="{0}"><span aria-hidden="true">{1}</span><span class="unseen"> {0}</span></span>',
        words,
        sign,
    )


@register.simple_tag
def tokens(count: int | None, method: str = "") -> str:
    """9821 -> 9,821 tok ●; nothing known -> an en dash."""
    if count is None:
        return "–"
    number = _("%(count)s tok") % {"count": f"{count:,}"}
    return format_html('<span class="nowrap">{}{}</span>', number, method_mark(method))
