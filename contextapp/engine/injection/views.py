"""A text as a decoder would read it (D13): entities, compatibility forms, base64, hex, percent, rot13, leet, spaced
letters, and decoded twice. Pure; what decodes to nothing readable is no view."""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import re
import unicodedata
from collections.abc import Iterator
from urllib.parse import unquote

from contextapp.engine.injection.hidden import skeleton

DEPTH = 2
MOST_VIEWS = 12
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,}={0,2}")
_HEX = re.compile(r"(?<![0-9a-fA-F])(?:[0-9a-fA-F]{2}[ :]?){8,}(?![0-9a-fA-F])")
_ESCAPES = re.compile(r"(?:\\x[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}){4,}")
_PERCENT = re.compile(r"(?:%[0-9a-fA-F]{2}){3,}|%[0-9a-fA-F]{2}")
_SPACED = re.compile(
    r"(?:\b\w\b[ ._·*|/-]){5,}\w\b(?:[ ]{2,}(?:\b\w\b[ ._·*|/-])*\w\b)*|"
    r"(?:[\u4e00-\u9fff][ ]?[ .·*|/_-][ ]?){3,}[\u4e00-\u9fff]|"
    r"(?:\b\w [·*|/_-] ){4,}\w\b"
)
_LEET_WORD = re.compile(r"\b(?=\w*\d)(?=\w*[A-Za-z])\w{3,}\b|\b4ll\b")
_LEET = str.maketrans("013457@$!8", "oieastasib")
_COMMON = re.compile(
    r"\b(?:the|and|all|any|you|your|with|this|from|every|rules|ignore|send|of|to)\b|规则|指令|密钥|令牌|忽略|删除|日志|审批|发送|上传",
    re.I,
)
_LATIN = re.compile("[ -~]{12,}")
_INVISIBLE_CATEGORIES = ("Cf", "Co", "Cn", "Cc", "Mn", "Me")


def plain(text: str) -> str:
    """Entities resolved, compatibility forms and lookalike letters as Latin ones, nothing invisible; whitespace kept."""
    decoded = unicodedata.normalize("NFKC", html.unescape(text))
    seen = "".join(one for one in decoded if one in "\n\t" or unicodedata.category(one) not in _INVISIBLE_CATEGORIES)
    return skeleton(seen)


def decoded(text: str, depth: int = DEPTH) -> Iterator[tuple[str, str]]:
    """(name, text) of each view that differs; views of views are named `base64.hex`."""
    seen = {text}
    waiting = [("", text, depth)]
    made = 0
    while waiting and made < MOST_VIEWS:
        path, current, left = waiting.pop(0)
        for name, view in _views(current):
            if view in seen or made >= MOST_VIEWS:
                continue
            seen.add(view)
            made += 1
            full = f"{path}.{name}" if path else name
            yield full, view
            if left > 1 and name not in ("rot13", "reversed"):
                waiting.append((full, view, left - 1))


def is_prose(text: str) -> bool:
    """Some common words of English are there: letters put in another order by chance hold none."""
    return _COMMON.search(text) is not None


def _views(text: str) -> Iterator[tuple[str, str]]:
    for match in _BASE64.finditer(text):
        if (view := _from_base64(match.group())) is not None:
            yield "base64", view
    for match in _HEX.finditer(text):
        if (view := _readable(bytes.fromhex(re.sub("[ :]", "", match.group())))) is not None:
            yield "hex", view
    for match in _ESCAPES.finditer(text):
        yield "escapes", codecs.decode(match.group(), "unicode_escape")
    if _PERCENT.search(text):
        yield "percent", unquote(text, errors="replace")
    if _LEET_WORD.search(text):
        yield "leet", text.translate(_LEET)
    for match in _SPACED.finditer(text):
        words = re.split(r" {2,}", match.group())
        yield "spaced", " ".join(re.sub(r"[ ._·*|/-]", "", word) for word in words)
    latin = text if text.isascii() else " ".join(_LATIN.findall(text))
    if any(one.isalpha() for one in latin):
        yield "rot13", codecs.encode(latin, "rot13")
        yield "reversed", latin[::-1]
    if not text.isascii():
        yield "reversed", text[::-1]


def _from_base64(text: str) -> str | None:
    padded = text.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return _readable(base64.b64decode(padded + "=" * (-len(padded) % 4), validate=True))
    except (binascii.Error, ValueError):
        return None


def _readable(content: bytes) -> str | None:
    """Text of words, or nothing: digests decode to noise."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return None
    good = sum(one.isprintable() or one in "\n\t" for one in text)
    return text if len(text) >= 8 and good == len(text) else None
