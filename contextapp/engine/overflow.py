"""Does the build fit, and if not: which bucket is guilty, and what does each way out cost. Moves nothing."""

from __future__ import annotations

from dataclasses import dataclass

from contextapp.engine.budget import Allotments
from contextapp.engine.fit import Fitted
from contextapp.engine.inputs import Overflow, WayOut
from contextapp.engine.lanes import Rendered
from contextapp.engine.policy import Policy
from contextapp.engine.values import Bucket

BUCKET_FULL, WINDOW_FULL = "bucket_full", "window_full"


@dataclass(frozen=True, slots=True)
class Standing:
    """What a build came to, in costs with frames. `required`: the least the transcript needs; `room`: what it may take."""

    instructions: Fitted
    others: int  # memory, tools, resources
    required: int
    room: int
    borrowed: int
    floor_tokens: int
    total_tokens: int
    pinned: tuple[Rendered, ...]  # of the transcript


def judge(standing: Standing, allotments: Allotments, policy: Policy) -> Overflow | None:
    """None when the request fits. Otherwise the floor is too large: everything else had already given way."""
    if standing.instructions.cost > allotments.instructions_hard:
        return _instructions(standing, allotments)
    if standing.required > standing.room:
        return _transcript(standing, allotments, policy)
    if standing.total_tokens > allotments.window:
        return _window(standing, allotments, policy)
    return None


def _instructions(standing: Standing, allotments: Allotments) -> Overflow:
    hard = allotments.instructions_hard
    excess = standing.instructions.cost - hard
    free = max(
        0, allotments.window - allotments.reserve - standing.instructions.cost - standing.required - standing.others
    )
    files = tuple(
        rendered.source.id
        for rendered in standing.instructions.kept
        if rendered.source.kind == "instruction" and rendered.source.events
    )
    larger = WayOut("larger_window", "", _window_for(standing.instructions.cost, hard, allotments.window))
    raised = (WayOut("raise_bucket", Bucket.INSTRUCTIONS.value, excess),) if free else ()
    return Overflow(
        kind=BUCKET_FULL if free else WINDOW_FULL,
        bucket=Bucket.INSTRUCTIONS.value,
        required_tokens=standing.instructions.cost,
        available_tokens=hard,
        floor_tokens=standing.floor_tokens,
        free_tokens=free,
        ways_out=(
            WayOut("shorten_instructions", Bucket.INSTRUCTIONS.value, excess),
            *raised,
            larger,
        ),
        sources=files,
    )


def _transcript(standing: Standing, allotments: Allotments, policy: Policy) -> Overflow:
    room = max(0, standing.room)
    excess = standing.required - standing.room
    free = max(0, allotments.window - allotments.reserve - standing.instructions.cost - standing.others - room)
    ways = [WayOut("raise_bucket", Bucket.TRANSCRIPT.value, excess)] if free >= excess else []
    if free >= excess and not policy.lend_unused:
        ways.append(WayOut("lend_unused", Bucket.TRANSCRIPT.value, excess))
    if standing.borrowed:
        ways.append(WayOut("shorten_instructions", Bucket.INSTRUCTIONS.value, min(standing.borrowed, excess)))
    largest = max(standing.pinned, key=lambda rendered: rendered.tokens, default=None)
    if largest and largest.tokens > excess:
        action = "shorten_message" if largest.source.kind == "user_message" else "shorten_floor"
        ways.append(WayOut(action, Bucket.TRANSCRIPT.value, excess))
    share = allotments.limits[Bucket.TRANSCRIPT]
    ways.append(
        WayOut("larger_window", "", _window_for(standing.required + standing.borrowed, share, allotments.window))
    )
    guilty = sorted(standing.pinned, key=lambda rendered: -rendered.tokens)
    return Overflow(
        kind=BUCKET_FULL if free >= excess else WINDOW_FULL,
        bucket=Bucket.TRANSCRIPT.value,
        required_tokens=standing.required,
        available_tokens=room,
        floor_tokens=standing.floor_tokens,
        free_tokens=free,
        ways_out=tuple(ways),
        sources=tuple(rendered.source.id for rendered in guilty),
    )


def _window(standing: Standing, allotments: Allotments, policy: Policy) -> Overflow:
    """Everything has given way or, in a baseline, nothing may. The reserve grows with the window unless the model's own limit
    holds it."""
    counted = standing.total_tokens - allotments.reserve
    share = policy.ratios[Bucket.RESERVE]
    is_clamped = allotments.reserve < allotments.allotted[Bucket.RESERVE] or share == 100
    enough = standing.total_tokens if is_clamped else -(-counted * 100 // (100 - share)) + 1
    return Overflow(
        kind=WINDOW_FULL,
        bucket=Bucket.TRANSCRIPT.value,
        required_tokens=standing.total_tokens,
        available_tokens=allotments.window,
        floor_tokens=standing.floor_tokens,
        free_tokens=0,
        ways_out=(WayOut("larger_window", "", enough),),
        sources=(),
    )


def _window_for(required: int, share: int, window: int) -> int:
    """The window in which the same share would hold what is required; every other limit staying as it is."""
    return -(-required * window // share) if share > 0 else required + window
