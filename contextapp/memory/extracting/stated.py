"""What a user asks to be remembered, in English and Chinese: `remember that ...`, `from now on ...`, `记住...`, `以后...`.

Only words of a user message count; a tool's output that says `remember` is nobody's wish.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from contextapp.engine import events as kinds
from contextapp.engine.events import Event
from contextapp.memory.extracting.contract import Found, Place

MOST_CHARS = 300
_ASKS = (
    re.compile(
        r"(?:^|(?<=[.!?;:\n]))\s*(?:please\s+|also\s+|and\s+)*"
        r"(?:remember|keep\s+in\s+mind|note\s+for\s+(?:the\s+future|later)|make\s+a\s+note)(?:\s+that|\s*:|,)?\s+"
        r"(?P<claim>[^\n]{4,300}?)(?=[.!?](?:\s|$)|\n|$)",
        re.I,
    ),
    re.compile(
        r"(?:^|(?<=[.!?;:\n]))\s*(?:from\s+now\s+on|going\s+forward|in\s+(?:the\s+)?future|for\s+future\s+sessions),?\s+"
        r"(?P<claim>[^\n]{4,300}?)(?=[.!?](?:\s|$)|\n|$)",
        re.I,
    ),
    re.compile(r"(?:请|务必|要)?(?:记住|记一下|记下来|牢记)[:：,，]?\s*(?P<claim>[^\n。！？]{2,200})"),
    re.compile(r"(?:^|(?<=[。！？；\n]))\s*(?:以后|今后|从现在(?:开始|起)|往后)[,，]?\s*(?P<claim>[^\n。！？]{2,200})"),
)
_ONCE = re.compile(r"^(?:to|me|when|what|how|if|the\s+(?:last|previous|earlier)|this\s+(?:one|time)|我|吗|了)\b", re.I)
_RULE = re.compile(r"\b(?:never|always|must|do\s+not|don['’]?t|only)\b|不要|不得|必须|禁止|只能|总是|一律", re.I)
_TASTE = re.compile(r"\b(?:prefers?|likes?|wants?|use|answer|reply|write|call\s+me)\b|喜欢|希望|用|回答|叫我", re.I)


class Stated:
    name = "extractor:stated"

    def extract(self, events: Sequence[Event]) -> tuple[Found, ...]:
        return tuple(
            found
            for event in events
            if event.type == kinds.USER_MESSAGE
            and event.visibility == "model"
            and isinstance(event.payload.get("text"), str)
            for found in _in_message(event.seq, event.payload["text"])
        )


def _in_message(seq: int, text: str) -> Iterator[Found]:
    taken: list[tuple[int, int]] = []
    for pattern in _ASKS:
        for match in pattern.finditer(text):
            start, end = match.span("claim")
            claim = match["claim"].strip().rstrip(".;,。；，")
            if len(claim) < 2 or len(claim) > MOST_CHARS or _ONCE.match(claim) or claim.endswith(("?", "？")):
                continue
            if any(start < other_end and other_start < end for other_start, other_end in taken):
                continue
            taken.append((start, end))
            start = text.index(claim, start)
            place = Place(seq, "text", start, start + len(claim))
            yield Found(_sentence(claim), _kind(claim), "stated", (place,))


def _kind(claim: str) -> str:
    if _RULE.search(claim):
        return "constraint"
    return "preference" if _TASTE.search(claim) else "fact"


def _sentence(claim: str) -> str:
    return claim[:1].upper() + claim[1:] if claim[:1].isascii() else claim
