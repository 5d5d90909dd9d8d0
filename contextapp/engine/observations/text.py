"""Cuts that never split what a reader sees as one character, and sizes in words. Never drops a character it doesn't mention."""

from __future__ import annotations

import regex

_GRAPHEME = regex.compile(r"\X")
_LOOK_BACK = 256


def clean(text: str) -> str:
    """The text with surrogate pairs joined and lone surrogates as U+FFFD: what every request and snapshot can hold."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def head(text: str, limit: int) -> str:
    """The longest start of at most `limit` characters that ends between graphemes."""
    if len(text) <= limit:
        return text
    return text[: _boundary(text, max(limit, 0))]


def tail(text: str, limit: int) -> str:
    """The longest end of at most `limit` characters that begins between graphemes."""
    if len(text) <= limit:
        return text
    if limit <= 0:
        return ""
    wanted = len(text) - limit
    start = _boundary(text, wanted)
    if start < wanted:
        found = _GRAPHEME.match(text, start)
        start = found.end() if found else wanted
    return text[start:]


def _boundary(text: str, position: int) -> int:
    """The last grapheme boundary at or before `position`. A grapheme longer than the look-back is cut inside."""
    if position <= 0 or position >= len(text):
        return max(0, min(position, len(text)))
    if text[position - 1] < "\x7f" and " " <= text[position] < "\x7f":
        return position
    anchor = max(0, position - _LOOK_BACK)
    is_known = anchor == 0
    for index in range(position - 1, anchor, -1):
        if "!" <= text[index] < "\x7f":  # a grapheme always begins at a printable ASCII character
            anchor, is_known = index, True
            break
    last = anchor
    for found in _GRAPHEME.finditer(text, anchor, min(len(text), position + _LOOK_BACK)):
        if found.end() > position:
            break
        last = found.end()
    return last if is_known or last > anchor else position


def first_line(text: str, limit: int = 120) -> str:
    """The first line that holds something, clipped."""
    for line in text.splitlines():
        stripped = line.strip()
        if stripped:
            return stripped if len(stripped) <= limit else head(stripped, limit - 1) + "…"
    return ""


def title_line(text: str) -> str:
    """What a text is called in lists: its first line that holds something, with the next where the first only leads to it
    ("Implement the following plan:")."""
    lines = [line.strip() for line in text.splitlines() if line.strip()][:2]
    if len(lines) == 2 and len(lines[0]) < 60 and lines[0].endswith((":", "\N{FULLWIDTH COLON}")):
        return f"{lines[0]} {lines[1].lstrip('#*-> ')}"
    return lines[0] if lines else ""


def short_title(text: str, limit: int = 80) -> str:
    """The same on one line of at most `limit` characters."""
    line = " ".join(clean(title_line(text)).split())
    return line if len(line) <= limit else head(line, limit - 1) + "…"


def number(value: int) -> str:
    return f"{value:,}"


def size(value: int) -> str:
    """Bytes in words."""
    if value < 1024:
        return f"{value} B"
    if value < 1024 * 1024:
        return f"{value / 1024:.0f} KB"
    return f"{value / (1024 * 1024):.1f} MB"
