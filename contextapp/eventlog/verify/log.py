"""Verifies the log as a whole, or what was added since the last time, and gives each session its verdict."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from uuid import UUID

from django.utils import timezone

from contextapp.accounts.services import verify_audits
from contextapp.eventlog.checkpoint_file import checkpoint_of
from contextapp.eventlog.models import SessionVerification
from contextapp.eventlog.values import Fault, LogFindings, Verification
from contextapp.eventlog.verify import screening
from contextapp.eventlog.verify.anchors import Anchors, compare_notes, heads_at, read_anchors
from contextapp.eventlog.verify.chain import verify_chain
from contextapp.eventlog.verify.snapshot import snapshot
from contextapp.evidence.checkpoint import NotACheckpoint
from contextapp.evidence.merkle import KnownHead, heads_root
from contextapp.evidence.saved import Saved
from contextapp.evidence.signed_note import NoteRefused

SAVED = "is not the one of the saved head"
REMEMBERED = "is not the one that was verified before"
DETAILED = 200  # more bad sessions than this are named without their place
_GONE = """
SELECT known.session_id FROM eventlog_sessionverification AS known
LEFT JOIN eventlog_head AS head ON head.session_id = known.session_id
WHERE head.session_id IS NULL AND known.seq > 0
"""

type Astray = Mapping[UUID, tuple[int, str]]


def examine_log(*, is_full: bool, saved: Saved | None = None) -> LogFindings:
    """Faults of the log itself come first, then those of sessions. `saved` is what somebody kept outside."""
    started = time.monotonic()
    with snapshot():
        at = timezone.now()
        stands = screening.everything() if is_full else screening.changed()
        anchors = read_anchors(None if is_full else [*stands])
        faults = [*anchors.faults, *(_audit_faults() if is_full else [])]
        astray: dict[UUID, tuple[int, str]] = {
            **_remembered_astray(None if is_full else [*stands]),
            **anchors.astray,
        }
        if saved is not None:
            faults += _compare(anchors, saved)
            astray |= _named(saved.heads, SAVED)
        gone = {session_id for (session_id,) in screening.select(_GONE)}
        results = _judge(stands, anchors, astray, gone)
    bad = {session_id: found for session_id, found in results.items() if not found.is_verified}
    faults += [Fault(found.verdict, found.what, session_id, found.seq) for session_id, found in bad.items()]
    good = [found for session_id, found in results.items() if session_id not in bad]
    return LogFindings(
        verdict=_verdict(faults, anchors, any(found.head_seq for found in good)),
        sessions=len(results),
        events=sum(stand.events for stand in stands.values()),
        erased=sum(stand.erased for stand in stands.values()),
        unanchored=sum(1 for found in good if not found.is_anchored and found.head_seq),
        checkpoints=anchors.count,
        faults=tuple(faults),
        results=results,
        at=at,
        seconds=time.monotonic() - started,
    )


def examine_session(session_id: UUID) -> Verification:
    """One session whole: its chain, then whether heads known of it are still in it, then which checkpoint covers it."""
    with snapshot():
        anchors = read_anchors([session_id])
        astray = {**_remembered_astray([session_id]), **anchors.astray}
        return _closely(session_id, anchors, astray)


def _judge(
    stands: Mapping[UUID, screening.Stand], anchors: Anchors, astray: Astray, gone: set[UUID]
) -> dict[UUID, Verification]:
    results: dict[UUID, Verification] = {}
    detailed = 0
    for session_id, stand in stands.items():
        if stand.is_good and session_id not in astray:
            checkpoint, anchored_seq = anchors.covered.get(session_id, (None, 0))
            results[session_id] = Verification(
                verdict="unanchored" if checkpoint is None else "verified",
                events=stand.since + stand.events,
                erased=stand.erased,
                checkpoint=checkpoint,
                anchored_seq=anchored_seq,
                head_seq=stand.head_seq,
                head_hash=stand.head_hash,
            )
            continue
        detailed += 1
        if detailed <= DETAILED:
            results[session_id] = _closely(session_id, anchors, astray)
        else:
            what = "does not verify; verify this session alone to learn where"
            results[session_id] = Verification("tampered", stand.events, stand.erased, None, what)
    for session_id in (gone | astray.keys()) - stands.keys():
        number = anchors.covered.get(session_id, (None, 0))[0]
        if number is not None:
            what = f"the session is in checkpoint {number}, but no longer in the log"
            results[session_id] = Verification("tampered", 0, 0, None, what, checkpoint=number)
        elif session_id in gone:
            results[session_id] = Verification("tampered", 0, 0, None, "the session was verified, but is gone")
        else:
            results[session_id] = Verification("diverged", 0, 0, None, "the session of a saved head is not in the log")
    return results


def _closely(session_id: UUID, anchors: Anchors, astray: Astray) -> Verification:
    found = verify_chain(session_id)
    if not found.is_verified:
        return found
    checkpoint, anchored_seq = anchors.covered.get(session_id, (None, 0))
    verdict, seq, what = ("unanchored" if checkpoint is None else "verified"), None, ""
    if session_id in astray:
        verdict = "diverged"
        seq, what = astray[session_id]
        what = f"event {seq} {what}"
    return Verification(
        verdict, found.events, found.erased, seq, what, checkpoint, anchored_seq, found.head_seq, found.head_hash
    )


def _remembered_astray(sessions: list[UUID] | None) -> dict[UUID, tuple[int, str]]:
    """How far each session was once found good; that must still be part of its chain."""
    known = SessionVerification.objects.filter(seq__gt=0)
    if sessions is not None:
        known = known.filter(session_id__in=sessions)
    heads = [KnownHead(key, seq, bytes(digest)) for key, seq, digest in known.values_list("session_id", "seq", "hash")]
    return _named(heads, REMEMBERED)


def _named(heads: Iterable[KnownHead], what: str) -> dict[UUID, tuple[int, str]]:
    found: dict[UUID, tuple[int, str]] = {}
    for session_id, seq in screening.astray(heads):
        found.setdefault(session_id, (seq, what))
    return found


def _compare(anchors: Anchors, saved: Saved) -> list[Fault]:
    """Checkpoints that were kept outside against those of the log; heads that were kept beside one must be its heads."""
    faults: list[Fault] = []
    outside: dict[int, str] = {}
    before = len(anchors.faults)
    for note in saved.notes:
        try:
            said = checkpoint_of(note, anchors.keys)
        except (NoteRefused, NotACheckpoint) as error:
            faults.append(Fault("diverged", f"a saved checkpoint is not ours: {error}"))
            continue
        outside[said.number] = note
        if heads_root(saved.heads) == said.root or said.number not in anchors.notes:
            continue
        if heads_root(heads_at(said.number)) != said.root:
            faults.append(Fault("diverged", f"checkpoint {said.number}: the log's heads do not give the saved root"))
    compare_notes(anchors, outside, "was saved, but is not in the log: rewound or deleted")
    return [*anchors.faults[before:], *faults]


def _audit_faults() -> list[Fault]:
    """The audit trails are chains of the same kind; who changed a policy is evidence as well."""
    bad = [found for found in verify_audits() if not found.is_verified]
    return [
        Fault(found.verdict, f"audit trail of {found.chain or 'the installation'}: {found.what}", None, found.n)
        for found in bad
    ]


def _verdict(faults: list[Fault], anchors: Anchors, has_events: bool) -> str:
    verdicts = {fault.verdict for fault in faults}
    for worst in ("tampered", "diverged"):
        if worst in verdicts:
            return worst
    return "unanchored" if has_events and not anchors.count else "verified"
