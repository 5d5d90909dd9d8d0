"""What was read out of payloads for queries: a cleaned copy, sizes, search tokens. Derived, and never evidence."""

from __future__ import annotations

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models


class Reading(models.Model):
    """One per event. `doc` is the payload as jsonb can hold it, `cleaned` says what that took; null where too large."""

    project = models.ForeignKey("accounts.Project", on_delete=models.CASCADE, related_name="+", db_index=False)
    session = models.ForeignKey("eventlog.Session", on_delete=models.CASCADE, related_name="+", db_index=False)
    seq = models.PositiveBigIntegerField()
    type = models.CharField(max_length=100)
    doc = models.JSONField(null=True)
    cleaned = models.JSONField(null=True)  # {"nul": n, "surrogate": n, "too_large": bytes}; null: nothing was
    characters = models.PositiveIntegerField(default=0)  # of all strings
    tokens = models.PositiveIntegerField(default=0)  # estimated by weight
    search = SearchVectorField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["session", "seq"], name="one_reading_per_event")]
        indexes = [GinIndex(fields=["search"], name="reading_search", fastupdate=True)]  # text search

    def __str__(self) -> str:
        return f"reading of {self.session_id}#{self.seq}"


class ReadingMark(models.Model):
    """How far a session was read."""

    session = models.OneToOneField("eventlog.Session", primary_key=True, on_delete=models.CASCADE, related_name="+")
    seq = models.PositiveBigIntegerField(default=0)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.session_id} read to {self.seq}"
