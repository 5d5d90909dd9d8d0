from __future__ import annotations

from collections.abc import Callable
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from contextapp.contexts import selectors
from contextapp.contexts.errors import NotFound
from contextapp.contexts.services import build_step, simulate_step, step_id_of
from contextapp.contexts.values import LedgerFilter
from contextapp.eventlog.models import Session
from tests.contexts.stories import Told, a_step, live, recorded, says, two_turns
from tests.world import World


@pytest.fixture
def session(world: World) -> Session:
    return recorded(world, two_turns())


def simulated(session: Session, number: int) -> None:
    simulate_step(step_id=step_id_of(session_id=session.id, number=number))


def test_the_session_page_opens_on_what_is_there(world: World, session: Session) -> None:
    child = recorded(world, [says("Help.")], parent_id=session.id)

    page = selectors.session_page(session.id)

    assert (page.title, page.agent, page.workspace) == ("Fix the parser", "claude-code", "parser")
    assert (page.turn_count, page.step_count, page.denial_count, page.compaction_count) == (2, 4, 1, 1)
    assert (page.origins, page.default_origin, page.is_indexed) == (("observed",), "observed", True)
    assert [link.id for link in page.children] == [child.id]
    assert (link := selectors.session_page(child.id).parent) is not None
    assert link.id == session.id


def test_a_session_nobody_has_is_not_found(db: None) -> None:
    with pytest.raises(NotFound):
        selectors.session_page(uuid4())


def test_chart_columns_add_up_and_carry_the_thin_line(session: Session) -> None:
    simulated(session, 2)

    chart = selectors.chart_series(session.id)

    assert (chart.origin, chart.window_tokens, [step.number for step in chart.steps]) == (
        "observed",
        200_000,
        [1, 2, 3, 4],
    )
    assert [(turn.number, turn.first_step, turn.last_step) for turn in chart.turns] == [(1, 1, 2), (2, 3, 4)]
    for step in chart.steps:
        parts = sum(tokens for _, tokens in step.segments) + step.overhead
        assert parts + step.preamble + step.correction + step.unexplained == step.total_tokens
    assert [step.simulated_tokens is not None for step in chart.steps] == [False, True, False, False]
    assert chart.steps[3].marks == ("compaction",)
    assert chart.peak_tokens == max(step.total_tokens for step in chart.steps)


def test_a_chart_of_another_origin_keeps_the_steps_without_a_ledger(session: Session) -> None:
    simulated(session, 2)

    chart = selectors.chart_series(session.id, "simulated", turn=1)

    assert [(step.number, step.verdict, step.total_tokens > 0) for step in chart.steps] == [
        (1, "", False),
        (2, "ok", True),
    ]
    parts = sum(tokens for _, tokens in chart.steps[1].segments) + chart.steps[1].overhead
    assert parts == chart.steps[1].total_tokens
    assert chart.steps[1].reserve_tokens == 20_000


def test_the_turn_page_merges_the_reasons_of_its_steps(session: Session) -> None:
    page = selectors.turn_page(session.id, 2)

    reasons = {(each.reason, each.is_included): each for each in page.reasons}
    assert (page.title, page.previous, page.next, page.reasons_over) == ("Go on with the rest.", 1, None, 2)
    assert [(step.number, step.marks) for step in page.steps] == [(3, ("denial",)), (4, ("compaction",))]
    assert reasons["harness_compacted", False].steps == 1
    assert reasons["observed_sent", True].steps == 2
    assert [step.number for step in page.chart.steps] == [3, 4]


def test_the_step_page_groups_rows_and_its_sums_reconcile(session: Session) -> None:
    for number, origin in ((3, "observed"), (4, "observed"), (4, "simulated")):
        simulated(session, number)
        page = selectors.step_page(session.id, number, origin=origin)

        ledger = page.ledger
        assert ledger is not None
        assert (page.number, ledger.origin, ledger.sum_difference) == (number, origin, 0)
        shown = [shown for group in ledger.groups for shown in group.rows]
        assert len({each.key for each in shown}) == len(shown)
        for group in ledger.groups:
            if group.bucket:
                assert group.used == sum(each.row.after_tokens for each in group.rows if each.row.is_included)
        used = sum(group.used for group in ledger.groups if group.bucket)
        not_ours = (
            ledger.residue.preamble + ledger.residue.correction + ledger.residue.unexplained if ledger.residue else 0
        )
        assert used + ledger.overhead_tokens + ledger.margin_tokens + not_ours == ledger.total_tokens


def test_filters_hold_rows_back_and_say_how_many(session: Session) -> None:
    everything = selectors.step_page(session.id, 3).ledger
    assert everything is not None
    count = everything.included_count + everything.excluded_count

    def shown(**wanted: object) -> tuple[set[str], int]:
        ledger = selectors.step_page(session.id, 3, filters=LedgerFilter(**wanted)).ledger  # type: ignore[arg-type]
        assert ledger is not None
        rows = [each.row for group in ledger.groups for each in group.rows]
        assert len(rows) + sum(group.hidden for group in ledger.groups) == count
        return {row.source_id for row in rows}, ledger.shown_count

    assert shown(excluded=False)[1] == everything.included_count
    assert shown(trusts=frozenset({"untrusted"}))[0] == {"event:7", "event:11"}
    assert shown(kinds=frozenset({"user_message"}))[0] == {"event:3", "event:12"}
    assert shown(reasons=frozenset({"not_recorded"}))[0] == {"not_recorded:system_prompt", "not_recorded:tool_schemas"}
    assert shown(text="PARSER TEST")[0] == {"event:3"}
    assert shown(included=False, excluded=False) == (set(), 0)


def test_a_step_without_a_ledger_says_why(world: World, session: Session) -> None:
    simulated_page = selectors.step_page(session.id, 1, origin="simulated")
    built_page = selectors.step_page(session.id, 1, origin="built")

    assert (simulated_page.ledger, built_page.ledger) == (None, None)
    assert "not been simulated" in simulated_page.message
    assert "not built" in built_page.message
    with pytest.raises(NotFound, match="no step 9"):
        selectors.step_page(session.id, 9)


def test_a_row_opens_to_its_events_and_to_what_displaced_it(session: Session) -> None:
    ledger = selectors.step_page(session.id, 4).ledger
    assert ledger is not None
    gone = next(each for group in ledger.groups for each in group.rows if each.row.reason == "harness_compacted")

    detail = selectors.row_detail(session.id, 4, key=gone.key)

    assert (detail.total_events, len(detail.pieces)) == (14, 6)
    assert (detail.pieces[0].type, detail.pieces[0].body.text) == ("user.message", "Fix the parser test.")
    assert detail.displaced_by is not None
    assert detail.displaced_by.row.reason == "harness_summary"
    with pytest.raises(NotFound, match="no row"):
        selectors.row_detail(session.id, 4, key="feedfeedfeed")


def test_comparison_says_what_entered_and_what_left(session: Session) -> None:
    compared = selectors.compare_steps(session.id, 4)

    left = {change.before.row.source_id for change in compared.left if change.before}
    entered = {change.after.row.source_id for change in compared.entered if change.after}
    assert (compared.step, compared.other, compared.message) == (4, 3, "")
    assert "event:3" in left
    assert entered == {"summary:1-16"}
    assert compared.total_after == 900
    assert selectors.compare_steps(session.id, 3, other=4) == selectors.compare_steps(session.id, 4, other=3)
    assert "first" in selectors.compare_steps(session.id, 1).message


def test_state_is_that_of_the_steps_own_prefix(session: Session) -> None:
    view = selectors.state_at(session.id, 3)

    assert (view.log_seq, view.state.seq, view.state.turn) == (12, 12, 2)
    assert view.state.goal is not None
    assert view.state.goal.latest_text == "Go on with the rest."
    assert view.state.denials == ()


def long_story(steps: int) -> list[Told]:
    return [says("Count."), *(told for number in range(1, steps + 1) for told in a_step(number, words=5))]


def pages_of(session: Session, last: int) -> dict[str, Callable[[], object]]:
    return {
        "session": lambda: selectors.session_page(session.id),
        "chart": lambda: selectors.chart_series(session.id),
        "transcript": lambda: selectors.transcript_page(session.id),
        "turn": lambda: selectors.turn_page(session.id, 1),
        "step": lambda: selectors.step_page(session.id, last),
        "saw observed": lambda: selectors.saw_blocks(session.id, last),
        "saw simulated": lambda: selectors.saw_blocks(session.id, last, origin="simulated"),
        "compare": lambda: selectors.compare_steps(session.id, last),
        "steps": lambda: selectors.list_steps(session.id),
        "state": lambda: selectors.state_at(session.id, last),
    }


def test_the_number_of_queries_does_not_grow_with_the_session(world: World) -> None:
    counted: dict[str, list[int]] = {}
    for steps in (40, 80):
        session = recorded(world, long_story(steps))
        simulated(session, steps - 1)
        simulated(session, steps)
        for name, ask in pages_of(session, steps).items():
            with CaptureQueriesContext(connection) as captured:
                ask()
            counted.setdefault(name, []).append(len(captured))

    assert {name: both for name, both in counted.items() if len(set(both)) > 1} == {}
    assert max(many for _, many in counted.values()) <= 16


def test_a_built_step_opens_on_what_was_handed_out(world: World) -> None:
    session = live(world, says("Fix it."))
    build_step(session_id=session.id, build_id=uuid4(), actor="key:test")

    page = selectors.step_page(session.id, 1)

    assert (page.origin, page.session.default_origin, page.origins) == ("built", "built", ("built",))
    assert selectors.list_steps(session.id).steps[0].origins == ("built",)
