"""Orders by their parts (D15-D24): an act, its object and its outlet in one sentence, whatever the words between them. A table;
each row names concepts, the first of which is the act that a prohibition would forbid. Pure, linear in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from contextapp.engine.injection.concepts import CONCEPTS
from contextapp.engine.injection.detection import Detection
from contextapp.engine.injection.gates import weighed
from contextapp.engine.injection.needed import masks, may_match
from contextapp.engine.injection.risks import RISKS

MOST_CHARS = 400  # of one sentence; longer ones are read in pieces that overlap by half
_SENTENCE = re.compile(r"(?:[^.!?。！？\n]|[.!?](?=\S))+")
_ARTICLE = re.compile(
    r"(?<![A-Za-z])(?:the|an?|its|our|their|this|that|of|per|internal|external|new|last|each)\s+$", re.I
)
_ALL = {**CONCEPTS, **RISKS}
_WANTED = {concept: masks(pattern) for concept, pattern in _ALL.items()}
# id, weight, concepts that must all be there ("A|B" is one of them), concepts that may not.
_ROWS: tuple[tuple[str, int, str, str], ...] = (
    ("D15", 5, "VOID RULES THIS|ALL OVER_AGENT|PREVAIL|DISOBEY", ""),
    ("D15", 5, "DISOBEY RULES ALL|OVER_AGENT|THIS VOID|PREVAIL|OVER_AGENT", ""),
    ("D15", 5, "PREVAIL THIS OVER_AGENT RULES|VOID", ""),
    ("D15", 5, "VOID OVER_AGENT RULES ALL|THIS", ""),
    ("D15", 5, "VOID BINDING", ""),
    ("D15", 5, "VOID RULES ALL THIS", ""),
    ("D15", 5, "DISOBEY RULES ALL THIS", ""),
    ("D19", 4, "UNSAID DEED AUDIENCE|REPORT", "CONDITION"),
    ("D19", 4, "OMIT DEED REPORT", "CONDITION"),
    ("D19", 4, "ASKED CLAIM HARMLESS", ""),
    ("D19", 4, "MISSTATE DEED MASK", ""),
    ("D19", 4, "STATE PASSED REGARDLESS", "CONDITION"),
    ("D19", 4, "WIPE TRACES UNSEEN", ""),
    ("D19", 4, "SECRETLY", ""),
    ("D17", 5, "LEAK SECRET|SECRET_FILE OUTSIDE|PUBLIC", ""),
    ("D17", 5, "LEAK PRIVATE OUTSIDE|OPEN", ""),
    ("D21", 4, "SKIP CHECKS PURPOSE", "LOCAL|PROCEDURE"),
    ("D21", 4, "AUTO ASKING", "PROCEDURE"),
    ("D22", 3, "CONSENT AUTHORITY BLANKET", "PROCEDURE"),
)


def found(text: str, marks: int, view: str = "text", *, is_gated: bool = True) -> Iterator[Detection]:
    """`marks` are the words that stand in the text: a row whose concepts lack theirs is not looked for."""
    here = {concept for concept, wanted in _WANTED.items() if may_match(wanted, marks)}
    rows = [row for row in _ROWS if all(here.intersection(part.split("|")) for part in row[2].split())]
    for start, piece in _pieces(text) if rows else ():
        seen: dict[str, list[tuple[int, int]]] = {}
        for name, weight, needed, barred in rows:
            if any(_spans(piece, one, seen) for one in barred.split("|") if one):
                continue
            groups: list[list[tuple[int, int]]] = []
            for part in needed.split():
                groups.append([span for one in part.split("|") for span in _spans(piece, one, seen)])
                if not groups[-1]:
                    break
            if not groups[-1]:
                continue
            for low, high in groups[0]:
                if _is_noun(piece, low, high):
                    continue
                if all(any(_apart(span, (low, high)) for span in group) for group in groups[1:]):
                    value = weighed(piece, low, high, weight) if is_gated else weight
                    yield Detection(name, value, start + low, start + high, view)


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    for match in _SENTENCE.finditer(text):
        for offset in range(0, len(match.group()), MOST_CHARS // 2):
            yield match.start() + offset, match.group()[offset : offset + MOST_CHARS]
            if offset + MOST_CHARS >= len(match.group()):
                break


def _spans(piece: str, concept: str, seen: dict[str, list[tuple[int, int]]]) -> list[tuple[int, int]]:
    if concept not in seen:
        seen[concept] = [match.span() for match in _ALL[concept].finditer(piece)]
    return seen[concept]


def _is_noun(piece: str, start: int, end: int) -> bool:
    """ "the mirror", "an upload", "mirror.corp": a thing, not an act."""
    if piece[end : end + 1] in (".", "-", "_") and piece[end + 1 : end + 2].isalnum():
        return True
    return _ARTICLE.search(piece[max(0, start - 24) : start]) is not None


def _apart(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[1] <= other[0] or other[1] <= one[0]
