"""The canonical text of a memory record: what a reader sees is what a model gets. Pure; judges nothing."""

from __future__ import annotations

import unicodedata

from contextapp.engine.observations.text import clean

_JOINERS = "\u200c\u200d"  # needed inside words of some scripts and between the parts of an emoji
_FULLWIDTH = ("\uff01", "\uff5e")


def shown(text: str) -> str:
    """Without invisible characters; Latin letters and digits of compatibility forms as plain ones; line ends as spaces."""
    made: list[str] = []
    readable = " ".join(clean(text).split())
    for place, character in enumerate(readable):
        if unicodedata.category(character) in ("Cf", "Co", "Cn", "Cc"):
            if character in _JOINERS and _joins(readable, place):
                made.append(character)
            continue
        if _FULLWIDTH[0] <= character <= _FULLWIDTH[1] and character.isalnum():
            character = unicodedata.normalize("NFKC", character)
        made.append(character)
    return "".join(made)


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


def _joins(text: str, place: int) -> bool:
    """Between two characters of which neither is an ASCII letter or Han: there a joiner shapes what is seen."""
    if not 0 < place < len(text) - 1:
        return False
    around = (text[place - 1], text[place + 1])
    return all(not (character.isascii() or "\u3400" <= character <= "\u9fff") for character in around)
