"""A draft of a policy tried on one recorded step: the figures are those of the builds, and nothing is kept."""

from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

import pytest

from contextapp.contexts.errors import CannotBuild, NotFound
from contextapp.contexts.models import Ledger, Step
from contextapp.contexts.selectors import policy_preview, preview_steps
from contextapp.contexts.services import simulate_step
from contextapp.engine.policy import Limits, Policy
from contextapp.engine.values import Bucket
from contextapp.eventlog.services import update_session_facts
from contextapp.policy.selectors import active_policy
from tests.web.recorded import a_session
from tests.world import World

SMALL = replace(Policy(number=2), limits=replace(Limits(), result_chars=100, result_tokens=50, file_read_lines=1))


def last_step(world: World) -> Step:
    session = a_session(world)
    return Step.objects.filter(session_id=session).order_by("-number")[0]


def test_it_shows_what_a_simulation_would_keep_and_keeps_nothing(world: World) -> None:
    step = last_step(world)
    before = Ledger.objects.count()

    shown = policy_preview(world.project.id, step.session_id, step.number, SMALL)

    assert Ledger.objects.count() == before
    simulate_step(step_id=step.id)
    simulate_step(step_id=step.id, policy=SMALL)
    for number, attribute in ((1, "before"), (2, "after")):
        kept = Ledger.objects.get(step=step, origin="simulated", policy_number=number)
        told = {one.bucket: getattr(one, f"used_{attribute}") for one in shown.buckets}
        assert told == {bucket: kept.buckets.get(bucket, {}).get("used", 0) for bucket in told}
        assert getattr(shown, f"total_{attribute}") == kept.total_tokens
    assert shown.total_after < shown.total_before
    assert shown.reduced + shown.dropped > 0


def test_the_policy_in_force_changes_nothing(world: World) -> None:
    step = last_step(world)

    shown = policy_preview(world.project.id, step.session_id, step.number, active_policy(world.project.id))

    assert [one.change for one in shown.buckets] == [0] * len(Bucket)
    assert (shown.dropped, shown.returned, shown.reduced, shown.grown) == (0, 0, 0, 0)


def test_a_step_of_another_project_is_not_there(world: World) -> None:
    step = last_step(world)

    for project, session, number in (
        (world.foreign_project.id, step.session_id, step.number),
        (world.project.id, uuid4(), 1),
        (world.project.id, step.session_id, 99),
    ):
        with pytest.raises(NotFound):
            policy_preview(project, session, number, SMALL)


def test_an_unknown_window_says_so(world: World) -> None:
    step = last_step(world)
    Step.objects.filter(id=step.id).update(model="nobody-knows")
    update_session_facts(session_id=step.session_id, model="nobody-knows", model_window_tokens=None)

    with pytest.raises(CannotBuild, match="nobody-knows"):
        policy_preview(world.project.id, step.session_id, step.number, SMALL)


def test_each_session_offers_its_last_step(world: World) -> None:
    first, second = last_step(world), last_step(world)

    offered = preview_steps(world.project.id)

    assert [(one.session_id, one.number) for one in offered] == [
        (second.session_id, second.number),
        (first.session_id, first.number),
    ]
    assert preview_steps(world.foreign_project.id) == ()
