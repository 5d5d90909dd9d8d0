from __future__ import annotations

import json

import pytest

from contextapp.engine.request import openai
from contextapp.engine.version import ENGINE_VERSION
from tests.golden import cases


@pytest.mark.parametrize("case", cases.CASES)
def test_a_golden_case_comes_to_the_same_request_and_ledger(case: str) -> None:
    made = cases.made(case)

    for name, text in made.items():
        assert json.loads(text) == json.loads(cases.kept(case, name)), f"{case}/{name}; `make golden` if it was meant"


@pytest.mark.parametrize("case", cases.CASES)
def test_a_golden_request_is_one_the_provider_takes(case: str) -> None:
    built = cases.built_of(case)

    assert built.ledger.difference == 0
    assert built.request is None or openai.validate(openai.render(built.request)) == ()
    assert built.header["engineVersion"] == ENGINE_VERSION


def test_the_ninth_step_of_fixing_tests_has_exactly_these_sources_and_tokens() -> None:
    header = cases.built_of("fix_failing_tests").header

    assert header["sources"] == {
        "instructions": ["global:AGENTS.md", "project:AGENTS.md"],
        "memory": ["mem_3fa2c1d09b11@2", "mem_77b0e1a2c3d4@1"],
        "tools": ["read_file", "grep", "bash", "apply_patch"],
        "resources": ["ADR 12: money in cents"],
        "evidence": ["docs/adr/0012-money.md", "docs/invoices.md"],
    }
    assert header["step"] == 9
    assert header["tokensByBucket"] == {
        "instructions": 115,
        "memory": 108,
        "toolSchemas": 183,
        "mcpResources": 67,
        "transcript": 2158,
        "reserve": 12800,
    }
    assert header["totalTokens"] == sum(header["tokensByBucket"].values()) + header["overheadTokens"]  # type: ignore[attr-defined, operator]
