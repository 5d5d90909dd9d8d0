"""Sources by hand for the tests of fit: text, weight and ladder, nothing from a log."""

from __future__ import annotations

from contextapp.engine.lanes import Lanes
from contextapp.engine.reasons import Reason
from contextapp.engine.sources.source import EXCERPT, OLD, RANK_OLDER, Form, Rung, Source
from contextapp.engine.values import Action, Bucket, Mode, Trust
from tests.engine.builder.worlds import CharCounter


def lanes() -> Lanes:
    return Lanes(secret=b"k", session_id="s", counter=CharCounter())


def shorter(tokens: int) -> Form:
    return Form("s" * 4 * tokens, Mode.REFERENCE, Action.REFERENCE, Reason.OLD_RESULT_REFERENCE)


def source(
    name: str, tokens: int, *, old: int | None = None, excerpt: int | None = None, group: int = 0, ends: int = 0,
    rank: int = RANK_OLDER, pinned: bool = False, anchor: bool = False, kind: str = "tool_result",
) -> Source:  # fmt: skip
    """A source of that many tokens, with the tokens of its cheaper forms."""
    ladder: list[Rung] = []
    if old is not None:
        ladder.append((OLD, lambda: shorter(old)))
    if excerpt is not None:
        ladder.append((EXCERPT, lambda: shorter(excerpt)))
    return Source(
        id=name,
        kind=kind,
        bucket=Bucket.TRANSCRIPT,
        rank=rank,
        trust=Trust.FACT,
        reason=Reason.OLDER_HISTORY,
        form=Form("f" * 4 * tokens),
        part="transcript",
        events=(group, group),
        pinned=pinned,
        is_anchor=anchor,
        ladder=tuple(ladder),
        group=group,
        ends=ends,
    )
