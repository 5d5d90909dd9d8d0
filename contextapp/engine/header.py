"""The metadata a build leaves in the log (`context.built`) and the hash of what it was made from. Never holds request text."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from contextapp.engine.inputs import BuildInputs
from contextapp.engine.lanes import Rendered
from contextapp.engine.ledger import Ledger
from contextapp.engine.policy import Policy
from contextapp.engine.projection.state import FOLD_VERSION
from contextapp.engine.reasons import Reason
from contextapp.engine.sources.evidence import CITE
from contextapp.engine.sources.instructions import CONFLICTS
from contextapp.engine.sources.memory import ranking_snapshot
from contextapp.engine.tokens import TokenCounter
from contextapp.engine.values import Bucket, Verdict
from contextapp.engine.version import ENGINE_VERSION

CAMEL_BUCKETS = {
    Bucket.INSTRUCTIONS: "instructions",
    Bucket.MEMORY: "memory",
    Bucket.TOOL_SCHEMAS: "toolSchemas",
    Bucket.MCP_RESOURCES: "mcpResources",
    Bucket.TRANSCRIPT: "transcript",
    Bucket.RESERVE: "reserve",
}
LISTED = {
    "instructions": ("safety", "instruction"),
    "memory": ("memory",),
    "tools": ("tool",),
    "resources": ("resource",),
    "evidence": ("evidence",),
}


@dataclass(frozen=True, slots=True)
class Made:
    """What a build came to, as far as the header tells it."""

    ledger: Ledger
    ordered: tuple[Rendered, ...]
    first_changed: str
    request_sha256: str
    verdict: Verdict


def header(
    inputs: BuildInputs, policy: Policy, counter: TokenCounter, made: Made, inputs_sha256: str
) -> dict[str, Any]:
    """The payload of DESIGN section 4."""
    profile, ledger = inputs.profile, made.ledger
    return {
        "verdict": made.verdict.value,
        "modelId": profile.model,
        "providerCapabilities": {"maxContextTokens": profile.window_tokens, "supportsToolCall": profile.supports_tools},
        "tokensByBucket": {name: ledger.buckets[bucket]["used"] for bucket, name in CAMEL_BUCKETS.items()},
        "overheadTokens": ledger.overhead_tokens,
        "marginTokens": ledger.margin_tokens,
        "totalTokens": ledger.total_tokens,
        "floorTokens": ledger.floor_tokens,
        "cachedPrefixTokens": ledger.cached_prefix_tokens,
        "firstChangedSource": made.first_changed,
        "sources": _sources(made.ordered),
        "truncated": {"transcript": _truncated(ledger, inputs)},
        "step": inputs.step,
        "turn": inputs.turn,
        "phase": inputs.state.phase,
        "logSeq": inputs.state.seq,
        "asOf": inputs.as_of,
        "policyVersion": policy.number,
        "engineVersion": ENGINE_VERSION,
        "tokenizer": counter.name,
        "calibration": profile.calibration,
        "rankingSnapshot": ranking_snapshot(inputs, policy),
        "fenceKeyId": fence_key_id(inputs.fence_secret),
        "inputsSha256": inputs_sha256,
        "requestSha256": made.request_sha256,
    }


def _sources(ordered: Sequence[Rendered]) -> dict[str, list[str]]:
    """Names of what stands in the request beside the transcript. What is no source of somebody's own has no name here: the
    safety policy, the closing of the evidence, the list of conflicts."""
    return {
        name: [
            rendered.source.title
            for rendered in ordered
            if rendered.source.kind in kinds
            and rendered.source.id not in ("safety:policy", CONFLICTS)
            and rendered.source.title != CITE
        ]
        for name, kinds in LISTED.items()
    }


def _truncated(ledger: Ledger, inputs: BuildInputs) -> dict[str, Any]:
    over = (Reason.BUCKET_BUDGET, Reason.WINDOW_BUDGET, Reason.BASELINE_CUT)
    dropped = [row for row in ledger.excluded if row.bucket == Bucket.TRANSCRIPT and row.reason in over]
    mark = inputs.state.summary_mark
    has_summary = any(row.source_kind == "summary" for row in ledger.included)
    return {
        "droppedEvents": sum(
            row.count for row in dropped if row.source_kind not in ("evidence", "state", "constraint")
        ),
        "summaryEventRef": mark.summary_seq if mark and has_summary else None,
    }


def fence_key_id(secret: bytes) -> str:
    """Names the secret without telling it."""
    return hmac.new(secret, b"ctx.fence-key-id.v1", hashlib.sha256).hexdigest()[:16]


def inputs_sha256(inputs: BuildInputs, policy: Policy, counter: TokenCounter) -> str:
    """One hash over everything that decides the bytes of the request. The log enters by its state and the seq it stands at."""
    described = {
        "engine": ENGINE_VERSION,
        "fold": FOLD_VERSION,
        "project": inputs.project_id,
        "session": inputs.session_id,
        "step": inputs.step,
        "turn": inputs.turn,
        "logSeq": inputs.state.seq,
        "state": inputs.state,
        "memory": inputs.memory,
        "profile": inputs.profile,
        "policy": policy.to_dict(),
        "tokenizer": [counter.name, counter.method.value],
        "fenceKeyId": fence_key_id(inputs.fence_secret),
        "asOf": inputs.as_of,
        "workspace": inputs.workspace_root,
        "user": inputs.user,
    }
    encoded = json.dumps(described, sort_keys=True, separators=(",", ":"), default=_fields)
    return hashlib.sha256(encoded.encode()).hexdigest()


def _fields(value: Any) -> dict[str, Any]:
    """A dataclass as json.dumps wants it; the engine's values hold nothing else that JSON doesn't know."""
    return {column.name: getattr(value, column.name) for column in fields(value)}
