"""The one cut an instruction file may get: what is over its limit goes, the lines that hold rules stay longest.

Keeps the order of the file and says how much of how much is shown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from contextapp.engine.kept import Kept
from contextapp.engine.observations.text import head, number
from contextapp.engine.projection import constraints

GAP = "[…]\n"
_MARK = len(GAP) + 1
_SPLIT_OVER = 600  # a line that long is taken apart into its sentences
_SENTENCE = re.compile(r"[^.!?。！？]*(?:[.!?。！？]+\s*|\Z)")
_RULES = frozenset({constraints.PROHIBITION, constraints.APPROVAL, constraints.VERIFICATION})
_HINT = re.compile(
    r"\b(?:must|never|always|do not|don't|only|forbidden|required|approval|approve|confirm|verify|ask before|run .*tests?)\b"
    r"|不要|不得|不能|禁止|必须|只能|务必|确认|批准|验证",
    re.IGNORECASE,
)
_RULE, _LIKE_A_RULE, _OTHER = range(3)


@dataclass(frozen=True, slots=True)
class Shortened:
    """`alarms`: what a reader of the ledger must not overlook."""

    text: str
    shown_chars: int
    alarms: tuple[str, ...] = ()


_made: Kept[Shortened] = Kept()


def shortened(text: str, limit: int) -> Shortened:
    """At most `limit` characters of the file: its rules first, then its start."""
    return _made.of((text, limit), len(text) + limit, lambda: _shortened(text, limit))


def _shortened(text: str, limit: int) -> Shortened:
    pieces = [piece for line in text.splitlines(keepends=True) for piece in _pieces(line)]
    ranks = [_rank(piece) for piece in pieces]
    kept: dict[int, str] = {}
    room = limit
    for rank in (_RULE, _LIKE_A_RULE):
        for place, piece in enumerate(pieces):
            if ranks[place] == rank:
                if len(piece) + _MARK <= room:
                    kept[place] = piece
                    room -= len(piece)
                room -= _MARK
    for place, piece in enumerate(pieces):
        if ranks[place] == _OTHER:
            part = head(piece, max(0, room - _MARK))
            room -= len(piece)
            if part:
                kept[place] = part
            if part != piece:
                break
    lost = sum(1 for place, rank in enumerate(ranks) if rank == _RULE and place not in kept)
    alarms = (f"alarm: {number(lost)} lines with rules did not fit",) if lost else ()
    if pieces and not kept:  # a first rule that is longer than all there is
        kept = {0: head(pieces[0], limit)}
    return Shortened(_joined(pieces, kept), sum(map(len, kept.values())), alarms)


def _pieces(line: str) -> list[str]:
    if len(line) <= _SPLIT_OVER:
        return [line]
    return [piece for piece in _SENTENCE.findall(line) if piece]


def _rank(piece: str) -> int:
    plain = piece.replace("**", "").strip(" \t\r\n-*+•>#")
    if constraints.kind_of(plain) in _RULES:
        return _RULE
    return _LIKE_A_RULE if len(piece) <= _SPLIT_OVER and _HINT.search(piece) else _OTHER


def _joined(pieces: list[str], kept: dict[int, str]) -> str:
    """The kept pieces in the file's order, with a mark where something is left out between them."""
    made: list[str] = []
    expected = 0
    for place in sorted(kept):
        if place != expected:
            made.append(GAP if not made or made[-1].endswith("\n") else "\n" + GAP)
        made.append(kept[place])
        expected = place + 1 if kept[place] == pieces[place] else -1
    return "".join(made).rstrip("\n")
