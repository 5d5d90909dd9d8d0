"""The list of work. The row is the truth; the broker only carries its id."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

ATTEMPTS_LIMIT = 5


class JobState(models.TextChoices):
    QUEUED = "queued", _("Queued")
    RUNNING = "running", _("Running")
    DONE = "done", _("Done")
    DEAD = "dead", _("Failed")
    CANCELLED = "cancelled", _("Cancelled")


class Job(models.Model):
    """One piece of work, found once per (kind, key); `lease_until` fences workers that died or were late."""

    project = models.ForeignKey("accounts.Project", null=True, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=60)
    key = models.CharField(max_length=200)
    payload = models.JSONField(default=dict)
    state = models.CharField(max_length=12, choices=JobState, default=JobState.QUEUED)
    attempts = models.PositiveIntegerField(default=0)
    lease_owner = models.CharField(max_length=100, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    wanted_again = models.BooleanField(default=False)  # asked for while it ran: done once more when it ends
    not_before = models.DateTimeField(null=True, blank=True)
    last_error = models.TextField(blank=True)
    progress_done = models.PositiveBigIntegerField(default=0)
    progress_total = models.PositiveBigIntegerField(default=0)
    progress_note = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["kind", "key"], name="one_job_per_kind_and_key")]
        indexes = [
            models.Index(
                fields=["created_at"],
                condition=models.Q(state__in=["queued", "running"]),
                name="job_sweep",  # the sweeper and the claim
            ),
            models.Index(
                fields=["project", "-finished_at"],
                condition=models.Q(state__in=["done", "cancelled", "dead"]),
                name="jobs_ended_newest",  # the list of a project; most of its jobs have ended
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.key} ({self.state})"
