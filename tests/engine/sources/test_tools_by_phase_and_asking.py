"""Which tools a request holds: hidden by a declared phase, and a server's schemas only once they were asked for."""

from __future__ import annotations

from typing import Any

import pytest

from contextapp.engine.builder import build
from contextapp.engine.inputs import Built
from contextapp.engine.policy import Policy
from contextapp.engine.reasons import Reason
from contextapp.engine.request import openai
from contextapp.engine.sources import tools
from tests.engine.builder.worlds import CharCounter, Log, inputs_of

SCHEMA = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in ("query", "database", "limit", "order")},
}
OWN = [{"name": name, "schema": {}} for name in ("read_file", "grep", "bash", "apply_patch", "ask_user")]


def session(*offered: dict[str, Any]) -> Log:
    log = Log()
    log.user("go")
    log.add("tools.available", mode="set", tools=list(offered or OWN))
    return log


def hidden(log: Log, policy: Policy | None = None) -> set[str]:
    found = tools.collect(inputs_of(log.events), policy or Policy())
    return {source.title for source in found if source.refusal == Reason.HIDDEN_BY_PHASE}


@pytest.mark.parametrize(
    ("phase", "expected"),
    [
        ("diagnosing", {"apply_patch"}),
        ("planning", set()),
        ("editing", set()),
        ("verifying", {"apply_patch"}),
        ("summarizing", {"apply_patch"}),
        ("blocked", {"apply_patch"}),
    ],
)
def test_a_declared_phase_hides_what_changes_files_unless_it_plans_or_edits(phase: str, expected: set[str]) -> None:
    log = session()
    log.add("phase.changed", phase=phase)

    assert hidden(log) == expected


def test_an_inferred_phase_hides_nothing() -> None:
    log = session()
    log.call("read_file", "text", path="a.py")

    assert inputs_of(log.events).state.phase == "diagnosing"
    assert hidden(log) == set()


def test_edit_tools_stay_once_a_file_is_modified_even_when_the_state_forgot_which() -> None:
    log = session()
    log.add("file.changed", path="a.py", operation="edited")
    for number in range(250):
        log.call("read_file", "text", path=f"{number}.py")
    log.add("phase.changed", phase="verifying")

    assert all(not file.modified_seq for file in inputs_of(log.events).state.files)
    assert hidden(log) == set()


def test_a_policy_of_stable_tools_hides_none() -> None:
    log = session()
    log.add("phase.changed", phase="diagnosing")

    assert hidden(log, Policy(stable_tools=True)) == set()


def test_what_the_writer_says_counts_more_than_the_name_except_for_shells() -> None:
    log = session(
        {"name": "edit_file", "read_only": True},
        {"name": "create_issue", "annotations": {"readOnlyHint": False}},
        {"name": "bash", "read_only": False},
        {"name": "create_issue_draft"},
    )
    log.add("phase.changed", phase="diagnosing")

    assert hidden(log) == {"create_issue"}


def test_a_hidden_tool_is_in_the_ledger_and_not_in_the_request() -> None:
    log = session()
    log.add("phase.changed", phase="diagnosing")

    made = built(log)

    names = [tool["function"]["name"] for tool in openai.render(made.request)["tools"]] if made.request else []
    assert names == ["read_file", "grep", "bash", "ask_user"]
    assert {row.source_id: row.reason for row in made.ledger.excluded} == {"tool:apply_patch": "hidden_by_phase"}


def built(log: Log, policy: Policy | None = None) -> Built:
    return build(inputs_of(log.events), policy or Policy(), CharCounter())


def foreign(name: str = "query", **more: Any) -> dict[str, Any]:
    return {"name": name, "server": "db", "description": "Runs a query and gives rows.", "schema": SCHEMA, **more}


def parameters(log: Log, policy: Policy | None = None) -> dict[str, bool]:
    """Whether each of the server's tools stands with its parameters."""
    made = built(log, policy)
    assert made.request is not None
    assert openai.validate(openai.render(made.request)) == ()
    listed = [tool for block in made.request.blocks for tool in block.tools]
    return {tool["name"]: bool(tool["schema"]) for tool in listed}


def test_a_servers_tool_is_listed_by_name_until_it_is_called() -> None:
    log = session(foreign("query"), foreign("explain"))

    before = parameters(log)
    log.call("query", "missing arguments", is_error=True)

    assert before == {"query": False, "explain": False}
    assert parameters(log) == {"query": True, "explain": False}


@pytest.mark.parametrize("name", ["mcp__db__query", "mcp:db.query", "db.query", "db__query"])
def test_a_call_is_known_however_the_harness_spells_it(name: str) -> None:
    log = session(foreign())
    log.call(name, "rows")

    assert parameters(log) == {"query": True}


def test_being_announced_again_with_its_schema_is_being_asked_for() -> None:
    log = session(foreign(), foreign("explain", schema={}))
    log.add("tools.available", mode="add", tools=[foreign()])

    assert parameters(log)["query"]


def test_being_added_for_the_first_time_is_not() -> None:
    log = session({"name": "read_file"})
    log.add("tools.available", mode="add", tools=[foreign()])

    assert parameters(log)["query"] is False


def test_a_new_set_starts_over_except_for_what_was_called() -> None:
    log = session(foreign("query"), foreign("explain"))
    log.add("tools.available", mode="add", tools=[foreign("explain")])
    log.call("query", "rows")
    log.add("tools.available", mode="set", tools=[foreign("query"), foreign("explain")])

    assert parameters(log) == {"query": True, "explain": False}


def test_stable_tools_gives_every_schema_from_the_start() -> None:
    assert parameters(session(foreign()), Policy(stable_tools=True)) == {"query": True}


def test_a_schema_shorter_than_the_listing_is_given_at_once() -> None:
    log = session({"name": "now", "server": "clock", "description": "The time.", "schema": {}})

    (row,) = [row for row in built(log).ledger.included if row.source_kind == "tool"]

    assert (row.mode, row.reason) == ("full", "tool_available")


def test_a_listed_tool_says_so_in_the_ledger_with_what_its_schema_would_cost() -> None:
    (row,) = [row for row in built(session(foreign())).ledger.included if row.source_kind == "tool"]

    assert (row.mode, row.action, row.reason) == ("reference", "reference", "tool_listed")
    assert row.before_tokens > row.after_tokens
