"""The audit trail: one chain of entries per project and one for the installation. Nothing here changes what is written.

An entry is written under the lock of its chain's head, in the transaction of what it tells. A chain verifies like a session's.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.utils import timezone

from contextapp.accounts.models import AuditEntry, AuditHead, Project, User, canonical_text
from contextapp.evidence.chain import GENESIS

READ_WINDOW = timedelta(minutes=10)
TRANSCRIPT_READ = "transcript.read"

_APPEND = "SELECT * FROM accounts_audit_append(%s::uuid, %s::text, %s::text, %s::text, %s::text, %s::text)"
_VERIFY = """
WITH chain AS (
    SELECT entry.*, lag(entry.n, 1, 0::bigint) OVER (ORDER BY entry.n) AS previous_n,
        lag(entry.hash, 1, %(genesis)s::bytea) OVER (ORDER BY entry.n) AS previous_hash
    FROM accounts_auditentry AS entry
    WHERE entry.project_id = %(project)s OR (%(project)s::uuid IS NULL AND entry.project_id IS NULL)
), checked AS (
    SELECT n, hash, CASE
        WHEN n <> previous_n + 1 THEN 'gap before this entry'
        WHEN prev_hash <> previous_hash THEN 'prev_hash is not the hash of the entry before'
        WHEN hash <> accounts_audit_hash(id, project_id, n, actor, action, target, before, after, at, prev_hash)
            THEN 'hash does not match the columns'
    END AS fault
    FROM chain
)
SELECT count(*), min(n) FILTER (WHERE fault IS NOT NULL), (array_agg(fault ORDER BY n) FILTER (WHERE fault IS NOT NULL))[1],
    max(n), (array_agg(hash ORDER BY n DESC))[1]
FROM checked
"""
_HEAD = """
SELECT n, hash FROM accounts_audithead
WHERE project_id = %(project)s OR (%(project)s::uuid IS NULL AND project_id IS NULL)
"""


@dataclass(frozen=True, slots=True)
class AuditVerification:
    """`verified`, or `tampered` with the first entry that does not fit and what is wrong there."""

    verdict: str
    chain: str  # the project's slug; empty: the installation
    entries: int
    n: int | None = None
    what: str = ""

    @property
    def is_verified(self) -> bool:
        return self.verdict == "verified"


def record(
    *,
    project: Project | None,
    actor: str,
    action: str,
    target: str,
    before: Any = None,
    after: Any = None,
) -> AuditEntry:
    """One line of the audit trail. `action` is a dotted past fact. Any: a JSON value of the action's own shape."""
    written = AuditEntry.objects.raw(
        _APPEND,
        [
            None if project is None else project.id,
            _storable(actor, 200),
            action,
            _storable(target, 300),
            None if before is None else canonical_text(before),
            None if after is None else canonical_text(after),
        ],
    )
    return written[0]


def note_read(
    *, user: User, session_id: UUID, project: Project, page: str = "", login: str = "", at: dict[str, Any] | None = None
) -> AuditEntry | None:
    """A person read a transcript: one entry per person, session and ten minutes; None if there is one already.

    `page` and `at` say where the reading began, `login` by which login. Any: numbers of turns, steps and events.
    """
    actor, target = f"user:{user.get_username()}", f"session:{session_id}"
    if _has_read(actor, target):
        return None
    with transaction.atomic():
        list(
            AuditHead.objects.select_for_update(no_key=True).filter(project=project)
        )  # of two readers at once, one writes
        if _has_read(actor, target):
            return None
        after = {name: value for name, value in (("page", page), ("at", at), ("login", login)) if value}
        return record(project=project, actor=actor, action=TRANSCRIPT_READ, target=target, after=after or None)


def verify_audit(project: Project | None) -> AuditVerification:
    """Recomputes one chain inside the database, against its head: hashes over every column, links, gaps, the end."""
    chain = "" if project is None else project.slug
    parameters = {"project": None if project is None else project.id, "genesis": GENESIS}
    with transaction.atomic(), connection.cursor() as cursor:
        if len(connection.savepoint_ids) == 0:  # ours is the transaction: one snapshot for both statements
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        cursor.execute(_VERIFY, parameters)
        entries, n, fault, last, last_hash = cursor.fetchone()
        cursor.execute(_HEAD, parameters)
        head = cursor.fetchone()
    if n is not None:
        return AuditVerification("tampered", chain, entries, n, fault)
    if head is None:
        if not entries:
            return AuditVerification("verified", chain, 0)
        return AuditVerification("tampered", chain, entries, None, "the chain has no head")
    if head[0] != (last or 0):
        what = f"the head stands at {head[0]}, the last entry is {last or 0}"
        return AuditVerification("tampered", chain, entries, min(head[0], last or 0) + 1, what)
    if bytes(head[1]) != (GENESIS if last_hash is None else bytes(last_hash)):
        return AuditVerification("tampered", chain, entries, head[0], "the head's hash is not that of the last entry")
    return AuditVerification("verified", chain, entries)


def verify_audits() -> tuple[AuditVerification, ...]:
    """The chain of the installation and those of every project."""
    return (verify_audit(None), *(verify_audit(project) for project in Project.objects.order_by("slug")))


def _has_read(actor: str, target: str) -> bool:
    recent = AuditEntry.objects.filter(target=target, actor=actor, action=TRANSCRIPT_READ)
    return recent.filter(at__gt=timezone.now() - READ_WINDOW).exists()


def _storable(text: str, limit: int) -> str:
    """What a text column holds: no NUL, no lone surrogate, cut to its width."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()[:limit]
