"""Between two edges the request only grows at its end, so that a provider's prompt cache keeps hitting."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

from contextapp.engine.builder import build
from contextapp.engine.inputs import Built
from contextapp.engine.policy import Policy
from tests.engine.builder.worlds import CharCounter, Log, inputs_of

WINDOW = 20_000
POLICY = Policy()


@cache
def steps(count: int) -> list[Built]:
    """A session built at every call: reads, edits that make them stale, tests, now and then a user message."""
    log = Log()
    log.add("instructions.loaded", level="project", name="AGENTS.md", path="/w/AGENTS.md", text="Never push.\n" * 20)
    log.user("Rename the field in every module.")
    made = []
    for number in range(count):
        log.call("read_file", f"line of module {number}\n" * (20 + number * 37 % 150), path=f"m{number % 7}.py")
        log.call("edit_file", "done", path=f"m{number % 7}.py", old_string="a" * 300, new_string="b" * 300)
        if number % 9 == 4:
            log.user(f"Skip module {number + 1}. 跳过它。")
        made.append(build(inputs_of(log.events, window=WINDOW), POLICY, CharCounter()))
    return made


def prefix(built: Built) -> list[str]:
    assert built.request is not None
    return [block.digest for block in built.request.blocks if block.part != "trailing"]


def grows(before: Built, after: Built) -> bool:
    return prefix(after)[: len(prefix(before))] == prefix(before)


def edges(built: Built) -> tuple[str, frozenset[str]]:
    """Where the window starts after its anchor, and what stands shortened in it."""
    said = [row for row in built.ledger.included if row.bucket == "transcript" and row.events and row.reason != "state"]
    shortened = frozenset(row.source_id for row in said if row.mode != "full")
    return min((row for row in said if row.events != (2, 2)), key=lambda row: row.events or ()).source_id, shortened


def test_while_the_edges_hold_still_what_was_sent_is_the_start_of_what_is_sent_next() -> None:
    made = steps(70)

    broken = [
        number
        for number, (before, after) in enumerate(pairwise(made))
        if edges(before) == edges(after) and not grows(before, after)
    ]

    assert edges(made[-1])[1]
    assert broken == []


def test_edges_are_few_and_most_of_a_request_is_served_again() -> None:
    made = steps(70)

    assert sum(not grows(before, after) for before, after in pairwise(made)) <= 26


def test_a_build_knows_no_other_so_any_step_alone_gives_the_same_bytes() -> None:
    log = Log()
    for number in range(40):
        log.call("read_file", f"line {number}\n" * 90, path=f"m{number}.py")
    events = log.events

    alone = build(inputs_of(events, window=WINDOW), POLICY, CharCounter())
    for count in range(2, len(events), 7):
        build(inputs_of(events[:count], window=WINDOW), POLICY, CharCounter())

    assert build(inputs_of(events, window=WINDOW), POLICY, CharCounter()).request_sha256 == alone.request_sha256


def test_right_before_an_edge_a_session_of_tool_calls_fills_the_transcript() -> None:
    made = steps(70)[25:]

    peaks = [
        (before.ledger.buckets["transcript"]["used"] + before.ledger.overhead_tokens)
        / before.ledger.buckets["transcript"]["allotted"]
        for before, after in pairwise(made)
        if not grows(before, after)
    ]

    assert sorted(peaks)[len(peaks) // 2] >= 0.85


def test_an_old_read_is_replaced_only_where_an_edge_moved() -> None:
    stale = [{row.source_id for row in built.ledger.included if row.reason == "stale"} for built in steps(70)]

    assert stale[-1]
    assert len({frozenset(names) for names in stale}) <= 26
