"""Events, their payload bytes and the heads of their chains. Rows are inserted by `eventlog_append` alone; see docs/log.md."""

from __future__ import annotations

from django.db import models


class Head(models.Model):
    """The end of one session's chain. Appends lock this row; `head_seq` never falls."""

    session = models.OneToOneField("eventlog.Session", primary_key=True, on_delete=models.PROTECT, related_name="head")
    project = models.ForeignKey("accounts.Project", on_delete=models.PROTECT, related_name="+")
    head_seq = models.PositiveBigIntegerField(default=0)
    head_hash = models.BinaryField()

    def __str__(self) -> str:
        return f"{self.session_id} at {self.head_seq}"


class Event(models.Model):
    """One immutable fact; its content is in `Payload`, committed to by `payload_commit`.

    The database ties it to its head (migration 0002); a second foreign key or index per column would only slow appends.
    """

    pk = models.CompositePrimaryKey("session_id", "seq")
    session = models.ForeignKey(
        "eventlog.Session", on_delete=models.PROTECT, related_name="events", db_constraint=False, db_index=False
    )
    seq = models.PositiveBigIntegerField()
    event_id = models.UUIDField()
    project = models.ForeignKey(
        "accounts.Project", on_delete=models.PROTECT, related_name="+", db_constraint=False, db_index=False
    )
    type = models.CharField(max_length=100)
    schema_version = models.PositiveSmallIntegerField(default=1)
    visibility = models.CharField(max_length=10, default="model")
    occurred_at = models.DateTimeField(null=True)  # the writer's claim; never sorts anything
    recorded_at = models.DateTimeField()
    actor = models.CharField(max_length=200)
    api_key_id = models.UUIDField(null=True)
    payload_commit = models.BinaryField()
    payload_len = models.PositiveIntegerField()
    prev_hash = models.BinaryField()
    hash = models.BinaryField()
    hash_version = models.PositiveSmallIntegerField(default=1)

    class Meta:
        # Not led by the session: on an empty table the planner would take it for the primary key (migration 0003).
        constraints = [models.UniqueConstraint(fields=["event_id", "session"], name="one_event_per_id")]

    def __str__(self) -> str:
        return f"{self.session_id}#{self.seq} {self.type}"


class Payload(models.Model):
    """The canonical bytes of one event, erasable. What queries read is beside it, in `Reading`."""

    pk = models.CompositePrimaryKey("session_id", "seq")
    session = models.ForeignKey(
        "eventlog.Session", on_delete=models.PROTECT, related_name="+", db_constraint=False, db_index=False
    )
    seq = models.PositiveBigIntegerField()
    salt = models.BinaryField()
    body = models.BinaryField()

    def __str__(self) -> str:
        return f"payload of {self.session_id}#{self.seq}"
