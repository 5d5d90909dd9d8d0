"""Examples of the memory operations for the OpenAPI document."""

from __future__ import annotations

from contextapp.api.examples import CONTENT_SHA256, SESSION, Json

RECORD: Json = {
    "id": 7,
    "reference": "mem_0d2f7c1a6a53@1",
    "lineage": "0d2f7c1a-6a53-4c3e-9b1f-7a1c5e0f8b21",
    "revision": 1,
    "version": 1,
    "state": "candidate",
    "kind": "fact",
    "scope": "workspace",
    "scope_key": "/home/dev/shop",
    "claim": "Tests run with make test.",
    "shown": "Tests run with make test.",
    "shown_sha256": CONTENT_SHA256,
    "language": "en",
    "conflict_key": "",
    "value": "",
    "tokens": 6,
    "source": "the API",
    "source_trust": "user",
    "proposed_by": "key:ci",
    "proposer_kind": "key",
    "proposer_model": "",
    "prompt_version": "",
    "proposed_session": SESSION,
    "proposed_seq": 1,
    "confidence": 0.9,
    "confidence_basis": "stated",
    "model_confidence": None,
    "valid_from": None,
    "valid_until": None,
    "review_after": None,
    "last_verified_at": None,
    "detector_version": "1",
    "verdict": "clean",
    "findings": [],
    "evidence_checks": {},
    "risk": 0,
    "needs_two": False,
    "first_approved_by": "",
    "first_approved_at": None,
    "is_single_person": False,
    "decided_by": "",
    "decided_at": None,
    "reason_code": "",
    "reason": "",
    "supersedes": None,
    "created_at": "2026-03-01T09:00:00+00:00",
    "changed_at": "2026-03-01T09:00:00+00:00",
}
PROPOSAL_IN: Json = {
    "candidate_id": "run-17/tests",
    "claim": "Tests run with make test.",
    "kind": "fact",
    "scope": "workspace",
    "scope_key": "/home/dev/shop",
    "evidence": [{"session": SESSION, "seq": 1}],
}
PROPOSED_OUT: Json = {
    "outcome": "created",
    "id": 7,
    "reference": "mem_0d2f7c1a6a53@1",
    "state": "candidate",
    "version": 1,
    "findings": [],
    "evidence_checks": {},
}
MEMORIES_OUT: Json = {"records": [RECORD], "next_cursor": None}
MEMORY_OUT: Json = {"record": RECORD, "revisions": [RECORD], "evidence": [], "transitions": [], "uses": []}
DECISION_IN: Json = {"action": "approve", "version": 1, "shown_sha256": CONTENT_SHA256, "evidence_opened": True}
DECIDED_OUT: Json = {"record": {**RECORD, "state": "approved", "version": 2}}
