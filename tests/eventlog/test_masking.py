"""Secrets never reach a table; what is masked is marked, and the scan never misses what the fast pass let through."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

import pytest
from django.apps import apps
from django.core.exceptions import ImproperlyConfigured
from hypothesis import given
from hypothesis import strategies as st

from contextapp.eventlog import selectors
from contextapp.eventlog.errors import DraftRefused
from contextapp.eventlog.masking.payloads import mask_text
from contextapp.eventlog.masking.rules import RULES
from contextapp.eventlog.masking.scan import find, may_hold_secret
from contextapp.eventlog.models import Artifact, Payload
from contextapp.eventlog.services import append
from contextapp.evidence import canonical
from tests.eventlog.secrets import HARMLESS, PEM, SECRETS
from tests.world import World, draft


def test_every_rule_has_an_example() -> None:
    assert {rule.name for rule in RULES} == set(SECRETS)


@pytest.mark.parametrize("rule", SECRETS)
@pytest.mark.parametrize("around", ["{}", "see: {} and more", "中文 {}\n", '{{"escaped": "\\n{}"}}', "\ud800 {}"])
def test_a_secret_is_found_wherever_it_stands(rule: str, around: str) -> None:
    before, secret, after = SECRETS[rule]
    text = around.format(before + secret + after)

    found = find(text)

    assert [(finding.rule, text[finding.start : finding.end]) for finding in found] == [(rule, secret)]
    assert may_hold_secret(canonical.encode({"text": text}))
    assert may_hold_secret(canonical.encode({"text": json.dumps({"quoted": text})}))


@pytest.mark.parametrize("text", HARMLESS)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert mask_text(text) == text


@pytest.mark.parametrize("rule", SECRETS)
def test_a_secret_reaches_no_table(world: World, rule: str) -> None:
    before, secret, after = SECRETS[rule]
    session = world.open_session(title=f"run {before}{secret}{after}")

    world.append(session, ("tool.requested", {"input": {"cmd": f"use {before}{secret}{after} now"}, "n": 1}))

    [event] = selectors.get_events(session.id)
    assert event.payload["input"] == {"cmd": f"use {before}[masked:{rule}]{after} now"}
    assert event.payload["_masked"] == [{"rule": rule, "path": "/input/cmd", "offset": 4 + len(before)}]
    assert event.payload["_masked_total"] == 1
    assert secret not in session.title
    assert secret.encode() not in bytes(Payload.objects.get(session_id=session.id).body)


def test_a_secret_in_a_key_or_beside_its_name_is_masked(world: World) -> None:
    session = world.open_session()
    token = "ghp_" + "a1" * 18
    pair = {"aws_secret_access_key": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzzzz"}

    world.append(session, ("tool.requested", {"input": {token: "x"}, "env": [pair]}))

    [event] = selectors.get_events(session.id)
    assert event.payload["input"] == {"[masked:github_token]": "x"}
    assert event.payload["env"] == [{"aws_secret_access_key": "[masked:aws_secret_key]"}]


def test_two_keys_masked_alike_both_stay(world: World) -> None:
    session = world.open_session()
    first, second = "ghp_" + "a1" * 18, "ghp_" + "b2" * 18

    world.append(session, ("tool.requested", {"input": {first: "x", second: "y"}}))

    [event] = selectors.get_events(session.id)
    assert event.payload["input"] == {"[masked:github_token]": "x", "[masked:github_token]'": "y"}


def test_marks_are_listed_to_a_limit_and_all_counted(world: World) -> None:
    session = world.open_session()
    token = "ghp_" + "a1" * 18

    world.append(session, ("tool.completed", {"content": " ".join([token] * 150)}))

    [event] = selectors.get_events(session.id)
    assert (len(event.payload["_masked"]), event.payload["_masked_total"]) == (100, 150)
    assert event.payload["content"].count("[masked:github_token]") == 150


def test_a_retry_of_a_masked_event_is_still_the_same_event(world: World) -> None:
    session = world.open_session()
    again = draft("tool.completed", {"content": PEM})
    append(session_id=session.id, drafts=[again], actor="test")

    result = append(session_id=session.id, drafts=[again], actor="test")

    assert result.results[0].duplicate


def test_flag_mode_marks_and_keeps(world: World, settings: Any) -> None:
    settings.MASKING_MODE = "flag"
    session = world.open_session()

    world.append(session, ("tool.completed", {"content": PEM}))

    [event] = selectors.get_events(session.id)
    assert event.payload["content"] == PEM
    assert event.payload["_flagged"] == [{"rule": "private_key", "path": "/content", "offset": 0}]


def test_refuse_mode_names_the_place_and_never_the_secret(world: World, settings: Any) -> None:
    settings.MASKING_MODE = "refuse"
    session = world.open_session()

    with pytest.raises(DraftRefused) as refused:
        world.append(session, ("user.message", {}), ("tool.completed", {"content": f"key\n{PEM}"}))

    assert (refused.value.index, refused.value.field) == (1, "payload/content")
    assert "PRIVATE" not in str(refused.value)


def test_a_text_artifact_is_masked_too(world: World) -> None:
    session = world.open_session()
    token = "ghp_" + "a1" * 18

    world.append(session, ("tool.completed", {"content": "line\n" * 60_000 + token}))

    [artifact] = Artifact.objects.all()
    assert token.encode() not in bytes(artifact.body)
    assert b"[masked:github_token]" in bytes(artifact.body)


@given(st.text(max_size=30), st.sampled_from(sorted(SECRETS)), st.text(max_size=30))
def test_the_fast_pass_never_lets_a_secret_through(before: str, rule: str, after: str) -> None:
    text = before + "".join(SECRETS[rule]) + after

    if find(text):
        assert may_hold_secret(canonical.encode({"a": [text]}))


@given(st.text(st.characters(exclude_categories=[]), max_size=200))
def test_masking_any_text_twice_changes_nothing_more(text: str) -> None:
    once = mask_text(text)

    assert mask_text(once) == once


def test_masked_events_of_two_ids_are_two_events(world: World) -> None:
    session = world.open_session()

    for _ in range(2):
        append(session_id=session.id, drafts=[draft("tool.completed", {"content": PEM}, uuid4())], actor="test")

    assert selectors.head_seq(session.id) == 2


def test_an_unknown_mode_stops_the_start(settings: Any) -> None:
    settings.MASKING_MODE = "maks"

    with pytest.raises(ImproperlyConfigured, match="MASKING_MODE='maks' is unknown; choose one of mask, flag, refuse"):
        apps.get_app_config("eventlog").ready()
