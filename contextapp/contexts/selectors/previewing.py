"""Builds one recorded step under a draft of a policy, beside the policy in force. Keeps nothing: it is for looking at.

What is read for a step is remembered for a minute, so that dragging a ratio costs a build and no reading.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from threading import Lock
from time import monotonic
from uuid import UUID

from django.utils.translation import gettext as _

from contextapp.contexts.building import build_counted
from contextapp.contexts.errors import CannotBuild, NotFound
from contextapp.contexts.models import Step
from contextapp.contexts.rebuilding import plan_simulation
from contextapp.contexts.values.previews import BucketPreview, Preview, PreviewStep
from contextapp.engine.inputs import BuildInputs, Built
from contextapp.engine.policy import Policy
from contextapp.engine.values import Bucket
from contextapp.policy.profiles import method_for
from contextapp.policy.selectors import active_policy

LISTED = 20
KEPT_STEPS, KEPT_S = 4, 60.0


def preview_steps(project_id: UUID, limit: int = LISTED) -> tuple[PreviewStep, ...]:
    """The last step of each of the newest sessions that have one."""
    last = (
        Step.objects.filter(session__project_id=project_id, session__erased_at=None)
        .order_by("session_id", "-number")
        .distinct("session_id")
        .values("id")
    )
    steps = Step.objects.filter(id__in=last).select_related("session").order_by("-session__created_at", "-id")[:limit]
    return tuple(_named(step) for step in steps)


def preview_step(project_id: UUID, session_id: UUID, number: int) -> PreviewStep:
    """The step as pages name it. NotFound when it is not in this project."""
    return _named(_step(project_id, session_id, number))


def policy_preview(project_id: UUID, session_id: UUID, number: int, policy: Policy) -> Preview:
    """The step under the active policy and under `policy`, from the same inputs. CannotBuild when no window is known."""
    step = _step(project_id, session_id, number)
    active = active_policy(project_id)
    started = monotonic()
    before, inputs = _before(step, active)
    if policy.baseline:  # it may reach farther back than any other
        inputs = plan_simulation(step, policy).inputs
    after = build_counted(inputs, policy)[0]
    took = round(1000 * (monotonic() - started))
    return _compared(_named(step), inputs.profile.model, active.number, before, after, took)


type Key = tuple[UUID, int, int]  # session, step, policy in force


class _Remembered:
    """The last few steps that somebody previews, with what their build reads and what it gives under the active policy."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: OrderedDict[Key, tuple[float, Built, BuildInputs]] = OrderedDict()

    def get(self, key: Key) -> tuple[Built, BuildInputs] | None:
        with self._lock:
            found = self._known.get(key)
        return None if found is None or monotonic() - found[0] > KEPT_S else found[1:]

    def put(self, key: Key, built: Built, inputs: BuildInputs) -> None:
        with self._lock:
            self._known[key] = (monotonic(), built, inputs)
            self._known.move_to_end(key)
            while len(self._known) > KEPT_STEPS:
                self._known.popitem(last=False)


_remembered = _Remembered()


def _before(step: Step, active: Policy) -> tuple[Built, BuildInputs]:
    key = (step.session_id, step.number, active.number)
    found = _remembered.get(key)
    if found is None:
        widest = replace(active, lend_unused=True, high_mark=100)  # more of the log than a build needs changes nothing
        inputs = plan_simulation(step, widest).inputs
        found = build_counted(inputs, active)[0], inputs
        _remembered.put(key, *found)
    return found


def _step(project_id: UUID, session_id: UUID, number: int) -> Step:
    found = (
        Step.objects.select_related("turn", "session__project", "session__workspace")
        .filter(session__project_id=project_id, session_id=session_id, number=number)
        .first()
    )
    if found is None:
        raise NotFound(_("this project has no step %(number)s of that session") % {"number": number})
    if found.session.erased_at is not None:
        raise CannotBuild(_("The content of this session was erased."))
    return found


def _named(step: Step) -> PreviewStep:
    session = step.session
    return PreviewStep(session.id, step.number, session.title, step.model or session.model, step.started_at)


def _compared(step: PreviewStep, model: str, number: int, before: Built, after: Built, took_ms: int) -> Preview:
    buckets = []
    for bucket in Bucket:
        old, new = (built.ledger.buckets.get(bucket.value, {}) for built in (before, after))
        buckets.append(
            BucketPreview(
                bucket.value, old.get("allotted", 0), new.get("allotted", 0), old.get("used", 0), new.get("used", 0)
            )
        )
    was = {row.source_id: row.after_tokens for row in before.ledger.included}
    now = {row.source_id: row.after_tokens for row in after.ledger.included}
    both = was.keys() & now.keys()
    return Preview(
        step=step,
        window_tokens=after.ledger.window_tokens,
        method=method_for(model).value,
        number_before=number,
        buckets=tuple(buckets),
        total_before=before.ledger.total_tokens,
        total_after=after.ledger.total_tokens,
        verdict_before=before.verdict.value,
        verdict_after=after.verdict.value,
        guilty_bucket=after.overflow.bucket if after.overflow else "",
        dropped=len(was.keys() - now.keys()),
        returned=len(now.keys() - was.keys()),
        reduced=sum(1 for source in both if now[source] < was[source]),
        grown=sum(1 for source in both if now[source] > was[source]),
        build_ms=took_ms,
    )
