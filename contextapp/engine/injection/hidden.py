"""Text that a reader doesn't see, or sees as something else (D01-D09). Pure; each signal with its place."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from contextapp.engine.injection.detection import FLAG, HARD, Detection

_FLAGS = tuple(
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in name) + "\U000e007f"
    for name in ("gbeng", "gbsct", "gbwls")
)
_TAGS = re.compile("[\U000e0000-\U000e007f]+")
_OVERRIDES = re.compile("[\u202a\u202b\u202d\u202e]")
_ISOLATES = re.compile("[\u2066-\u2069]")
_INVISIBLE = re.compile("[\u200b\u2060-\u2064\ufeff\u00ad\u180e\u034f\u115f\u1160\u3164\uffa0]")
_JOINER = re.compile("[\u200c\u200d]")
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]+")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_MARKS = re.compile(r"[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]{4,}")
_STYLED = re.compile("[\U0001d400-\U0001d7ff\u2460-\u24ff\U0001f130-\U0001f189]{4,}")
_FULLWIDTH = re.compile(
    "[\uff21-\uff3a\uff41-\uff5a]+(?:[\u3000 ]+[\uff21-\uff3a\uff41-\uff5a]+){2,}|[\uff21-\uff3a\uff41-\uff5a]{12,}"
)
_WORD = re.compile(r"\w{2,}")
# Letters of other scripts that pass for Latin ones, by script; what is not here does not make a skeleton.
_LOOKS = {
    "CYRILLIC": dict(zip("авекмнорстухіјѕԁԛԝһӏАВЕКМНОРСТУХІЈЅ", "abekmhopctyxijsdqwhlABEKMHOPCTYXIJS", strict=True)),
    "GREEK": dict(zip("ανογρτυχικεΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "avoyptuxikeABEZHIKMNOPTYX", strict=True)),
    "ARMENIAN": dict(zip("օոսհցքյզգԼՏՍ", "onuhgpjqqLSU", strict=True)),
    "CHEROKEE": dict(zip("ᎠᎡᎢᎪᎫᎬᎳᎷᎻᏀᏃᏎᏔᏚᏞᏟᏢᏴ", "DRTAJEWMHGZ4WSLCPB", strict=True)),
}
_SKELETON = {ord(seen): plain for script in _LOOKS.values() for seen, plain in script.items()}


def skeleton(text: str) -> str:
    """The text as it looks: letters of other scripts that pass for Latin ones written as those."""
    return text if text.isascii() else text.translate(_SKELETON)


def found(text: str) -> Iterator[Detection]:
    if text.isascii():
        yield from _spots("D06", HARD, _CONTROL, text)
        return
    plain = text
    for flag in _FLAGS:
        plain = plain.replace(flag, " " * len(flag))
    yield from _spots("D01", HARD, _TAGS, plain)
    yield from _spots("D02", HARD, _OVERRIDES, text)
    if not _is_balanced(text):
        yield next(_spots("D02", HARD, _ISOLATES, text))
    yield from _invisible(text)
    yield from _selectors(text)
    yield from _mixed_scripts(text)
    yield from _spots("D06", HARD, _CONTROL, text)
    for place, character in enumerate(text):
        if unicodedata.category(character) in ("Co", "Cn") and not 0xE0000 <= ord(character) <= 0xE01EF:
            yield Detection("D07", HARD, place, place + 1)
            break
    yield from _spots("D08", FLAG, _MARKS, text)
    yield from _spots("D09", FLAG, _STYLED, text)
    yield from _spots("D09", FLAG, _FULLWIDTH, text)


def _invisible(text: str) -> Iterator[Detection]:
    """Inside a Latin word or beside Han nothing invisible has a place; elsewhere an input method may have left it."""
    for match in _INVISIBLE.finditer(text):
        place = match.start()
        if match.group() == "\ufeff" and place == 0:
            continue
        before, after = text[max(place - 1, 0) : place], text[place + 1 : place + 2]
        is_inside = before.isascii() and before.isalpha() and after.isascii() and after.isalpha()
        yield Detection("D03", HARD if is_inside else FLAG, place, place + 1)
    for match in _JOINER.finditer(text):
        around = text[max(match.start() - 1, 0) : match.start()] + text[match.end() : match.end() + 1]
        if any((one.isascii() and one.isalpha()) or "\u3400" <= one <= "\u9fff" for one in around):
            yield Detection("D03", HARD, match.start(), match.end())


def _selectors(text: str) -> Iterator[Detection]:
    for match in _SELECTORS.finditer(text):
        base = text[match.start() - 1 : match.start()]
        is_variant_of_han = "\u3400" <= base <= "\u9fff" or "\U00020000" <= base <= "\U0003ffff"
        if len(match.group()) > 1 or (match.group() >= "\U000e0100" and not is_variant_of_han):
            yield Detection("D04", HARD, match.start(), match.end())


def _mixed_scripts(text: str) -> Iterator[Detection]:
    for match in _WORD.finditer(text):
        word = match.group()
        if word.isascii() or not any(letter.isascii() and letter.isalpha() for letter in word):
            continue
        if skeleton(word).isascii():
            yield Detection("D05", HARD, match.start(), match.end())


def _is_balanced(text: str) -> bool:
    """Every isolate is closed, and none is closed that was not opened."""
    open_ones = 0
    for mark in _ISOLATES.findall(text):
        open_ones += -1 if mark == "\u2069" else 1
        if open_ones < 0:
            return False
    return open_ones == 0


def _spots(name: str, weight: int, pattern: re.Pattern[str], text: str) -> Iterator[Detection]:
    for match in pattern.finditer(text):
        yield Detection(name, weight, match.start(), match.end())
