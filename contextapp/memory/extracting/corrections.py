"""Corrections that a user had to make twice: `use X, not Y`, `不要用 Y，用 X`. One is a remark, two are a preference."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from contextapp.engine import events as kinds
from contextapp.engine.events import Event
from contextapp.memory.extracting.contract import Found, Place

TIMES = 2
_THING = r"[\w./@+#-]{2,40}"
_PATTERNS = (
    re.compile(
        rf"\b(?:use|run|call|write)\s+(?P<right>{_THING})\s*,?\s*(?:not|instead\s+of|rather\s+than|over)\s+(?P<wrong>{_THING})",
        re.I,
    ),
    re.compile(
        rf"\b(?:don['’]?t|do\s+not|never|stop)\s+(?:use|using|run|running|call|write)\s+(?P<wrong>{_THING})\s*[,;.–-]+\s*(?:please\s+)?"
        rf"(?:use|run|call|write)\s+(?P<right>{_THING})",
        re.I,
    ),
    re.compile(
        rf"(?:不要|别|不是)用?\s*(?P<wrong>{_THING})\s*[,，;；。]?\s*(?:要|请|而是|改)?用\s*(?P<right>{_THING})"
    ),
    re.compile(rf"用\s*(?P<right>{_THING})\s*[,，]?\s*(?:不要|别|而不是)用?\s*(?P<wrong>{_THING})"),
)


class Corrections:
    name = "extractor:corrections"

    def extract(self, events: Sequence[Event]) -> tuple[Found, ...]:
        seen: dict[tuple[str, str], list[tuple[Place, str, str]]] = {}
        for event in events:
            text = event.payload.get("text")
            if event.type != kinds.USER_MESSAGE or event.visibility != "model" or not isinstance(text, str):
                continue
            for place, right, wrong in _in_message(event.seq, text):
                seen.setdefault((right.casefold(), wrong.casefold()), []).append((place, right, wrong))
        return tuple(_found(said) for said in seen.values() if len({place.seq for place, _r, _w in said}) >= TIMES)


def _in_message(seq: int, text: str) -> Iterator[tuple[Place, str, str]]:
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            right, wrong = match["right"].rstrip(".,;"), match["wrong"].rstrip(".,;")
            if right.casefold() != wrong.casefold():
                yield Place(seq, "text", match.start(), match.end()), right, wrong


def _found(said: list[tuple[Place, str, str]]) -> Found:
    _place, right, wrong = said[-1]
    places = tuple(place for place, _right, _wrong in said[-4:])
    return Found(
        f"Use {right}, not {wrong}.",
        "preference",
        "repeated",
        places,
        conflict_key=f"instead_of/{wrong.casefold()}",
        value=right,
    )
