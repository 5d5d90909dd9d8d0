"""A policy as it is stored: bodies of earlier versions are read, unknown or impossible ones are refused with a way out."""

from __future__ import annotations

import json

import pytest

from contextapp.engine.errors import InvalidPolicy
from contextapp.engine.policy import Limits, Policy
from contextapp.engine.shares import DEFAULT_SHARES

# What the first version of the engine stored.
OLDEST = """{"number": 4, "ratios": {"instructions": 8, "memory": 5, "tool_schemas": 10, "mcp_resources": 7, "transcript": 60,
"reserve": 10}, "limits": {"file_read_lines": 300, "tail_key_events": 8, "tail_key_events_max": 12},
"instructions_hard_limit": 40, "high_mark": 90, "low_mark": 60, "fresh_share": 40, "lend_unused": true,
"layout": "cache_first", "safety_text": "s", "deny_paths": ["*.pem"], "keep_thinking": false}"""


def test_a_policy_survives_its_stored_form() -> None:
    policy = Policy(number=7, deny_paths=("*.pem",), include_resources=("docs/*",), limits=Limits(memory_records=3))

    assert Policy.from_dict(json.loads(json.dumps(policy.to_dict()))) == policy


def test_a_body_of_an_earlier_version_takes_defaults_for_what_it_lacks() -> None:
    policy = Policy.from_dict(json.loads(OLDEST))

    assert (policy.number, policy.lend_unused, policy.deny_paths, policy.limits.file_read_lines) == (
        4, True, ("*.pem",), 300,
    )  # fmt: skip
    assert policy.include_resources == ()
    assert policy.phase_shares == DEFAULT_SHARES
    assert policy.limits.tail_key_events_min == Limits().tail_key_events_min


def test_an_unknown_field_is_refused_by_its_name() -> None:
    with pytest.raises(InvalidPolicy, match="'rations' is unknown; known are"):
        Policy.from_dict({"rations": {}})
