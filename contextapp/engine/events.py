"""The vocabulary of the log: event types and the fields of their payloads. Unknown types pass through and are never refused.

`docs/events.md` describes each type for people; a test keeps the two in step.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Payload = Mapping[str, Any]  # JSON objects: their shape is the writer's, so the values are open

SESSION_CREATED = "session.created"
INSTRUCTIONS_LOADED = "instructions.loaded"
TOOLS_AVAILABLE = "tools.available"
RESOURCE_INCLUDED = "resource.included"
RETRIEVAL_COMPLETED = "retrieval.completed"
TURN_STARTED = "turn.started"
USER_MESSAGE = "user.message"
MODEL_DELTA = "model.delta"
MODEL_MESSAGE = "model.message"
MODEL_THINKING = "model.thinking"
TOOL_REQUESTED = "tool.requested"
TOOL_COMPLETED = "tool.completed"
PERMISSION_REQUESTED = "permission.requested"
PERMISSION_RESOLVED = "permission.resolved"
FILE_CHANGED = "file.changed"
VERIFICATION_COMPLETED = "verification.completed"
CONSTRAINT_ADDED = "constraint.added"
CONSTRAINT_LIFTED = "constraint.lifted"
PHASE_CHANGED = "phase.changed"
PLAN_UPDATED = "plan.updated"
MEMORY_PROPOSED = "memory.proposed"
CONTEXT_BUILT = "context.built"
SESSION_COMPACTED = "session.compacted"
COMPACTION_FAILED = "compaction.failed"
COMPACTION_WITHDRAWN = "compaction.withdrawn"
USAGE_REPORTED = "usage.reported"
TURN_COMPLETED = "turn.completed"
SESSION_ENDED = "session.ended"
EVENT_REDACTED = "event.redacted"
IMPORT_UNKNOWN = "import.unknown"

FIELDS: dict[str, str] = {
    SESSION_CREATED: "agent, agent_version, model, cwd, title, format, parent_session",
    INSTRUCTIONS_LOADED: "id, level (global, project, directory, session, safety), name, path, text, scope (the directory it "
    "speaks for), real_path, sha256, warning (invalid_utf8, outside_root, unreadable, broken_link, link_loop, pointer, "
    "not_a_file, too_large, same_file), points_to",
    TOOLS_AVAILABLE: "tools: [{name, description, schema, server, read_only}], mode (set, add, remove)",
    RESOURCE_INCLUDED: "id, kind, title, path, text, by (user, policy, harness), server",
    RETRIEVAL_COMPLETED: "query, snapshot, packages (of the task; none: all), chunks: [{id, path, title_path, lines, score, "
    "text, package, permitted, generated, valid_from, valid_until, snapshot}]",
    TURN_STARTED: "native_id",
    USER_MESSAGE: "text, message_id, queued, media: [{media_type, size_bytes, sha256, width, height, url}]",
    MODEL_DELTA: "message_id, text",
    MODEL_MESSAGE: "message_id, text, model, synthetic, error_status",
    MODEL_THINKING: "message_id, text, model, redacted",
    TOOL_REQUESTED: "call_id, name, input, message_id, model",
    TOOL_COMPLETED: "call_id, content, is_error, exit_code, pending, media, artifact: {sha256, size_bytes, media_type}, "
    "read_range: {first_line, last_line, total_lines}, cut: {shown_chars, total_chars}, name",
    PERMISSION_REQUESTED: "call_id, tool",
    PERMISSION_RESOLVED: "call_id, decision (allowed, denied), reason, by (person, rule, mode, unknown), explicit",
    FILE_CHANGED: "path, operation (created, edited, deleted), call_id, sha256",
    VERIFICATION_COMPLETED: "command, passed, summary, call_id",
    CONSTRAINT_ADDED: "id, text, kind (prohibition, approval, verification, preference)",
    CONSTRAINT_LIFTED: "id, reason",
    PHASE_CHANGED: "phase (diagnosing, planning, editing, verifying, summarizing, blocked)",
    PLAN_UPDATED: "items: [{text, status}]",
    MEMORY_PROPOSED: "claim, kind, scope, scope_key",
    CONTEXT_BUILT: "see docs/ledger.md; metadata only, never the request",
    SESSION_COMPACTED: "part (whole, boundary, summary, cleared), summary, replacement: [{role, text, media}], "
    "covers: [from_seq, to_seq], trigger, by, "
    "before_tokens, after_tokens, cleared_call_ids, trust",
    COMPACTION_FAILED: "reason, covers",
    COMPACTION_WITHDRAWN: "seq (of the session.compacted that no longer counts), reason, by",
    USAGE_REPORTED: "message_id, model, input_uncached, cache_read, cache_write, output, reasoning, "
    "quality (exact, placeholder, cumulative)",
    TURN_COMPLETED: "stop_reason, error_code, duration_ms",
    SESSION_ENDED: "reason",
    EVENT_REDACTED: "first_seq, last_seq, reason, by",
    IMPORT_UNKNOWN: "record_type, record",
}

TYPES = frozenset(FIELDS)

# Never a source of their own: they tell the fold something, or a person.
SILENT = frozenset(
    {
        SESSION_CREATED, TURN_STARTED, CONTEXT_BUILT, PERMISSION_REQUESTED, USAGE_REPORTED, TURN_COMPLETED,
        SESSION_ENDED, EVENT_REDACTED, COMPACTION_FAILED, COMPACTION_WITHDRAWN, MEMORY_PROPOSED, IMPORT_UNKNOWN,
        PHASE_CHANGED, PLAN_UPDATED, CONSTRAINT_ADDED, CONSTRAINT_LIFTED, FILE_CHANGED, VERIFICATION_COMPLETED,
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Event:
    """One fact of the log as the engine sees it. `seq` is its place; `occurred_at` is a claim and sorts nothing.

    `derived` keeps what pure functions of this event came to, for whoever builds from it again; it changes no result.
    """

    seq: int
    type: str
    payload: Payload
    event_id: str = ""
    occurred_at: str | None = None
    visibility: str = "model"  # model, ui or audit
    derived: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def is_known(self) -> bool:
        return self.type in TYPES
