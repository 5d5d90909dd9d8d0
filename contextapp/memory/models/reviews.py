"""What people said about a revision, what was declined for good, and known-answer items. Rows are added, never changed."""

from __future__ import annotations

from django.db import models


class MemoryReview(models.Model):
    """One vote or skip: on which bytes, after how long, with the evidence opened or not."""

    memory = models.ForeignKey("memory.MemoryRevision", on_delete=models.CASCADE, related_name="reviews")
    version_seen = models.PositiveIntegerField()
    shown_sha256 = models.BinaryField()
    reviewer = models.CharField(max_length=200)
    verdict = models.CharField(
        max_length=14
    )  # approve, approve_first, reject, quarantine, release, skip, undo, verify, ...
    reason_code = models.CharField(max_length=20, blank=True)
    note = models.CharField(max_length=500, blank=True)
    ms_on_screen = models.PositiveIntegerField(null=True)
    evidence_opened = models.BooleanField(default=False)
    at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["reviewer", "-at"], name="review_by_person")]  # undo, quality

    def __str__(self) -> str:
        return f"{self.reviewer} {self.verdict} {self.memory_id}"


class RejectionPrint(models.Model):
    """HMAC of a declined claim's key under the project's secret: it is not proposed again, and nothing of it is kept."""

    project = models.ForeignKey("accounts.Project", on_delete=models.CASCADE, related_name="+")
    print = models.BinaryField()
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "print"], name="one_print_per_claim")]

    def __str__(self) -> str:
        return bytes(self.print).hex()[:12]


class KnownAnswer(models.Model):
    """A vote on a known-answer item: a text of the test corpus that stands in nobody's memory and reaches no model."""

    project = models.ForeignKey("accounts.Project", on_delete=models.CASCADE, related_name="+")
    item = models.CharField(max_length=60)  # its name in the corpus
    is_attack = models.BooleanField()
    reviewer = models.CharField(max_length=200)
    verdict = models.CharField(max_length=14, blank=True)  # empty while it is shown
    ms_on_screen = models.PositiveIntegerField(null=True)
    shown_at = models.DateTimeField()
    voted_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["project", "reviewer", "-shown_at"], name="known_answers_of_person")]

    def __str__(self) -> str:
        return f"{self.reviewer} {self.item}"
