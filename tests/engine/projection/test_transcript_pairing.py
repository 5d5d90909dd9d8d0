"""Calls and results: which pairs stand, and why the rest does not."""

from __future__ import annotations

from tests.engine.logs import call, denied, outline, refusals, result, said, transcript, user


def test_results_follow_their_batch_though_other_events_come_between() -> None:
    made = transcript(
        call("a", message_id="m"), call("b", message_id="m"), result("b"), user("hurry"), said("on", "n"), result("a")
    )

    assert outline(made) == [("assistant:+a,b", "tool:a", "tool:b"), ("user:hurry",), ("assistant:on",)]
    assert [message.call_seq for message in made.atoms[0].messages] == [0, 1, 2]


def test_an_id_that_is_used_again_pairs_by_order() -> None:
    made = transcript(call("a", message_id="m"), result("a", "one"), call("a", message_id="n"), result("a", "two"))

    assert [(atom.messages[1].text, atom.messages[1].call_seq) for atom in made.atoms] == [("one", 1), ("two", 3)]


def test_two_calls_of_one_id_in_one_batch_take_their_results_in_order() -> None:
    made = transcript(call("a", message_id="m"), call("a", message_id="m"), result("a", "one"), result("a", "two"))

    assert [(message.text, message.call_seq) for message in made.atoms[0].messages[1:]] == [("one", 1), ("two", 2)]


def test_a_second_result_is_refused_and_the_first_stays() -> None:
    made = transcript(call("a"), result("a", "first"), result("a", "second"))

    assert made.atoms[0].messages[1].text == "first"
    assert refusals(made) == [(3, "duplicate_result")]


def test_a_real_result_takes_the_place_of_one_made_up_after_a_crash() -> None:
    made = transcript(
        call("a"), result("a", "interrupted", synthetic=True), result("a", "real"), result("a", "late", synthetic=True)
    )

    assert made.atoms[0].messages[1].text == "real"
    assert refusals(made) == [(2, "duplicate_result"), (4, "duplicate_result")]


def test_a_result_that_is_only_pending_takes_no_place() -> None:
    facts = (call("a"), result("a", "interrupted", synthetic=True), result("a", "running", pending=True))

    made = transcript(*facts)

    assert made.atoms[0].messages[1].text == "interrupted"
    assert not made.atoms[0].is_open
    assert refusals(made) == [(3, "duplicate_result")]


def test_a_denial_takes_the_place_of_a_made_up_result() -> None:
    made = transcript(call("a"), result("a", "interrupted", synthetic=True), denied("a", "no"))

    assert made.atoms[0].messages[1].text == "Denied: no"
    assert refusals(made) == [(2, "duplicate_result")]


def test_a_result_without_its_call_is_refused() -> None:
    made = transcript(user("go"), result("x", "lost"))

    assert outline(made) == [("user:go",)]
    assert refusals(made) == [(2, "orphan_result")]


def test_a_call_that_never_got_a_result_is_taken_out_of_its_message() -> None:
    made = transcript(
        said("look", "m"), call("a", message_id="m"), call("b", message_id="m"), result("b"), said("on", "n")
    )

    assert outline(made) == [("assistant:look+b", "tool:b"), ("assistant:on",)]
    assert refusals(made) == [(2, "dead_call")]


def test_a_message_of_dead_calls_alone_vanishes() -> None:
    made = transcript(user("go"), call("a", message_id="m"), user("stop"), said("ok", "n"))

    assert outline(made) == [("user:go",), ("user:stop",), ("assistant:ok",)]
    assert refusals(made) == [(2, "dead_call")]


def test_a_late_result_revives_its_call() -> None:
    made = transcript(call("a", message_id="m"), said("on", "n"), result("a", "late"))

    assert outline(made) == [("assistant:+a", "tool:a"), ("assistant:on",)]


def test_a_dead_call_does_not_take_the_result_of_a_later_call_of_its_id() -> None:
    made = transcript(call("a", message_id="m"), call("a", message_id="n"), result("a", "mine"))

    assert [(atom.messages[0].calls[0].seq, atom.messages[1].text) for atom in made.atoms] == [(2, "mine")]
    assert refusals(made) == [(1, "dead_call")]


def test_a_call_that_still_waits_is_open() -> None:
    made = transcript(call("a", message_id="m"), call("b", message_id="m"), result("b"))

    assert outline(made) == [("assistant:+a,b", "tool:b")]
    assert made.atoms[0].is_open


def test_a_pending_result_leaves_its_call_open_and_the_real_one_replaces_it() -> None:
    waiting = (call("a", message_id="m"), result("a", "running", pending=True), said("on", "n"))

    open_made = transcript(*waiting)
    done = transcript(*waiting, result("a", "finished"))

    assert open_made.atoms[0].is_open
    assert open_made.atoms[0].messages[1].pending
    assert done.atoms[0].messages[1].text == "finished"
    assert not done.atoms[0].is_open
    assert refusals(done) == [(2, "superseded")]


def test_a_call_that_awaits_a_person_is_open_though_the_model_went_on() -> None:
    made = transcript(call("a", message_id="m"), ("permission.requested", {"call_id": "a"}), said("meanwhile", "n"))

    assert [atom.is_open for atom in made.atoms] == [True, False]


def test_a_denial_is_the_answer_and_says_why() -> None:
    made = transcript(call("a", "Bash"), denied("a", "never push", by="person"))

    answer = made.atoms[0].messages[1]
    assert made.atoms[0].kind == "denial"
    assert (answer.text, answer.denied, answer.is_error) == ("Denied by the user: never push", True, True)
    assert transcript(call("a"), denied("a")).atoms[0].messages[1].text.startswith("Denied.")


def test_a_denial_and_the_error_beside_it_are_one_answer() -> None:
    before = transcript(call("a"), denied("a", "no"), result("a", "The user said: no", is_error=True))
    after = transcript(call("a"), result("a", "rejected", is_error=True), denied("a", "too risky"))

    assert [message.text for message in before.atoms[0].messages[1:]] == ["Denied: no"]
    assert refusals(before) == [(3, "duplicate_result")]
    assert [message.text for message in after.atoms[0].messages[1:]] == ["Denied: too risky\nrejected"]
    assert after.atoms[0].messages[1].denied
    assert refusals(after) == [(3, "duplicate_result")]


def test_a_result_that_succeeded_after_all_takes_the_place_of_the_denial() -> None:
    made = transcript(call("a"), denied("a", "no"), result("a", "ran"))

    assert (made.atoms[0].kind, made.atoms[0].messages[1].text) == ("call_group", "ran")
    assert refusals(made) == [(2, "superseded")]


def test_a_denial_of_no_known_call_is_refused() -> None:
    assert refusals(transcript(denied("x", "no"))) == [(1, "orphan_result")]


def test_a_call_and_its_result_are_hidden_together() -> None:
    hidden_call = transcript(("tool.requested", {"call_id": "a", "name": "x", "visibility": "ui"}), result("a"))
    hidden_result = transcript(call("a"), result("a", visibility="audit"))

    for made in (hidden_call, hidden_result):
        assert made.atoms == ()
        assert {row.reason for row in made.refused} == {"not_permitted"}
        assert sum(row.count for row in made.refused) == 2


def test_a_result_carries_what_is_known_of_it() -> None:
    artifact = {"sha256": "ab" * 32, "size_bytes": 900}
    made = transcript(
        call("a", "Read"), call("b"), call("c"),
        result("a", "part", artifact=artifact), result("b", "part", cut={"shown_chars": 4, "total_chars": 70}),
        result("c", [{"type": "text", "text": "x"}, {"type": "image"}, 5], is_error=True),
    )  # fmt: skip

    first, second, third = made.atoms[0].messages[1:]
    assert (first.artifact, first.size_chars, first.tool_name) == ("ab" * 32, 900, "Read")
    assert second.size_chars == 70
    assert (third.text, third.is_error) == ("x\n[image]\n5", True)
