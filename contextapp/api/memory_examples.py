"""Examples of the memory operations for the OpenAPI document."""

from __future__ import annotations

from contextapp.api.examples import CONTENT_SHA256, SESSION, Json

RECORD: Json = {
    "id": 7,
    "reference": "mem_0d2f7c1a6a53@1",
    "state": "candidate",
    "version": 1,
    "claim": "Tests run with make test.",
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
