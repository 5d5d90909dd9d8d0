"""The one table of who may do what in a project. Doors, pages and tests read it; nothing else decides."""

from __future__ import annotations

from contextapp.accounts.models import Role, Scope

READ = "session.read"
VERIFY = "session.verify"
EXPORT = "session.export"
IMPORT = "import.start"
ERASE = "session.erase"
BUILD = "context.build"
PROPOSE_MEMORY = "memory.propose"
REVIEW_MEMORY = "memory.review"
CHANGE_POLICY = "policy.change"
MANAGE_KEYS = "key.manage"
MANAGE_MEMBERS = "member.manage"
READ_AUDIT = "audit.read"

PERMITTED: dict[str, frozenset[str]] = {
    Role.ADMIN: frozenset(
        {READ, VERIFY, EXPORT, IMPORT, ERASE, BUILD, PROPOSE_MEMORY, REVIEW_MEMORY, CHANGE_POLICY}
        | {MANAGE_KEYS, MANAGE_MEMBERS, READ_AUDIT}
    ),
    Role.REVIEWER: frozenset({READ, VERIFY, PROPOSE_MEMORY, REVIEW_MEMORY}),
    Role.AUDITOR: frozenset({READ, VERIFY, EXPORT, READ_AUDIT}),
    Role.DEVELOPER: frozenset({READ, VERIFY, IMPORT, BUILD, PROPOSE_MEMORY}),
}

SCOPE_PERMITS: dict[str, frozenset[str]] = {
    Scope.INGEST: frozenset({"session.create", "event.append"}),  # writes, and never reads a transcript
    Scope.BUILD: frozenset({BUILD, "ledger.read"}),
    Scope.READ: frozenset({READ, "ledger.read"}),
    Scope.VERIFY: frozenset({VERIFY}),
}


def may(role: str | None, action: str) -> bool:
    """Whether a member of that role may do it; None is a stranger, who may do nothing."""
    return role is not None and action in PERMITTED.get(role, frozenset())


def key_may(scopes: list[str], action: str) -> bool:
    return any(action in SCOPE_PERMITS.get(scope, frozenset()) for scope in scopes)
