"""Policies, to be read: which versions there are and what they say. Keys change none: people do, on the pages."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from django.http import HttpRequest
from ninja import Router
from pydantic import BaseModel, Field

from contextapp.accounts import permissions
from contextapp.api.examples import Json, shown
from contextapp.api.keys import KeyAuth, key_of
from contextapp.api.problems import READ_PROBLEMS, Problem
from contextapp.engine.policy import Policy
from contextapp.policy import selectors

router = Router(tags=["policies"])

_ENTRY: Json = {
    "number": 4,
    "state": "active",
    "author": "user:alice",
    "note": "more room for memory",
    "created_at": "2026-11-30T09:12:00Z",
    "activated_at": "2026-11-30T09:40:00Z",
}


class PolicyEntry(BaseModel):
    """A version without its body. What was in force once never changes."""

    model_config = shown(_ENTRY)

    number: int
    state: Literal["draft", "active", "retired"]
    author: str
    note: str
    created_at: datetime
    activated_at: datetime | None


class PolicyOut(PolicyEntry):
    """`policy` holds ratios (percent of the window by bucket), limits, phase_shares, marks and more."""

    model_config = shown(_ENTRY | {"policy": Policy(number=4).to_dict()})

    policy: dict[str, Any]  # JSON: the fields of `engine.policy.Policy`, which newer versions extend


class PoliciesOut(BaseModel):
    model_config = shown({"policies": [_ENTRY], "total": 1})

    policies: list[PolicyEntry]
    total: int


@router.get(
    "/policies",
    operation_id="list_policies",
    summary="List the versions of the policy, newest first",
    auth=KeyAuth(permissions.READ_POLICY),
    response={200: PoliciesOut, **READ_PROBLEMS},
)
def list_policies(request: HttpRequest, limit: Annotated[int, Field(ge=1, le=200)] = 50) -> PoliciesOut:
    versions = selectors.policies_of(key_of(request).project_id)
    entries = [PolicyEntry(**_entry(version)) for version in versions[:limit]]
    return PoliciesOut(policies=entries, total=len(versions))


@router.get(
    "/policies/active",
    operation_id="get_active_policy",
    summary="Read the policy in force",
    auth=KeyAuth(permissions.READ_POLICY),
    response={200: PolicyOut, **READ_PROBLEMS},
)
def get_active_policy(request: HttpRequest) -> PolicyOut:
    found = selectors.active_version(key_of(request).project_id)
    if found is None:
        raise Problem(404, "policy_not_found", "no version is in force yet: the engine's default counts")
    return _whole(found)


@router.get(
    "/policies/{int:policy_number}",
    operation_id="get_policy",
    summary="Read a version of the policy",
    auth=KeyAuth(permissions.READ_POLICY),
    response={200: PolicyOut, **READ_PROBLEMS},
)
def get_policy(request: HttpRequest, policy_number: int) -> PolicyOut:
    found = selectors.policy_version(key_of(request).project_id, policy_number)
    if found is None:
        raise Problem(404, "policy_not_found", f"there is no policy version {str(policy_number)[:30]} in this project")
    return _whole(found)


def _whole(version: Any) -> PolicyOut:  # a version; doors don't name models
    return PolicyOut(**_entry(version), policy=selectors.as_policy(version).to_dict())


def _entry(version: Any) -> Json:  # as above
    return {name: getattr(version, name) for name in PolicyEntry.model_fields}
