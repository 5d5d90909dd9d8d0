"""The policy and calibration in force. A project without a version of its own has the engine's default, number 1."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

from contextapp.engine.policy import Policy
from contextapp.policy.models import Calibration, PolicyState, PolicyVersion


def active_policy(project_id: UUID) -> Policy:
    """The active version as the engine takes it, with its number."""
    active = PolicyVersion.objects.filter(project_id=project_id, state=PolicyState.ACTIVE).first()
    return Policy() if active is None else as_policy(active)


def policy_at(project_id: UUID, number: int) -> Policy | None:
    """A version by its number, whatever its state: recorded builds are repeated under the policy they had."""
    found = PolicyVersion.objects.filter(project_id=project_id, number=number).first()
    return None if found is None else as_policy(found)


def as_policy(version: PolicyVersion) -> Policy:
    return replace(Policy.from_dict(version.body), number=version.number)


def policies_of(project_id: UUID) -> tuple[PolicyVersion, ...]:
    return tuple(PolicyVersion.objects.filter(project_id=project_id).order_by("-number"))


def newest_calibration(project_id: UUID, model: str) -> Calibration | None:
    """What was last learned about the model in this project."""
    return Calibration.objects.filter(project_id=project_id, model=model).order_by("-number").first()


def calibration_at(project_id: UUID, model: str, number: int) -> Calibration | None:
    return Calibration.objects.filter(project_id=project_id, model=model, number=number).first()
