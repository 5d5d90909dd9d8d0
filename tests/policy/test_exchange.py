"""A policy leaves as a file and comes back as a draft, in any project; a file that is none is refused in plain words."""

from __future__ import annotations

import json

import pytest

from contextapp.engine.policy import Policy
from contextapp.policy.errors import PolicyRefused
from contextapp.policy.models import PolicyState, PolicyVersion
from contextapp.policy.services import create_draft, export_policy, import_policy
from tests.world import World


def test_a_policy_comes_back_as_a_draft_of_another_project(world: World) -> None:
    whole = Policy().to_dict() | {"lend_unused": True, "deny_paths": ["**/密钥/*"]}
    made = create_draft(project=world.project, body=whole, note="用途", by="user:alice")

    text = export_policy(made)
    back = import_policy(project=world.foreign_project, text=text.encode(), by="user:charlie")

    assert "密钥" in text
    assert back.body == made.body
    assert (back.state, back.number, back.author) == (PolicyState.DRAFT, 2, "user:charlie")
    assert "wonderland" in back.note and "用途" in back.note


def test_a_bare_body_is_read_too(world: World) -> None:
    made = import_policy(project=world.project, text=b'{"high_mark": 90}', by="user:alice")

    assert (made.body["high_mark"], made.body["low_mark"]) == (90, Policy().low_mark)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"ratios: {}", "JSON"),
        (b"\xff\xfe", "JSON"),
        (b"[" * 100_000, "JSON"),
        (b'{"high_mark": NaN}', "NaN"),
        (b'{"high_mark": 90, "high_mark": 91}', "high_mark"),
        (b'{"format": "contextapp.policy/9", "policy": {}}', "contextapp.policy/9"),
        (b'{"format": "contextapp.policy/1"}', "NoneType"),
        (b'{"high_mark": 900}', "900"),
        (b'{"x": "%s"}' % (b"y" * 200_000), "200,0"),
    ],
)
def test_what_is_no_policy_is_refused(world: World, text: bytes, told: str) -> None:
    with pytest.raises(PolicyRefused, match=told):
        import_policy(project=world.project, text=text, by="user:alice")

    assert PolicyVersion.objects.filter(project=world.project).count() == 1


def test_a_file_says_which_version_it_is(world: World) -> None:
    version = PolicyVersion.objects.select_related("project").get(project=world.project)

    told = json.loads(export_policy(version))

    assert (told["project"], told["number"], told["state"]) == ("wonderland", 1, "active")
    assert "number" not in told["policy"]
