"""Between two edges the request only grows at its end, so that a provider's prompt cache keeps hitting."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

from contextapp.engine.builder import build
from contextapp.engine.edges import Edges, ruler
from contextapp.engine.inputs import Built
from contextapp.engine.policy import Policy
from contextapp.engine.values import Bucket
from tests.engine.builder.worlds import CharCounter, Log, inputs_of

WINDOW = 20_000
POLICY = Policy()


@cache
def steps(count: int) -> list[tuple[Edges, Built]]:
    """A session built at every call: reads, edits that make them stale, tests, now and then a user message."""
    log = Log()
    log.add("instructions.loaded", level="project", name="AGENTS.md", path="/w/AGENTS.md", text="Never push.\n" * 20)
    log.user("Rename the field in every module.")
    marks = ruler(WINDOW * POLICY.ratios[Bucket.TRANSCRIPT] // 100, POLICY)
    made = []
    for number in range(count):
        log.call("read_file", f"line of module {number}\n" * (20 + number * 37 % 150), path=f"m{number % 7}.py")
        log.call("edit_file", "done", path=f"m{number % 7}.py", old_string="a" * 300, new_string="b" * 300)
        if number % 9 == 4:
            log.user(f"Skip module {number + 1}. 跳过它。")
        inputs = inputs_of(log.events, window=WINDOW)
        made.append((marks.edges(inputs.state.weight), build(inputs, POLICY, CharCounter())))
    return made


def prefix(built: Built) -> list[str]:
    assert built.request is not None
    return [block.digest for block in built.request.blocks if block.part != "trailing"]


def test_while_the_edges_hold_still_what_was_sent_is_the_start_of_what_is_sent_next() -> None:
    made = steps(50)

    broken = [
        number
        for number, ((edges, built), (next_edges, next_built)) in enumerate(pairwise(made))
        if edges == next_edges and prefix(next_built)[: len(prefix(built))] != prefix(built)
    ]

    assert made[-1][0].start > 0
    assert broken == []


def test_edges_are_few_and_most_of_a_request_is_served_again() -> None:
    made = steps(50)

    moves = sum(edges != next_edges for (edges, _), (next_edges, _) in pairwise(made))
    same = sum(
        prefix(next_built)[: len(prefix(built))] == prefix(built) for (_, built), (_, next_built) in pairwise(made)
    )

    assert moves <= 20
    assert same == len(made) - 1 - moves


def test_an_old_read_is_replaced_only_where_an_edge_moved() -> None:
    stale = [{row.source_id for row in built.ledger.included if row.reason == "stale"} for _, built in steps(50)]

    assert stale[-1]
    assert len({frozenset(names) for names in stale}) <= 20
