"""Shares of the transcript bucket by phase: what they are, what is refused, and what they do to a request."""

from __future__ import annotations

import pytest

from contextapp.engine.builder import build
from contextapp.engine.errors import InvalidPolicy
from contextapp.engine.inputs import Built
from contextapp.engine.policy import Policy
from contextapp.engine.shares import DEFAULT_SHARES, EVIDENCE, LATEST, OLDER, PARTS, STATE, part_of
from contextapp.engine.values import Phase
from tests.engine.builder.worlds import CharCounter, Log, inputs_of


def test_each_phase_favours_what_it_works_on() -> None:
    most = {
        part: max(DEFAULT_SHARES, key=lambda phase: DEFAULT_SHARES[phase][part])
        for part in (STATE, LATEST, EVIDENCE, OLDER)
    }

    assert set(DEFAULT_SHARES) == {*Phase, "unknown"}
    assert most == {STATE: "summarizing", LATEST: "verifying", EVIDENCE: "diagnosing", OLDER: "summarizing"}


@pytest.mark.parametrize(
    "shares",
    [
        {"dreaming": DEFAULT_SHARES["editing"]},
        {"editing": dict.fromkeys(PARTS, 19)},
        {"editing": {"state": 100}},
        {"editing": dict(zip(PARTS, (-10, 50, 20, 20, 20), strict=True))},
    ],
)
def test_impossible_shares_are_refused(shares: dict[str, dict[str, int]]) -> None:
    with pytest.raises(InvalidPolicy, match="phase_shares"):
        Policy(phase_shares=shares)


def test_a_phase_that_the_policy_does_not_name_has_the_defaults() -> None:
    shares = {"editing": dict(zip(PARTS, (0, 0, 0, 100, 0), strict=True))}

    assert part_of(1_000, shares, "editing", EVIDENCE) == 1_000
    assert part_of(1_000, shares, "diagnosing", EVIDENCE) == 300
    assert part_of(1_000, shares, "", EVIDENCE) == 200
    assert part_of(-5, shares, "editing", EVIDENCE) == 0


def built(phase: str, policy: Policy, window: int = 8_000) -> Built:
    log = Log()
    log.user("how long is the timeout?")
    log.add("phase.changed", phase=phase)
    log.add("plan.updated", items=[{"text": f"step {number} " * 20, "status": "open"} for number in range(20)])
    chunks = [{"path": f"{number}.md", "text": f"{number}" * 1_600, "score": 0.9} for number in range(9)]
    log.add("retrieval.completed", query="q", chunks=chunks)
    return build(inputs_of(log.events, window=window), policy, CharCounter())


def evidence_tokens(made: Built) -> int:
    return sum(row.after_tokens for row in made.ledger.included if row.source_kind == "evidence")


def test_evidence_takes_what_its_phase_lets_it_and_no_more() -> None:
    taken = {phase: evidence_tokens(built(phase, Policy())) for phase in ("diagnosing", "editing", "verifying")}

    assert taken["diagnosing"] > taken["editing"] > taken["verifying"] > 0
    assert taken["diagnosing"] <= 4_800 * 30 // 100


def test_a_part_whose_share_is_nothing_stays_out_with_the_bucket_as_its_reason() -> None:
    shares = {"planning": dict(zip(PARTS, (0, 30, 30, 0, 40), strict=True))}

    made = built("planning", Policy(phase_shares=shares))

    out = {(row.source_kind, row.reason) for row in made.ledger.excluded}
    assert {("evidence", "bucket_budget"), ("state", "bucket_budget")} <= out
    assert evidence_tokens(made) == 0
