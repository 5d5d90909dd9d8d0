"""Which events of the log can matter to this build, and where each ends on the log's scale of weight.

Reads the tail backwards until it has more than the transcript could hold, then adds what those events can't do without: their
calls, calls still open, the goal, the user message in force, the summary. What lies before is summed up, never read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

from contextapp.engine import events as kinds
from contextapp.engine import shares
from contextapp.engine.events import Event
from contextapp.engine.inputs import BuildInputs
from contextapp.engine.policy import Policy
from contextapp.engine.projection.calls import is_model_part, model_call_key
from contextapp.engine.projection.payloads import id_of, payload_of, text_of, visible
from contextapp.engine.projection.state import SessionState
from contextapp.engine.projection.weights import MOST, event_weight
from contextapp.engine.sources.named import named_events
from contextapp.engine.values import Bucket

LOOKED_AT = 150  # percent, weight of the log that is looked at for as many tokens of history
OLD_RESULT, OLD_CALL = 150, 120  # tokens that an older result and an older call come to at the least, mostly
WINDOWS_BACK = 4  # nothing further back is ever looked at
SPARE = 2 * MOST  # beside what the transcript may hold: an atom that straddles the start is read whole
SPARE_FOR_CALLS = 5 * MOST  # a result that is near may have been asked for that far back


LOW = 80  # percent: tokens are rarely fewer than that of what a text weighs
_OLD = {kinds.TOOL_COMPLETED: OLD_RESULT, kinds.TOOL_REQUESTED: OLD_CALL}


@dataclass(frozen=True, slots=True)
class Run:
    """Events that were not read one by one: their range, how many, and their weight."""

    first_seq: int
    last_seq: int
    count: int
    weight: int


@dataclass(frozen=True, slots=True)
class Reach:
    """`ends`: weight of the log up to and with that event; events before the reach have none and count as 0. `kept_words`:
    what the user asked for first and last, where the summary covers it: their words are never replaced by a summary."""

    events: tuple[Event, ...]
    kept_words: tuple[Event, ...]
    ends: Mapping[int, int]
    summarized: Run | None
    unread: Run | None


def most_weight(window: int, policy: Policy) -> int:
    """The weight that a build never looks beyond. It fills the bucket unless nearly all of it is reduced to nearly nothing."""
    if policy.baseline:  # as far as a build ever reads, less what an atom that straddles the start may need
        return WINDOWS_BACK // 2 * window
    return _most_tokens(window, policy) * LOOKED_AT // 100


def _most_tokens(window: int, policy: Policy) -> int:
    """What history may come to, whatever instructions borrow or other buckets lend."""
    share = 100 if policy.lend_unused else policy.ratios[Bucket.TRANSCRIPT]
    return window * share // 100 * policy.high_mark // 100


def fresh_share(state: SessionState, policy: Policy) -> int:
    """Percent of history that stays unreduced. Only a declared phase moves it: an inferred one may change at every step."""
    return min(policy.fresh_share, shares.fresh_share(policy.phase_shares, state.phase if state.phase_explicit else ""))


def tail_weight(window: int, policy: Policy) -> int:
    """How much of the log's end a build reads: with that much loaded, more would change nothing."""
    return min(WINDOWS_BACK * window, most_weight(window, policy) + SPARE_FOR_CALLS)


def reach(inputs: BuildInputs, policy: Policy) -> Reach:
    """The events that the transcript may hold, and what they need."""
    window = inputs.profile.window_tokens or 0
    covers_to, summary = _compaction(inputs)
    start, end, ends = _walk_back(inputs, policy, covers_to)
    near = inputs.events[start:]
    first_seq = near[0].seq if near else inputs.state.seq + 1
    needed = [*summary, *_anchors(inputs, first_seq, covers_to), *_batch(inputs, first_seq)]
    room = end - inputs.state.weight + tail_weight(window, policy)
    needed += _calls_before(inputs.events[:start], room, near, inputs)
    before = sorted({event.seq: event for event in needed if event.seq < first_seq}.values(), key=attrgetter("seq"))
    words = _covered_words(inputs, covers_to)
    skipped = first_seq - 1 - covers_to - sum(1 for event in before if event.seq > covers_to)
    return Reach(
        events=(*before, *near),
        kept_words=words,
        ends=ends,
        summarized=Run(1, covers_to, covers_to - len(words), 0) if covers_to else None,
        unread=Run(covers_to + 1, first_seq - 1, skipped, max(0, end)) if skipped > 0 else None,
    )


def _walk_back(inputs: BuildInputs, policy: Policy, covers_to: int) -> tuple[int, int, dict[int, int]]:
    """(place of the first event in reach, weight of the log before it, where each event in reach ends). Goes back until what
    it passed would fill the history even when reckoned low: unreduced first, then as older results are."""
    tail = inputs.events
    ends: dict[int, int] = {}
    end = inputs.state.weight
    window = inputs.profile.window_tokens or 0
    limit = end - most_weight(window, policy) - min(SPARE, 2 * window)
    most = _most_tokens(window, policy)
    fresh = most * fresh_share(inputs.state, policy) // 100
    older = WINDOWS_BACK * window if policy.baseline else most - fresh
    start = len(tail)
    while start > 0 and end > limit and older > 0 and tail[start - 1].seq > covers_to:
        start -= 1
        event = tail[start]
        size = event_weight(event)
        ends[event.seq] = end
        end -= size
        if fresh > 0:
            fresh -= size * LOW // 100
        else:
            older -= min(size, _OLD.get(event.type, size)) * LOW // 100
    while 0 < start < len(tail) and _continues(tail[start - 1], tail[start], covers_to):
        start -= 1
    return start, end, ends


def _compaction(inputs: BuildInputs) -> tuple[int, tuple[Event, ...]]:
    """How far the summary in force reaches, and its event; nothing while its text is not to be had."""
    mark = inputs.state.summary_mark
    if mark is None:
        return 0, ()
    (event,) = named_events(inputs, [mark.summary_seq])
    has_text = visible(event) and bool(text_of(payload_of(event), "summary").strip())
    return (mark.covers_to, (event,)) if has_text else (0, ())


def _continues(before: Event, event: Event, covers_to: int) -> bool:
    """Whether the two are parts of one answer."""
    if before.seq <= covers_to or not (is_model_part(before) and is_model_part(event)):
        return False
    return model_call_key(before) == model_call_key(event)


def _covered_words(inputs: BuildInputs, covers_to: int) -> tuple[Event, ...]:
    goal = inputs.state.goal
    seqs = sorted({goal.seq, goal.latest_seq}) if goal else []
    return named_events(inputs, [seq for seq in seqs if seq <= covers_to])


def _anchors(inputs: BuildInputs, first_seq: int, covers_to: int) -> tuple[Event, ...]:
    """The goal and the newest user message before the reach."""
    state = inputs.state
    earlier = [seq for seq in state.user_seqs if covers_to < seq < first_seq]
    wanted = {earlier[-1]} if earlier else set()
    if state.goal and covers_to < state.goal.seq < first_seq:
        wanted.add(state.goal.seq)
    return named_events(inputs, sorted(wanted))


def _batch(inputs: BuildInputs, first_seq: int) -> tuple[Event, ...]:
    """The calls and results of the newest answer that lie before the reach, where others of them are in it."""
    seqs = inputs.state.batch_seqs
    if not seqs or seqs[-1] < first_seq:
        return ()
    return named_events(inputs, [seq for seq in seqs if seq < first_seq])


def _calls_before(tail: Sequence[Event], room: int, near: Sequence[Event], inputs: BuildInputs) -> list[Event]:
    """Calls that are still open or whose results are near, with the other parts and results of the answers they belong to.
    Looks no further back than a weight of `room`."""
    wanted = _unanswered(near)
    first_seq = near[0].seq if near else inputs.state.seq + 1
    still_open = [call.seq for call in inputs.state.open_calls if call.seq < first_seq]
    if not (wanted or still_open):
        return []
    found = list(named_events(inputs, still_open))
    earlier = _within(tail, room)
    for event in reversed(earlier):
        if not wanted:
            break
        if event.type == kinds.TOOL_REQUESTED and _call_id(event) in wanted:
            wanted.discard(_call_id(event))
            found.append(event)
    if not found:
        return []
    oldest = min(event.seq for event in found)
    keys = {model_call_key(event) for event in found} - {None}
    parts = [event for event in earlier if event.seq >= oldest - 1 and model_call_key(event) in keys]
    ids = {_call_id(event) for event in (*found, *parts) if event.type == kinds.TOOL_REQUESTED}
    answers = [event for event in earlier if event.seq > oldest and _is_answer(event) and _call_id(event) in ids]
    return [*found, *parts, *answers]


def _within(tail: Sequence[Event], room: int) -> Sequence[Event]:
    """The newest of these events that weigh no more than `room`."""
    start = len(tail)
    while start > 0 and room > 0:
        start -= 1
        room -= event_weight(tail[start])
    return tail[start:]


def _unanswered(near: Sequence[Event]) -> set[str]:
    """Ids of results whose call is not in front of them."""
    armed: set[str] = set()
    wanted: set[str] = set()
    for event in near:
        if event.type == kinds.TOOL_REQUESTED:
            armed.add(_call_id(event))
        elif _is_answer(event) and _call_id(event) not in armed:
            wanted.add(_call_id(event))
    return wanted


def _is_answer(event: Event) -> bool:
    return event.type in (kinds.TOOL_COMPLETED, kinds.PERMISSION_RESOLVED)


def _call_id(event: Event) -> str:
    return id_of(payload_of(event), "call_id")
