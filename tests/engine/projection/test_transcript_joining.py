"""How parts of answers become messages."""

from __future__ import annotations

from tests.engine.logs import call, delta, log, outline, refusals, result, said, thought, transcript, user


def test_consecutive_deltas_are_one_message_and_a_call_ends_it() -> None:
    made = transcript(
        user("go"),
        delta("I "),
        delta("look"),
        call("a"),
        result("a"),
        delta("and "),
        delta("edit"),
        call("b"),
        result("b"),
    )

    assert outline(made) == [("user:go",), ("assistant:I look+a", "tool:a"), ("assistant:and edit+b", "tool:b")]


def test_thought_call_thought_call_stays_apart_also_under_one_message_id() -> None:
    made = transcript(
        thought("t1", "m"), said("one", "m"), call("a", message_id="m"), result("a"),
        thought("t2", "m"), said("two", "m"), call("b", message_id="m"), result("b"),
    )  # fmt: skip

    assert outline(made) == [("assistant:one+a", "tool:a"), ("assistant:two+b", "tool:b")]
    assert [atom.messages[0].thinking for atom in made.atoms] == ["t1", "t2"]


def test_parts_of_one_message_are_joined_with_thinking_apart() -> None:
    made = transcript(
        thought("hm", "m"), said("first", "m"), said("second", "m"), call("a", message_id="m"), result("a")
    )

    message = made.atoms[0].messages[0]
    assert (message.text, message.thinking, message.message_id) == ("first\n\nsecond", "hm", "m")
    assert (message.first_seq, message.last_seq) == (1, 4)


def test_calls_of_one_message_are_one_batch_though_a_result_came_between() -> None:
    made = transcript(call("a", message_id="m"), result("a"), call("b", message_id="m"), result("b"))

    assert outline(made) == [("assistant:+a,b", "tool:a", "tool:b")]


def test_without_ids_a_call_after_a_result_is_a_message_of_its_own() -> None:
    made = transcript(call("a"), call("b"), result("b"), result("a"), call("c"), result("c"))

    assert outline(made) == [("assistant:+a,b", "tool:a", "tool:b"), ("assistant:+c", "tool:c")]


def test_a_part_without_an_id_joins_the_message_before_it_and_lends_it_its_text() -> None:
    assert outline(transcript(said("x", "m"), call("a"), result("a"))) == [("assistant:x+a", "tool:a")]
    assert outline(transcript(delta("x"), call("a", message_id="m"), result("a"))) == [("assistant:x+a", "tool:a")]


def test_a_full_text_after_its_own_deltas_is_not_said_twice() -> None:
    assert outline(transcript(delta("I ", "m"), delta("look", "m"), said("I look", "m"))) == [("assistant:I look",)]
    assert outline(transcript(delta("I ", "m"), said("look", "m"))) == [("assistant:I \n\nlook",)]


def test_a_user_message_ends_every_answer_and_a_queued_one_none() -> None:
    assert outline(transcript(said("x", "m"), user("stop"), said("y", "m"))) == [
        ("assistant:x",), ("user:stop",), ("assistant:y",),
    ]  # fmt: skip
    assert outline(transcript(said("x", "m"), user("wait", queued=True), said("y", "m"))) == [
        ("assistant:x\n\ny",), ("user:wait",),
    ]  # fmt: skip


def test_interleaved_answers_keep_to_themselves() -> None:
    made = transcript(said("a1", "m1"), said("b1", "m2"), call("a", message_id="m1"), said("b2", "m2"), result("a"))

    assert outline(made) == [("assistant:a1+a", "tool:a"), ("assistant:b1\n\nb2",)]


def test_arguments_are_canonical_json_in_whatever_form_they_came() -> None:
    facts = [call("a", b=1, a="数"), ("tool.requested", {"call_id": "b", "name": "x", "input": '{"b": 1, "a": "数"}'})]
    made = transcript(
        *facts, ("tool.requested", {"call_id": "c", "name": "x", "input": "not json"}), *map(result, "abc")
    )

    assert [call.arguments for call in made.atoms[0].messages[0].calls] == [
        '{"a":"数","b":1}', '{"a":"数","b":1}', '{"input":"not json"}',
    ]  # fmt: skip


def test_what_says_nothing_or_may_not_be_seen_is_refused_and_counted() -> None:
    made = transcript(
        user(""), said(" ", "m1"), user("x"), said("API Error", synthetic=True), ("agent.dreamed", {}), ("agent.dreamed", {}),
        user("secret", visibility="ui"), said("secret", visibility="audit"), ("user.message", {"erased": True}),
    )  # fmt: skip

    assert outline(made) == [("user:x",)]
    assert [(row.kind, row.first_seq, row.last_seq, row.reason, row.count) for row in made.refused] == [
        ("user.message", 1, 1, "empty", 1),
        ("model.message", 2, 2, "empty", 1),
        ("model.message", 4, 4, "not_relevant", 1),
        ("agent.dreamed", 5, 6, "unknown_type", 2),
        ("user.message", 7, 7, "not_permitted", 1),
        ("model.message", 8, 8, "not_permitted", 1),
        ("user.message", 9, 9, "erased", 1),
    ]


def test_silent_events_leave_no_trace() -> None:
    silent = [
        (kind, {"text": "x"})
        for kind in ("turn.started", "context.built", "usage.reported", "plan.updated", "import.unknown")
    ]
    granted = ("permission.resolved", {"decision": "allowed"})

    made = transcript(*silent, granted, ("resource.included", {"text": "x"}))

    assert (made.atoms, made.refused) == ((), ())


def test_media_are_named_by_type_size_and_hash() -> None:
    picture = {"media_type": "image/png", "size_bytes": 120_000, "sha256": "9f2c" * 16}

    made = transcript(user("", media=[picture, {"media_type": 3}, "junk"]))

    assert made.atoms[0].messages[0].media == ("image/png 117 KB 9f2c9f2c…", "3")
    assert refusals(made) == []


def test_a_lone_surrogate_is_replaced_and_a_split_pair_is_joined() -> None:
    made = transcript(user("a\ud800b"), said("\ud83d\ude00"))

    assert outline(made) == [("user:a\ufffdb",), ("assistant:😀",)]


def test_order_of_delivery_and_events_given_twice_do_not_matter() -> None:
    from contextapp.engine.projection.fold import project
    from contextapp.engine.projection.transcript import assemble

    events = log(user("go"), call("a"), result("a"), said("done"))
    state = project(events)

    assert assemble([*events[2:], *events], state) == assemble(events, state)


def test_a_character_split_between_two_deltas_is_whole_again() -> None:
    made = transcript(delta("so \ud83d"), delta("\ude00 it is \ud800"))

    assert outline(made) == [("assistant:so 😀 it is \ufffd",)]


def test_the_full_text_after_deltas_that_split_a_character_is_not_said_twice() -> None:
    made = transcript(delta("\ud83d"), delta("\ude00"), said("😀"))

    assert outline(made) == [("assistant:😀",)]
