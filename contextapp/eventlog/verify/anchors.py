"""What checkpoints prove: that they are sound themselves, and that every head they signed is still part of its chain.

A checkpoint that is not sound proves nothing and is a fault of the log; its heads are then left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from uuid import UUID

from django.db.models import Max

from contextapp.eventlog.checkpoint_file import FileDamaged, checkpoint_of, last_published, published
from contextapp.eventlog.checkpoint_keys import known_keys
from contextapp.eventlog.errors import CheckpointRefused
from contextapp.eventlog.models import Checkpoint, SessionVerification
from contextapp.eventlog.values import Fault
from contextapp.eventlog.verify.screening import select
from contextapp.evidence.checkpoint import FIRST, CheckpointText, NotACheckpoint, text_hash
from contextapp.evidence.merkle import KnownHead, heads_root
from contextapp.evidence.signed_note import NoteRefused, PublicKey, parse

_LAST = 2**62
RECENT = 3  # how many checkpoints an incremental verification looks at again

_CHANGED = """
SELECT checkpoint_id, session_id, head_seq, head_hash FROM eventlog_checkpointhead
WHERE checkpoint_id >= %b ORDER BY checkpoint_id
"""
_NEWEST = """
SELECT DISTINCT ON (session_id) session_id, head_seq, head_hash, checkpoint_id
FROM eventlog_checkpointhead
WHERE checkpoint_id <= %b AND (%b::uuid[] IS NULL OR session_id = ANY(%b::uuid[])) ORDER BY session_id, checkpoint_id DESC
"""
_ASTRAY = """
SELECT signed.session_id, signed.head_seq, signed.checkpoint_id
FROM eventlog_checkpointhead AS signed
LEFT JOIN eventlog_event AS event ON event.session_id = signed.session_id AND event.seq = signed.head_seq
WHERE event.hash IS DISTINCT FROM signed.head_hash AND (%b::uuid[] IS NULL OR signed.session_id = ANY(%b::uuid[]))
ORDER BY signed.session_id, signed.head_seq
"""


@dataclass(slots=True)
class Anchors:
    """`covered`: the newest sound checkpoint of each session and how far it reaches. `astray`: what no longer fits."""

    count: int = 0
    faults: list[Fault] = field(default_factory=list)
    unsound: set[int] = field(default_factory=set)
    covered: dict[UUID, tuple[int, int]] = field(default_factory=dict)
    astray: dict[UUID, tuple[int, str]] = field(default_factory=dict)
    notes: dict[int, str] = field(default_factory=dict)
    keys: tuple[PublicKey, ...] = ()

    def add_fault(self, number: int, what: str, verdict: str = "tampered") -> None:
        self.unsound.add(number)
        self.faults.append(Fault(verdict, f"checkpoint {number}: {what}"))


def read_anchors(sessions: list[UUID] | None = None) -> Anchors:
    """Everything: each checkpoint, all its heads, the whole published file. For some sessions: their heads, the newest
    few checkpoints, and all heads of those that no verification has seen yet."""
    found = Anchors(count=Checkpoint.objects.count())
    try:
        found.keys = known_keys()
    except CheckpointRefused as error:
        found.faults.append(Fault("tampered", str(error)))
    newest_first = Checkpoint.objects.order_by("-number")
    looked_at = list(newest_first if sessions is None else newest_first[:RECENT])[::-1]
    found.notes = {checkpoint.number: checkpoint.note for checkpoint in looked_at}
    _check_texts(found, looked_at)
    seen = None if sessions is None else SessionVerification.objects.aggregate(seen=Max("checkpoint"))["seen"]
    if unseen := [checkpoint for checkpoint in looked_at if checkpoint.number > (seen or 0)]:
        _check_heads(found, unseen)
    _check_published(found, is_whole=sessions is None)
    for session_id, seq, _hash, number in select(_NEWEST, (_LAST, sessions, sessions)):
        if number not in found.unsound:
            found.covered[session_id] = (number, seq)
    for session_id, seq, number in select(_ASTRAY, (sessions, sessions)):
        if number not in found.unsound:
            found.astray.setdefault(session_id, (seq, f"is not the one that checkpoint {number} signed"))
    return found


def heads_at(number: int) -> list[KnownHead]:
    """The whole set of heads that checkpoint committed to."""
    return [KnownHead(session_id, seq, digest) for session_id, seq, digest, _ in select(_NEWEST, (number, None, None))]


def text_fault(checkpoint: Checkpoint, keys: tuple[PublicKey, ...]) -> str:
    """Why the row is not what was signed; empty when it is."""
    try:
        said = checkpoint_of(checkpoint.note, keys)
    except (NoteRefused, NotACheckpoint) as error:
        return str(error)
    stored = CheckpointText(
        origin=checkpoint.origin,
        sessions=checkpoint.sessions,
        root=bytes(checkpoint.root),
        number=checkpoint.number,
        taken_at=checkpoint.taken_at,
        events=checkpoint.events,
        changed=checkpoint.changed,
        changed_root=bytes(checkpoint.changed_root),
        previous=bytes(checkpoint.previous_hash),
    )
    differing = [name for name in CheckpointText.__slots__ if getattr(said, name) != getattr(stored, name)]
    return f"column {', '.join(differing)} is not what was signed" if differing else ""


def root_fault(checkpoint: Checkpoint) -> str:
    """Why the stored heads are not the set that was signed; empty when they are."""
    heads = heads_at(checkpoint.number)
    if len(heads) != checkpoint.sessions:
        return f"{checkpoint.sessions} heads were signed, {len(heads)} are stored"
    return "" if heads_root(heads) == bytes(checkpoint.root) else "the stored heads do not give the signed root"


def _check_texts(found: Anchors, checkpoints: list[Checkpoint]) -> None:
    before: Checkpoint | None = None
    is_from_start = len(checkpoints) == found.count
    for checkpoint in checkpoints:
        if fault := text_fault(checkpoint, found.keys):
            found.add_fault(checkpoint.number, fault)
        expected = before.number + 1 if before else 1
        if (before or is_from_start) and checkpoint.number != expected:
            found.add_fault(checkpoint.number, f"checkpoint {expected} before it is missing")
        elif (before or is_from_start) and bytes(checkpoint.previous_hash) != _hash_of(before):
            found.add_fault(checkpoint.number, "it does not name the checkpoint before it")
        before = checkpoint


def _hash_of(checkpoint: Checkpoint | None) -> bytes:
    if checkpoint is None:
        return FIRST
    try:
        return text_hash(parse(checkpoint.note).text)
    except NoteRefused:
        return FIRST  # named as a fault of that checkpoint already


def _check_heads(found: Anchors, checkpoints: list[Checkpoint]) -> None:
    rows = select(_CHANGED, (checkpoints[0].number,))
    changed = {number: [KnownHead(*row[1:]) for row in group] for number, group in groupby(rows, itemgetter(0))}
    for checkpoint in checkpoints:
        heads = changed.pop(checkpoint.number, [])
        if len(heads) != checkpoint.changed or heads_root(heads) != bytes(checkpoint.changed_root):
            found.add_fault(checkpoint.number, "the stored heads are not those it signed as changed")
    for number in changed:
        found.add_fault(number, "there are heads of it, but no such checkpoint")
    newest = checkpoints[-1]
    if newest.number not in found.unsound and (fault := root_fault(newest)):
        found.add_fault(newest.number, fault)


def _check_published(found: Anchors, *, is_whole: bool) -> None:
    try:
        if is_whole:
            outside = published(found.keys)
        else:
            last = last_published(found.keys)
            outside = {last[0].number: last[1]} if last else {}
            if outside and 0 < max(outside) < min(found.notes, default=1):
                return  # behind what is looked at here; a whole verification compares it
    except FileDamaged as error:
        found.faults.append(Fault("tampered", str(error)))
        return
    compare_notes(found, outside, "was published, but is not in the log: rewound or deleted")


def compare_notes(found: Anchors, outside: dict[int, str], what_missing: str) -> None:
    """Checkpoints known from outside must be the very ones of the log."""
    for number, note in sorted(outside.items()):
        stored = found.notes.get(number)
        if stored is None:
            found.add_fault(number, what_missing, "diverged")
        elif stored.partition("\n\n")[0] != note.partition("\n\n")[0]:
            found.add_fault(number, "the log holds another one than was published", "diverged")
