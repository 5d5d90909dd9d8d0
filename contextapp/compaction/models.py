"""The compactions a session went through, derived from its `session.compacted` events."""

from __future__ import annotations

from django.db import models


class Compaction(models.Model):
    session = models.ForeignKey("eventlog.Session", on_delete=models.CASCADE, related_name="compactions")
    seq = models.PositiveBigIntegerField()  # the session.compacted event
    covers_from = models.PositiveBigIntegerField()
    covers_to = models.PositiveBigIntegerField()
    trigger = models.CharField(max_length=40, blank=True)  # auto, manual, overflow, harness
    summariser = models.CharField(max_length=60, blank=True)  # which tool wrote the summary
    before_tokens = models.PositiveIntegerField(null=True)  # as the transcript or our count says
    after_tokens = models.PositiveIntegerField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["session", "seq"], name="one_compaction_per_event")]

    def __str__(self) -> str:
        return f"compaction of {self.covers_from}-{self.covers_to}"
