"""Takes checkpoints: a signature over the heads of all sessions, refused when the log contradicts the one before.

Ingestion never waits for a checkpoint and never stops for one that is refused; the refusal is an alarm.
"""

from __future__ import annotations

import logging
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from contextapp.accounts.models import AuditEntry
from contextapp.accounts.services import record
from contextapp.eventlog import checkpoint_keys
from contextapp.eventlog.checkpoint_file import FileDamaged, last_published
from contextapp.eventlog.errors import CheckpointRefused
from contextapp.eventlog.models import Checkpoint
from contextapp.eventlog.services.publication import publish_checkpoints, targets
from contextapp.eventlog.services.verification import verify_log
from contextapp.eventlog.verify.anchors import root_fault, text_fault
from contextapp.eventlog.verify.screening import columns, select
from contextapp.evidence.checkpoint import FIRST, CheckpointText, text_hash
from contextapp.evidence.merkle import KnownHead, heads_root
from contextapp.evidence.signed_note import PublicKey, parse
from contextapp.jobs.handle import JobHandle

logger = logging.getLogger(__name__)

TAKE_CHECKPOINT = "eventlog.checkpoint"
ALARM = "checkpoint.refused"
_LOCK = 0x63747863_6B707401  # one checkpoint at a time

_PREVIOUS = """
SELECT signed.session_id, signed.head_seq, signed.head_hash, event.hash IS NOT DISTINCT FROM signed.head_hash,
    head.session_id IS NOT NULL
FROM (
    SELECT DISTINCT ON (session_id) session_id, head_seq, head_hash FROM eventlog_checkpointhead
    ORDER BY session_id, checkpoint_id DESC
) AS signed
LEFT JOIN eventlog_event AS event ON event.session_id = signed.session_id AND event.seq = signed.head_seq
LEFT JOIN eventlog_head AS head ON head.session_id = signed.session_id AND head.head_seq >= signed.head_seq
"""
_PRESENT = """
SELECT head.session_id, head.head_seq, head.head_hash, event.hash IS NOT DISTINCT FROM head.head_hash
FROM eventlog_head AS head
LEFT JOIN eventlog_event AS event ON event.session_id = head.session_id AND event.seq = head.head_seq
WHERE head.head_seq > 0
"""
_STORE_HEADS = """
INSERT INTO eventlog_checkpointhead (checkpoint_id, session_id, head_seq, head_hash)
SELECT %s, given.* FROM unnest(%s::uuid[], %s::bigint[], %s::bytea[]) AS given
"""


def take_checkpoint() -> Checkpoint | None:
    """Sign and store the heads as they stand. None when nothing changed; CheckpointRefused leaves only the alarm behind."""
    try:
        with transaction.atomic():
            return _take()
    except CheckpointRefused as error:
        _alarm(str(error))
        raise


def rotate_checkpoint_key(*, actor: str) -> PublicKey:
    """Sign with another key from now on; what older keys signed still verifies."""
    with transaction.atomic():
        before, after = checkpoint_keys.rotate()
        record(
            project=None,
            actor=actor,
            action="checkpoint_key.rotated",
            target="checkpoint_key",
            before=None if before is None else {"public_key": before.text()},
            after={"public_key": after.text()},
        )
    return after


def take_checkpoint_job(job: JobHandle) -> None:
    """Take one if anything changed, bring the badges up to date, and send what waits to be published."""
    if take_checkpoint() is not None:
        verify_log(is_full=False)
    publish_checkpoints()  # last: a place that can't be reached ends the job, to be tried again


def _take() -> Checkpoint | None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
    before = Checkpoint.objects.order_by("-number").first()
    key = checkpoint_keys.signing_key(may_make=before is None, origin=before.origin if before else "")
    _check_published(before)
    signed = _ancestors(before)
    heads = _present()
    changed = [head for head in heads if signed.get(head.session_id) != (head.seq, head.hash)]
    if not changed:
        return None
    said = CheckpointText(
        origin=key.public.name,
        sessions=len(heads),
        root=heads_root(heads),
        number=before.number + 1 if before else 1,
        taken_at=timezone.now(),
        events=sum(head.seq for head in heads),
        changed=len(changed),
        changed_root=heads_root(changed),
        previous=text_hash(parse(before.note).text) if before else FIRST,
    )
    checkpoint = Checkpoint.objects.create(
        number=said.number,
        taken_at=said.taken_at,
        origin=said.origin,
        sessions=said.sessions,
        events=said.events,
        root=said.root,
        changed=said.changed,
        changed_root=said.changed_root,
        previous_hash=said.previous,
        note=key.sign(said.text()),
        published_to={target: {"ok": False, "at": None, "what": "waits"} for target in targets()},
    )
    with connection.cursor() as cursor:
        cursor.execute(_STORE_HEADS, [said.number, *columns(changed)])
    return checkpoint


def _ancestors(before: Checkpoint | None) -> dict[UUID, tuple[int, bytes]]:
    """The heads of the checkpoint before, each still part of its chain; refused otherwise."""
    if before is None:
        return {}
    keys = checkpoint_keys.known_keys()
    if fault := text_fault(before, keys) or root_fault(before):
        raise CheckpointRefused(f"checkpoint {before.number} is not sound any more: {fault}")
    signed: dict[UUID, tuple[int, bytes]] = {}
    for session_id, seq, digest, is_ancestor, exists in select(_PREVIOUS):
        if not exists:
            raise CheckpointRefused(
                f"session {session_id} stood at event {seq} in checkpoint {before.number}; now it is shorter or gone"
            )
        if not is_ancestor:
            raise CheckpointRefused(
                f"event {seq} of session {session_id} is not the one that checkpoint {before.number} signed"
            )
        signed[session_id] = (seq, digest)
    return signed


def _present() -> list[KnownHead]:
    heads = []
    for session_id, seq, digest, is_last in select(_PRESENT):
        if not is_last:
            raise CheckpointRefused(f"the head of session {session_id} is not the hash of its event {seq}")
        heads.append(KnownHead(session_id, seq, digest))
    return heads


def _check_published(before: Checkpoint | None) -> None:
    """A log that was rewound must not go on as if nothing had been published."""
    try:
        last = last_published(checkpoint_keys.known_keys())
    except FileDamaged as error:
        raise CheckpointRefused(f"{error}; move the file aside and keep it") from error
    if last is None:
        return
    said, note = last
    stored = Checkpoint.objects.filter(number=said.number).values_list("note", flat=True).first()
    if stored is None or stored.partition("\n\n")[0] != note.partition("\n\n")[0]:
        raise CheckpointRefused(
            f"checkpoint {said.number} was published to {settings.CHECKPOINT_FILE}, but the log "
            f"{'does not have it' if stored is None else 'has another one'}: it was rewound. "
            "Verify, then move the file aside and keep it; the next checkpoint starts a new one"
        )


def _alarm(what: str) -> None:
    """One entry for each reason, not one for each attempt."""
    logger.error("checkpoint refused: %s", what)
    newest = Checkpoint.objects.order_by("-number").values_list("taken_at", flat=True).first()
    raised = AuditEntry.objects.filter(action=ALARM)
    if newest is not None:
        raised = raised.filter(at__gt=newest)
    last: Any = raised.order_by("-at").values_list("after", flat=True).first()  # Any: JSON
    if last is None or last.get("what") != what:
        with transaction.atomic():
            record(project=None, actor="system", action=ALARM, target="log", after={"what": what})
