"""Policy versions and calibrations: one active, never changed, news only when there is news."""

from __future__ import annotations

import pytest

from contextapp.accounts.models import AuditEntry
from contextapp.engine.policy import Policy
from contextapp.policy.calibration import Fit, fit
from contextapp.policy.models import Calibration, PolicyState, PolicyVersion
from contextapp.policy.profiles import profile_for
from contextapp.policy.selectors import active_policy, newest_calibration, policies_of, policy_at
from contextapp.policy.services import ensure_default, store_calibration
from tests.world import World


def test_a_project_starts_with_the_default_as_version_one(world: World) -> None:
    again = ensure_default(world.project)

    assert (again.number, again.state) == (1, PolicyState.ACTIVE)
    assert active_policy(world.project.id) == Policy()
    assert len(policies_of(world.project.id)) == 1
    assert AuditEntry.objects.filter(project=world.project, action="policy.activated").count() == 1


def test_the_active_version_carries_its_number(world: World) -> None:
    PolicyVersion.objects.filter(project=world.project).update(state=PolicyState.RETIRED)

    made = ensure_default(world.project)

    assert made.number == 2
    assert active_policy(world.project.id).number == 2
    found = policy_at(world.project.id, 1)
    assert found is not None
    assert found.number == 1
    assert policy_at(world.project.id, 9) is None


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([(1000, 1200)] * 5, Fit(1.2, 1.2, 5)),
        ([(5000, 5000), (5000, 6000), (5000, 7000)], Fit(1.2, 1.4, 3)),
        ([(5000, 6000)] * 19 + [(5000, 10_000)], Fit(1.2, 1.2, 20)),
        ([(5000, 6000)] * 18 + [(5000, 10_000)] * 2, Fit(1.2, 2.0, 20)),
        ([(1000, 1200)] * 18 + [(1000, 2000)] * 2, Fit(1.2, 1.52, 20)),  # small steps count as they add up
        ([(1000, 1000), (1000, 1200), (1000, 1400)], Fit(1.2, 1.2, 3)),  # all together too little for a run
        ([(1000, 1200)] * 2, None),
        ([(400, 800)] * 10, None),  # too little growth to say anything
        ([(1000, -5)] * 10, None),
        ([(1000, 90_000)] * 10 + [(1000, 1100)] * 3, Fit(1.1, 1.1, 3)),
        ([], None),
    ],
)
def test_the_fit_is_the_median_of_clean_growth(pairs: list[tuple[int, int]], expected: Fit | None) -> None:
    assert fit(pairs) == expected


def test_a_calibration_is_a_version_and_only_news_makes_one(world: World) -> None:
    for told in (Fit(1.2, 1.4, 10), Fit(1.201, 1.4, 12), Fit(1.3, 1.5, 12), Fit(1.3, 1.5, 24)):
        store_calibration(project=world.project, model="claude-opus-4-5-20251101", tokenizer="o200k_base", fit=told)

    stored = Calibration.objects.filter(project=world.project).order_by("number")
    assert [(one.number, one.model, one.factor) for one in stored] == [
        (1, "claude-opus-4-5", 1.2),
        (2, "claude-opus-4-5", 1.3),
        (3, "claude-opus-4-5", 1.3),
    ]
    newest = newest_calibration(world.project.id, "claude-opus-4-5")
    assert newest is not None
    assert newest.number == 3


def test_a_profile_takes_the_upper_quantile_of_its_projects_calibration(world: World) -> None:
    store_calibration(project=world.project, model="claude-opus-4-5", tokenizer="o200k_base", fit=Fit(1.2, 1.4, 10))
    store_calibration(project=world.project, model="claude-opus-4-5", tokenizer="o200k_base", fit=Fit(1.5, 1.6, 10))

    newest = profile_for("anthropic/claude-opus-4-5-20251101", world.project.id)
    older = profile_for("claude-opus-4-5", world.project.id, calibration=1)
    none = profile_for("claude-opus-4-5", world.project.id, calibration=0)
    foreign = profile_for("claude-opus-4-5", world.foreign_project.id)

    assert (newest.factor, newest.calibration) == (1.6, 2)
    assert (older.factor, older.calibration) == (1.4, 1)
    assert (none.factor, none.calibration) == (foreign.factor, foreign.calibration) == (1.0, 0)


def test_an_exact_tokenizer_needs_no_calibration(world: World) -> None:
    store_calibration(project=world.project, model="gpt-4o", tokenizer="o200k_base", fit=Fit(1.2, 1.4, 10))

    assert profile_for("gpt-4o", world.project.id).factor == 1.0
