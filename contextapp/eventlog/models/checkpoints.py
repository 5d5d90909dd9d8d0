"""Checkpoints of the whole log and what verification found. Checkpoints are evidence, guarded like events; results are not.

Rows about a session carry no foreign key to it: they must outlive a session that somebody removes by force.
"""

from __future__ import annotations

from django.db import models


class Checkpoint(models.Model):
    """A signed root over the heads of all sessions. `note` is the evidence; the columns repeat it for queries."""

    number = models.PositiveBigIntegerField(primary_key=True)
    taken_at = models.DateTimeField()
    origin = models.CharField(max_length=200)
    sessions = models.PositiveBigIntegerField()
    events = models.PositiveBigIntegerField()
    root = models.BinaryField()
    changed = models.PositiveBigIntegerField()
    changed_root = models.BinaryField()
    previous_hash = models.BinaryField()
    note = models.TextField()
    published_to = models.JSONField(default=dict)  # target -> {"at", "ok", "what"}; the only column that changes

    def __str__(self) -> str:
        return f"checkpoint {self.number} over {self.sessions} sessions"


class CheckpointHead(models.Model):
    """A head that changed since the checkpoint before. The set at n is the newest row of each session up to n."""

    pk = models.CompositePrimaryKey("session_id", "checkpoint_id")
    session = models.ForeignKey(
        "eventlog.Session", on_delete=models.DO_NOTHING, related_name="+", db_constraint=False, db_index=False
    )
    checkpoint = models.ForeignKey(Checkpoint, on_delete=models.PROTECT, related_name="heads")
    head_seq = models.PositiveBigIntegerField()
    head_hash = models.BinaryField()

    def __str__(self) -> str:
        return f"{self.session_id} at {self.head_seq} in checkpoint {self.checkpoint_id}"


class Verdict(models.TextChoices):
    """What a verification says of a session or of the log; docs/log.md has the exact meaning of each."""

    VERIFIED = "verified"
    TAMPERED = "tampered"
    DIVERGED = "diverged"
    UNANCHORED = "unanchored"


class SessionVerification(models.Model):
    """The latest result for a session. `seq` and `hash` say how far it was found good, and stay when it no longer is."""

    session = models.OneToOneField(
        "eventlog.Session", primary_key=True, on_delete=models.DO_NOTHING, related_name="+", db_constraint=False
    )
    verdict = models.CharField(max_length=12, choices=Verdict)
    seq = models.PositiveBigIntegerField(default=0)
    hash = models.BinaryField()
    at = models.DateTimeField()
    what = models.TextField(blank=True)
    checkpoint = models.PositiveBigIntegerField(null=True)  # the newest one that covers a part of the session

    class Meta:
        indexes = [
            models.Index(fields=["session"], condition=~models.Q(verdict="verified"), name="sessions_not_verified"),
        ]

    def __str__(self) -> str:
        return f"{self.session_id} {self.verdict} to {self.seq}"


class LogVerification(models.Model):
    """One run over the log. `faults` are the first hundred: session (null: the log as a whole), verdict, seq, what."""

    at = models.DateTimeField(db_index=True)
    is_full = models.BooleanField()
    verdict = models.CharField(max_length=12, choices=Verdict)
    sessions = models.PositiveBigIntegerField()
    events = models.PositiveBigIntegerField()
    erased = models.PositiveBigIntegerField()
    seconds = models.FloatField()
    faults = models.JSONField(default=list)

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} {self.verdict}"
