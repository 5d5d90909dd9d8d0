"""Which proposal a client's own id stands for, whatever became of it."""

from __future__ import annotations

from django.db import models


class MemoryCandidateId(models.Model):
    """`id` is drawn from the project and the client's text; of the text itself and of the claim nothing is kept.

    The record is named by lineage and revision, so that building the table of revisions again keeps the tie.
    """

    id = models.UUIDField(primary_key=True)
    project = models.ForeignKey("accounts.Project", on_delete=models.CASCADE, related_name="+")
    given = models.BinaryField()  # HMAC under the project's secret of what was proposed
    outcome = models.CharField(max_length=16)  # created, evidence_added or declined_before
    lineage = models.UUIDField(null=True)
    revision = models.PositiveIntegerField(null=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.id} {self.outcome}"
