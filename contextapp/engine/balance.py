"""The last count: rows, sums and the figures that make rows and request agree. Decides nothing and hides no difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from contextapp.engine import rows
from contextapp.engine.budget import Allotments
from contextapp.engine.fit import Dropped
from contextapp.engine.inputs import BuildInputs
from contextapp.engine.kept import Kept
from contextapp.engine.lanes import Lanes, Rendered
from contextapp.engine.ledger import Ledger
from contextapp.engine.reasons import Reason
from contextapp.engine.request.frame import frame_tokens
from contextapp.engine.request.neutral import Block
from contextapp.engine.values import Bucket, Method

_digests: Kept[str] = Kept()


@dataclass(frozen=True, slots=True)
class Balance:
    """The ledger with the digests of the blocks in order and the first block that the step before did not have."""

    ledger: Ledger
    digests: tuple[str, ...]
    first_changed: str


def balance(
    ordered: Sequence[Rendered], dropped: Sequence[Dropped], borrowed: int, allotments: Allotments,
    inputs: BuildInputs, lanes: Lanes,
) -> Balance:  # fmt: skip
    """Rows + overhead + margin = total, with the reserve among the rows."""
    method = lanes.method
    digests = tuple(_digest(rendered.block) for rendered in ordered)
    counted = sum(rendered.tokens for rendered in ordered)
    overhead = frame_tokens([rendered.block for rendered in ordered])
    margin = allotments.margin(counted + overhead)
    reserve = rows.figure(
        "reserve", allotments.reserve, Reason.RESERVED_FOR_ANSWER, method, bucket=Bucket.RESERVE.value
    )
    made = [*rows.included(ordered, digests, lanes), reserve, *rows.excluded(dropped, ordered, lanes)]
    made.append(rows.figure("overhead", overhead, Reason.OVERHEAD, Method.ESTIMATED))
    if margin or method == Method.ESTIMATED:
        detail = f"factor {allotments.factor_parts / 1_000_000:g}, calibration {inputs.profile.calibration}"
        made.append(rows.figure("margin", margin, Reason.MARGIN, Method.ESTIMATED, detail=detail))
    if borrowed:
        made.append(
            rows.figure("borrowed", borrowed, Reason.BORROWED, method, bucket=Bucket.INSTRUCTIONS.value,
                        detail=_borrowed(borrowed, ordered, allotments))
        )  # fmt: skip
    cached, first_changed = _cached_prefix(ordered, digests, inputs.previous_blocks)
    pinned = sum(rendered.tokens for rendered in ordered if rendered.source.pinned)
    return Balance(
        Ledger(
            rows=tuple(made),
            buckets=_buckets(ordered, allotments),
            floor_tokens=pinned + allotments.reserve,
            overhead_tokens=overhead,
            margin_tokens=margin,
            total_tokens=counted + allotments.reserve + overhead + margin,
            window_tokens=allotments.window,
            cached_prefix_tokens=cached,
        ),
        digests,
        first_changed,
    )


def _borrowed(tokens: int, ordered: Sequence[Rendered], allotments: Allotments) -> str:
    """The alarm: how far the instructions are over their share, and which of them is the largest."""
    held = [rendered for rendered in ordered if rendered.source.bucket == Bucket.INSTRUCTIONS]
    largest = max(held, key=lambda rendered: rendered.tokens, default=None)
    named = f"; the largest is {largest.source.id} with {largest.tokens}" if largest else ""
    share = allotments.limits[Bucket.INSTRUCTIONS]
    return f"alarm: {tokens} tokens beyond the share of {share} are taken from the transcript's{named}"


def _digest(block: Block) -> str:
    """A block with schemas is no key, and there are few of them."""
    return block.digest if block.tools else _digests.of(block, len(block.text), lambda: block.digest)


def _buckets(ordered: Sequence[Rendered], allotments: Allotments) -> dict[str, dict[str, int]]:
    used = dict.fromkeys(Bucket, 0)
    for rendered in ordered:
        used[rendered.source.bucket] += rendered.tokens
    used[Bucket.RESERVE] = allotments.reserve
    return {bucket.value: {"allotted": allotments.allotted[bucket], "used": tokens} for bucket, tokens in used.items()}


def _cached_prefix(
    ordered: Sequence[Rendered], digests: Sequence[str], previous: Sequence[tuple[str, int]]
) -> tuple[int, str]:
    """Tokens of the leading blocks that the step before sent too, and the source of the first that it did not."""
    tokens = 0
    for place, rendered in enumerate(ordered):
        if place >= len(previous) or previous[place][0] != digests[place]:
            return tokens, rendered.source.id
        tokens += rendered.tokens
    return tokens, ""
