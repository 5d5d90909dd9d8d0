"""The one table of who may do what in a project. Decorators, templates and tests read it; nothing else decides.

An admin may erase alone, with a reason that is typed and stands in the log (docs/decisions).
"""

from __future__ import annotations

from contextapp.accounts.models import Role, Scope

READ = "session.read"
VERIFY = "session.verify"
EXPORT = "session.export"
IMPORT = "import.start"
ERASE = "session.erase"
COMPACT = "session.compact"
DECIDE_CONSTRAINT = "constraint.decide"
BUILD = "context.build"
PROPOSE_MEMORY = "memory.propose"
REVIEW_MEMORY = "memory.review"
READ_POLICY = "policy.read"
CHANGE_POLICY = "policy.change"
SIMULATE = "context.simulate"
MANAGE_KEYS = "key.manage"
MANAGE_MEMBERS = "member.manage"
READ_SETTINGS = "settings.read"
CHANGE_SETTINGS = "settings.change"
READ_AUDIT = "audit.read"
READ_JOBS = "job.read"
MANAGE_JOBS = "job.manage"

PERMITTED: dict[str, frozenset[str]] = {
    Role.ADMIN: frozenset(
        {
            READ,
            VERIFY,
            EXPORT,
            IMPORT,
            ERASE,
            COMPACT,
            DECIDE_CONSTRAINT,
            BUILD,
            SIMULATE,
            PROPOSE_MEMORY,
            REVIEW_MEMORY,
            CHANGE_POLICY,
        }
        | {READ_POLICY, MANAGE_KEYS, MANAGE_MEMBERS, READ_SETTINGS, CHANGE_SETTINGS, READ_AUDIT, READ_JOBS, MANAGE_JOBS}
    ),
    Role.REVIEWER: frozenset({DECIDE_CONSTRAINT, READ, VERIFY, SIMULATE, PROPOSE_MEMORY, REVIEW_MEMORY}),
    Role.AUDITOR: frozenset({READ, VERIFY, EXPORT, SIMULATE, READ_POLICY, READ_SETTINGS, READ_AUDIT}),
    Role.DEVELOPER: frozenset({READ, VERIFY, IMPORT, COMPACT, DECIDE_CONSTRAINT, BUILD, SIMULATE, PROPOSE_MEMORY}),
}

SCOPE_PERMITS: dict[str, frozenset[str]] = {
    Scope.INGEST: frozenset({"session.create", "event.append", PROPOSE_MEMORY}),  # writes, and never reads a transcript
    Scope.BUILD: frozenset({BUILD, "ledger.read", READ_POLICY}),
    Scope.READ: frozenset({READ, "ledger.read", READ_POLICY}),
    Scope.VERIFY: frozenset({VERIFY}),
}


ACTIONS = frozenset().union(*PERMITTED.values(), *SCOPE_PERMITS.values())


class Permitted:
    """What a role permits, for templates: `{% if permitted.import_start %}`. What is not in the table is a KeyError."""

    def __init__(self, role: str | None) -> None:
        self.role = role

    def __getitem__(self, name: str) -> bool:
        action = name.replace("_", ".", 1)
        if action not in ACTIONS:
            raise KeyError(name)
        return may(self.role, action)


def may(role: str | None, action: str) -> bool:
    """Whether a member of that role may do it; None is a stranger, who may do nothing."""
    return role is not None and action in PERMITTED.get(role, frozenset())


def key_may(scopes: list[str], action: str) -> bool:
    return any(action in SCOPE_PERMITS.get(scope, frozenset()) for scope in scopes)
