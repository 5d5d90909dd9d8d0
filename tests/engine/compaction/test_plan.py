"""Which part of a log a summary may stand for, and whether it is worth one."""

from __future__ import annotations

from contextapp.engine.compaction import NotPlanned, Plan, Setting, plan
from contextapp.engine.projection.fold import project
from tests.engine.builder.worlds import Log

SETTING = Setting(tail_messages=4, least_gain=100, usual=50)


def worked(turns: int = 12, size: int = 400) -> Log:
    log = Log()
    log.user("Make the tests pass.")
    for number in range(turns):
        log.call("bash", f"output {number} " + "x" * size, command=f"step {number}")
    return log


def planned(log: Log, setting: Setting = SETTING) -> Plan | NotPlanned:
    return plan(project(log.events), log.events, setting)


def ranged(log: Log, setting: Setting = SETTING) -> Plan:
    made = planned(log, setting)
    assert isinstance(made, Plan), made
    return made


def test_the_tail_stays() -> None:
    log = worked()

    made = ranged(log)

    assert made.last_seq == 21  # 25 events; two answers with their results stay
    assert made.atoms[0].first_seq == 1 and made.earlier is None


def test_an_open_call_and_its_whole_answer_stay() -> None:
    log = worked(3, 2_000)
    for call_id in ("a", "b"):
        log.add("tool.requested", call_id=call_id, name="bash", input={"command": call_id}, message_id="both")
    open_seq = len(log.events) - 1
    log.add("tool.completed", call_id="a", content="x" * 2_000)

    made = ranged(log, Setting(tail_messages=0, least_gain=100))

    assert made.last_seq < open_seq


def test_what_the_user_asked_last_stays_until_it_is_answered() -> None:
    log = worked(12)
    log.user("And now the docs.")
    log.user("In German, please.")

    assert ranged(log, Setting(tail_messages=1, least_gain=100)).last_seq < 26
    log.say("Done, in German.")
    log.call("bash", "ok", command="make docs")
    assert ranged(log, Setting(tail_messages=2, least_gain=100)).last_seq == 28


def test_the_latest_observation_stays() -> None:
    log = worked(6, 2_000)
    latest = len(log.events)
    for number in range(10):
        log.say(f"thinking aloud {number}")

    assert ranged(log).last_seq < latest - 1


def test_an_answer_whose_result_came_late_is_not_split() -> None:
    log = worked(3, 2_000)
    log.add("tool.requested", call_id="slow", name="bash", input={"command": "make"}, message_id="slow")
    slow = len(log.events)
    for number in range(4):
        log.call("bash", f"between {number}", command="ls")
    log.add("tool.completed", call_id="slow", content="built")
    for number in range(2):
        log.call("bash", f"after {number}", command="ls")

    made = ranged(log, Setting(tail_messages=8, least_gain=100))

    assert made.last_seq < slow


def test_a_new_summary_takes_up_the_earlier_one_and_begins_behind_it() -> None:
    log = worked()
    log.add("session.compacted", part="whole", summary="The earlier one.", covers=[1, 15], trust="untrusted")
    for number in range(8):
        log.call("bash", f"new {number} " + "y" * 400, command=f"more {number}")

    made = ranged(log)

    assert made.earlier is not None and made.earlier.seq == 26
    assert made.atoms[0].first_seq == 16


def test_a_withdrawn_summary_is_not_taken_up() -> None:
    log = worked()
    made = log.add("session.compacted", part="whole", summary="Wrong.", covers=[1, 15])
    log.add("compaction.withdrawn", seq=made.seq, reason="wrong")
    log.call("bash", "x", command="ls")

    assert ranged(log).earlier is None


def test_nothing_closed_and_too_little_to_gain_are_said() -> None:
    short = Log()
    short.user("Hello.")

    nothing, little = planned(short), planned(worked(4, 10))

    assert isinstance(nothing, NotPlanned) and nothing.code == "nothing_closed"
    assert isinstance(little, NotPlanned) and little.code == "too_little_to_gain"
    assert "at least 100 have to be saved" in little.detail
