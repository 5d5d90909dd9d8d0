"""Spans in the log that a claim rests on. Offsets and a hash, never a copy: the quote is read from the log."""

from __future__ import annotations

from django.db import models

from contextapp.memory.models.choices import Relation, SourceTrust


class MemoryEvidence(models.Model):
    memory = models.ForeignKey("memory.MemoryRevision", on_delete=models.CASCADE, related_name="evidence")
    session_id = models.UUIDField()
    seq = models.PositiveBigIntegerField()
    field = models.CharField(max_length=60, default="text")  # of the payload: text, content, a pointer's last name
    start = models.PositiveIntegerField(default=0)
    end = models.PositiveIntegerField(default=0)  # 0: the whole field
    quote_sha256 = models.BinaryField(null=True)
    relation = models.CharField(max_length=14, choices=Relation, default=Relation.STATES)
    trust = models.CharField(max_length=14, choices=SourceTrust, default=SourceTrust.UNTRUSTED)
    added_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["memory", "session_id", "seq", "field", "start", "end"], name="one_row_per_span"
            )
        ]
        indexes = [models.Index(fields=["session_id", "seq"], name="memory_evidence_by_event")]  # erasure, same source

    def __str__(self) -> str:
        return f"{self.session_id}#{self.seq}[{self.start}:{self.end}]"
