from __future__ import annotations

from dataclasses import replace

from contextapp.engine.builder import build
from contextapp.engine.inputs import Built
from contextapp.engine.policy import LAYOUTS, Policy
from contextapp.engine.request import openai
from tests.engine.builder.worlds import CharCounter, Log, inputs_of, remembered


def session() -> Log:
    log = Log()
    log.add("instructions.loaded", level="project", name="AGENTS.md", path="/w/AGENTS.md", text="rules")
    log.add("tools.available", mode="set", tools=[{"name": "bash", "schema": {}}])
    log.add("resource.included", id="r", text="notes", by="user")
    log.user("fix the tests")
    log.call("bash", "old result", command="ls")
    log.add("session.compacted", part="whole", summary="looked around", covers=[5, 6])
    log.add("retrieval.completed", chunks=[{"path": "a.md", "text": "chunk", "score": 0.9}])
    log.call("bash", "new result", command="pytest")
    return log


def built_in(layout: str) -> Built:
    inputs = inputs_of(session().events, memory=[remembered("mem_a@1", "fix tests with pytest")])
    return build(inputs, Policy(layout=layout), CharCounter())


def sections(layout: str) -> list[str]:
    """Kinds in order, neighbours of one kind once."""
    found: list[str] = []
    for row in built_in(layout).ledger.included:
        if row.order >= 0 and found[-1:] != [row.source_kind]:
            found.append(row.source_kind)
    return found


def test_cache_first_keeps_what_changes_at_every_step_for_the_end() -> None:
    assert sections("cache_first") == [
        "safety", "tool", "instruction", "summary", "resource", "user_message", "assistant_message", "tool_result",
        "goal", "state", "evidence", "memory",
    ]  # fmt: skip


def test_a_resource_that_arrives_later_leaves_everything_in_front_of_it_alone() -> None:
    log = Log()
    log.user("fix the tests")
    log.call("bash", "collected 3 items", command="pytest")
    before = build(inputs_of(log.events), Policy(), CharCounter())
    log.add("resource.included", id="notes", text="the fixture is shared", by="user")
    log.call("bash", "1 failed", command="pytest -x")

    after = build(inputs_of(log.events), Policy(), CharCounter())

    kept = [row.block for row in sorted(before.ledger.included, key=lambda row: row.order) if row.source_kind != "goal"]
    conversation = [row.source_kind for row in sorted(after.ledger.included, key=lambda row: row.order)]
    assert [row.block for row in sorted(after.ledger.included, key=lambda row: row.order)][:4] == kept[:4]
    assert conversation.index("resource") > conversation.index("tool_result")
    assert openai.validate(openai.render(after.request)) == () if after.request else False


def test_layered_puts_memory_before_the_summary_and_the_newest_piece_last() -> None:
    found = sections("layered")

    assert found.index("memory") < found.index("summary") < found.index("user_message")
    assert found[-2:] == ["assistant_message", "tool_result"]


def test_attention_first_stands_by_rank() -> None:
    found = sections("attention_first")

    assert found.index("goal") < found.index("state") < found.index("user_message")
    assert found[-2:] == ["memory", "summary"]


def test_every_layout_holds_the_same_sources_and_is_valid() -> None:
    builds = [built_in(layout) for layout in LAYOUTS]

    held = [{row.source_id for row in built.ledger.included} for built in builds]
    assert held[0] == held[1] == held[2]
    assert all(built.request and openai.validate(openai.render(built.request)) == () for built in builds)


def test_a_call_id_that_is_used_again_gets_its_events_number() -> None:
    log = Log()
    log.user("go")
    log.call("bash", "one", call_id="same", command="a")
    log.call("bash", "two", call_id="same", command="b")

    built = build(inputs_of(log.events), Policy(), CharCounter())

    assert built.request is not None
    messages = openai.render(built.request)["messages"]
    ids = [message.get("tool_call_id") or message.get("tool_calls", [{}])[0].get("id") for message in messages]
    assert [name for name in ids if name] == ["same", "same", "same_4", "same_4"]


def test_an_unchanged_prefix_is_counted_and_the_first_change_is_named() -> None:
    log = session()
    before = build(inputs_of(log.events), Policy(), CharCounter())
    sent = tuple((row.block, row.after_tokens) for row in before.ledger.included if row.order >= 0)
    log.call("bash", "third result", command="pytest -x")

    after = build(replace(inputs_of(log.events), previous_blocks=sent), Policy(), CharCounter())

    same = [row for row in after.ledger.included if 0 <= row.order < 8]
    assert after.ledger.cached_prefix_tokens == sum(row.after_tokens for row in same)
    assert after.header["firstChangedSource"] == f"event:{len(log.events) - 1}"
    assert before.ledger.cached_prefix_tokens == 0
