"""The canonical text of a memory record: what a reader sees is what a model gets. Pure; judges nothing."""

from __future__ import annotations

import unicodedata

from contextapp.engine.observations.text import clean

_JOINERS = "\u200c\u200d"  # needed inside words of some scripts and between the parts of an emoji
_FULLWIDTH = ("\uff01", "\uff5e")


def shown(text: str) -> str:
    """Without invisible characters; Latin letters and digits of compatibility forms as plain ones; whitespace as one space."""
    plain = "".join(_plain(character) for character in clean(text) if not _is_invisible(character))
    readable = " ".join(plain.split())
    return "".join(
        character for place, character in enumerate(readable) if character not in _JOINERS or _joins(readable, place)
    )


def lost(text: str) -> tuple[tuple[int, str], ...]:
    """The characters of the text that `shown` leaves out, with their places: what a reviewer is told of."""
    kept = list(shown(text))
    missing: list[tuple[int, str]] = []
    for place, character in enumerate(text):
        if kept and (kept[0] == character or kept[0] == unicodedata.normalize("NFKC", character)):
            kept.pop(0)
        elif not character.isspace():
            missing.append((place, character))
    return tuple(missing)


def _is_invisible(character: str) -> bool:
    if character in _JOINERS or character.isspace():
        return False
    return unicodedata.category(character) in ("Cf", "Co", "Cn", "Cc")


def _plain(character: str) -> str:
    if _FULLWIDTH[0] <= character <= _FULLWIDTH[1] and character.isalnum():
        return unicodedata.normalize("NFKC", character)
    return character


def _joins(text: str, place: int) -> bool:
    """Between two characters of which neither is an ASCII one, Han or a joiner: there a joiner shapes what is seen."""
    if not 0 < place < len(text) - 1:
        return False
    around = (text[place - 1], text[place + 1])
    return all(not (one.isascii() or one in _JOINERS or "\u3400" <= one <= "\u9fff") for one in around)
