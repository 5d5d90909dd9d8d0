"""A project's own mode and rules: validated, in force with the next append, and linear whatever an admin writes."""

from __future__ import annotations

import time

import pytest

from contextapp.accounts.errors import SettingRefused, SettingsChanged
from contextapp.accounts.models import AuditEntry, Project
from contextapp.accounts.services import settings_state
from contextapp.eventlog import selectors
from contextapp.eventlog.errors import DraftRefused
from contextapp.eventlog.masking import projects
from contextapp.eventlog.masking.scan import Scanner
from contextapp.eventlog.services import change_masking, try_text
from tests.eventlog.secrets import PEM
from tests.world import World

TICKET = ("ticket", r"TICKET-(\d{4})-密")
TOKEN = "ghp_" + "a1" * 18


def change(world: World, mode: str = "", rules: tuple[tuple[str, str], ...] = ()) -> Project:
    seen = settings_state(Project.objects.get(id=world.project.id), "masking")
    return change_masking(project=world.project, mode=mode, rules=rules, seen=seen, by="user:alice")


def test_an_own_rule_masks_with_the_next_append_and_in_titles(world: World) -> None:
    session = world.open_session()
    world.append(session, ("user.message", {"text": "see TICKET-1234-密"}))

    change(world, rules=(TICKET,))
    world.append(session, ("user.message", {"text": "see TICKET-1234-密 \ud800 TICKET-9999-密"}))

    before, after = selectors.get_events(session.id)
    assert before.payload["text"] == "see TICKET-1234-密"
    assert after.payload["text"] == "see [masked:ticket] \ud800 [masked:ticket]"
    assert after.payload["_masked"][0] == {"rule": "ticket", "path": "/text", "offset": 4}
    assert world.open_session(title="TICKET-1234-密").title == "[masked:ticket]"


def test_rules_of_one_project_hold_in_no_other(world: World) -> None:
    change(world, rules=(TICKET,))
    foreign = world.open_session(project_id=world.foreign_project.id)

    world.append(foreign, ("user.message", {"text": "TICKET-1234-密"}))

    assert selectors.get_events(foreign.id)[0].payload == {"text": "TICKET-1234-密"}


def test_the_mode_of_a_project_wins_over_the_installation_s(world: World) -> None:
    session = world.open_session()
    change(world, mode="flag")
    world.append(session, ("user.message", {"text": PEM}))

    change(world, mode="refuse")
    with pytest.raises(DraftRefused, match="private_key"):
        world.append(session, ("user.message", {"text": PEM}))

    assert selectors.get_events(session.id)[0].payload["text"] == PEM


def test_a_change_is_audited_with_before_and_after(world: World) -> None:
    change(world, mode="refuse", rules=(TICKET,))

    entry = AuditEntry.objects.get(action="masking.changed")
    assert entry.before == {"masking_mode": "", "masking_rules": []}
    assert entry.after == {"masking_mode": "refuse", "masking_rules": [{"id": "ticket", "pattern": TICKET[1]}]}


def test_of_two_admins_nobody_overwrites_the_other(world: World) -> None:
    seen = settings_state(world.project, "masking")
    change_masking(project=world.project, mode="flag", rules=(), seen=seen, by="user:alice")

    with pytest.raises(SettingsChanged):
        change_masking(project=world.project, mode="refuse", rules=(), seen=seen, by="user:bob")

    assert Project.objects.get(id=world.project.id).masking_mode == "flag"


@pytest.mark.parametrize(
    ("rules", "reason"),
    [
        ((("look", r"(?=a)b"),), "invalid perl operator"),
        ((("back", r"(a)\1"),), "invalid escape sequence"),
        ((("empty", r"a*"),), "matches the empty text"),
        ((("open", r"(a"),), "missing"),
        ((("long", "a" * 501),), "501 characters"),
        ((("big", r"((a{900}){900}){900}"),), "RE2 does not take"),
        ((("Name", "a"),), "is not a rule's name"),
        ((("jwt", "a"),), "is there already"),
        ((("two", "a"), ("two", "b")), "is there already"),
        (tuple((f"rule_{number}", "abc") for number in range(51)), "51 rules"),
    ],
)
def test_a_rule_that_can_t_stand_is_refused_in_words(
    world: World, rules: tuple[tuple[str, str], ...], reason: str
) -> None:
    with pytest.raises(SettingRefused, match=reason):
        change(world, rules=rules)

    assert Project.objects.get(id=world.project.id).masking_rules == []


def test_a_pattern_that_would_stop_other_engines_takes_no_time(world: World) -> None:
    change(world, rules=(("bomb", r"(a+)+\$"),))
    session = world.open_session()

    start = time.process_time()
    world.append(session, ("user.message", {"text": "a" * 200_000}))

    assert time.process_time() - start < 2


def test_where_rules_overlap_all_of_it_is_masked() -> None:
    found = Scanner([("around", rf"<{TOKEN}>"), ("tail", r"1> end")]).find(f"x <{TOKEN}> end")

    assert [(one.rule, one.start, one.end) for one in found] == [("github_token", 2, 2 + len(TOKEN) + 2 + 4)]


def test_a_text_can_be_tried_before_anything_is_changed(world: World) -> None:
    shown, counts = try_text(text=f"{TOKEN} and TICKET-1234-密 TICKET-1234-密", rules=[TICKET])

    assert shown == "[masked:github_token] and [masked:ticket] [masked:ticket]"
    assert dict(counts) == {"github_token": 1, "ticket": 2}
    assert Project.objects.get(id=world.project.id).masking_rules == []


def test_another_process_sees_a_change_within_seconds(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    assert projects.rules_for(world.project.id).mode == "mask"
    Project.objects.filter(id=world.project.id).update(masking_mode="flag")  # as another process would
    later = time.monotonic() + projects.KEPT_SECONDS + 0.01
    monkeypatch.setattr(projects.time, "monotonic", lambda: later)

    assert projects.rules_for(world.project.id).mode == "flag"
    assert projects.KEPT_SECONDS <= 5
