"""The policy and calibration in force. A project without a version of its own has the engine's default, number 1."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from uuid import UUID

from contextapp.accounts.models import canonical_text
from contextapp.engine.policy import Policy
from contextapp.policy.models import Calibration, PolicyState, PolicyVersion

LARGEST_NUMBER = 2**31  # of the column


def active_policy(project_id: UUID) -> Policy:
    """The active version as the engine takes it, with its number."""
    active = active_version(project_id)
    return Policy() if active is None else as_policy(active)


def policy_at(project_id: UUID, number: int) -> Policy | None:
    """A version by its number, whatever its state: recorded builds are repeated under the policy they had."""
    found = PolicyVersion.objects.filter(project_id=project_id, number=number).first()
    return None if found is None else as_policy(found)


def as_policy(version: PolicyVersion) -> Policy:
    return replace(Policy.from_dict(version.body), number=version.number)


def policies_of(project_id: UUID) -> tuple[PolicyVersion, ...]:
    return tuple(PolicyVersion.objects.filter(project_id=project_id).order_by("-number"))


def policy_version(project_id: UUID, number: int) -> PolicyVersion | None:
    """The version itself, with its project, for pages and services."""
    found = PolicyVersion.objects.select_related("project").filter(project_id=project_id, number=number)
    return found.first() if 0 < number < LARGEST_NUMBER else None


def active_version(project_id: UUID) -> PolicyVersion | None:
    return PolicyVersion.objects.filter(project_id=project_id, state=PolicyState.ACTIVE).first()


def policy_state(version: PolicyVersion) -> str:
    """What a form carries to say from which state of a version it was filled."""
    stands = [version.number, version.state, version.body, version.note]
    return sha256(canonical_text(stands).encode()).hexdigest()[:32]


def newest_calibration(project_id: UUID, model: str) -> Calibration | None:
    """What was last learned about the model in this project."""
    return Calibration.objects.filter(project_id=project_id, model=model).order_by("-number").first()


def calibration_at(project_id: UUID, model: str, number: int) -> Calibration | None:
    return Calibration.objects.filter(project_id=project_id, model=model, number=number).first()
