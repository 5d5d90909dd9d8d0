"""Untrusted text for the page: escaped, with every invisible character shown. Nothing in it ever becomes markup."""

from __future__ import annotations

import re

from django import template
from django.utils.html import format_html, format_html_join

register = template.Library()

PICTURES = "\u2190-\U0001faff\ufe0f"
# Control characters except tab and line feed, bidi controls, zero-width and other format characters, tags, lone surrogates.
# A joiner between two emoji is spelling, anywhere else it hides something.
HIDDEN = re.compile(
    f"(?<![{PICTURES}])\u200d|\u200d(?![{PICTURES}])|"
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0d\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff\ud800-\udfff]"
)
# By name and not by the pictures of U+2400: few fonts have those.
NAMES = (
    "NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US"
)
CONTROLS = tuple(NAMES.split(" "))


@register.filter
def visible(value: object) -> str:
    """An escape becomes a boxed ESC, U+202E a boxed U+202E; the hover names the code point. \\r\\n stays a line end."""
    pieces: list[str] = []
    text, position = str(value).replace("\r\n", "\n"), 0
    for found in HIDDEN.finditer(text):
        pieces += [text[position : found.start()], _shown(found[0])]
        position = found.end()
    pieces.append(text[position:])
    return format_html_join("", "{}", ((piece,) for piece in pieces))


@register.filter
def plain(value: object) -> str:
    """The same for places that hold no markup, as a page's title: each hidden character becomes U+FFFD."""
    return HIDDEN.sub("\ufffd", str(value).replace("\r\n", "\n"))


def _shown(character: str) -> str:
    code = ord(character)
    name = f"U+{code:04X}"
    sign = CONTROLS[code] if code < len(CONTROLS) else "DEL" if code == 0x7F else name
    return format_html('<span class="control" title="{}">{}</span>', name, sign)
