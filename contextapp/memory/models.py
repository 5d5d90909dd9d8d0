"""Memory as immutable revisions in a lineage; a revision's state is the only thing that moves, and each move is audited."""

from __future__ import annotations

import uuid

from django.db import models
from django.utils.translation import gettext_lazy as _


class MemoryState(models.TextChoices):
    CANDIDATE = "candidate", _("Candidate")
    APPROVED = "approved", _("Approved")
    REJECTED = "rejected", _("Rejected")
    SUPERSEDED = "superseded", _("Superseded")
    QUARANTINED = "quarantined", _("Quarantined")
    WITHDRAWN = "withdrawn", _("Withdrawn")


class MemoryKind(models.TextChoices):
    PREFERENCE = "preference", _("Preference")
    FACT = "fact", _("Fact")
    DECISION = "decision", _("Decision")
    TODO = "todo", _("To do")
    CONSTRAINT = "constraint", _("Constraint")
    PROCEDURE = "procedure", _("Procedure")
    STATE = "state", _("State")


class MemoryScope(models.TextChoices):
    SESSION = "session", _("Session")
    DIRECTORY = "directory", _("Directory")
    WORKSPACE = "workspace", _("Workspace")
    USER = "user", _("User")
    GLOBAL = "global", _("Whole project")


class MemoryRevision(models.Model):
    project = models.ForeignKey("accounts.Project", on_delete=models.CASCADE, related_name="memory")
    lineage = models.UUIDField(default=uuid.uuid4)
    revision = models.PositiveIntegerField(default=1)
    state = models.CharField(max_length=12, choices=MemoryState, default=MemoryState.CANDIDATE)
    kind = models.CharField(max_length=12, choices=MemoryKind)
    scope = models.CharField(max_length=12, choices=MemoryScope)
    scope_key = models.CharField(max_length=1000, blank=True)  # session id, directory or workspace root, user name
    claim = models.TextField()
    source = models.CharField(max_length=300)  # where it comes from, in words
    evidence = models.JSONField(default=list)  # [{"session": ..., "seq": ...}]
    confidence = models.FloatField(default=1.0)
    proposed_by = models.CharField(max_length=200)
    decided_by = models.CharField(max_length=200, blank=True)
    decided_at = models.DateTimeField(null=True)
    reason = models.CharField(max_length=500, blank=True)
    valid_from = models.DateTimeField(null=True)
    valid_until = models.DateTimeField(null=True)
    last_verified_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["lineage", "revision"], name="one_revision_per_number"),
            models.UniqueConstraint(
                fields=["lineage"], condition=models.Q(state="approved"), name="one_approved_revision_per_lineage"
            ),
        ]
        indexes = [models.Index(fields=["project", "state"], name="memory_by_state")]

    def __str__(self) -> str:
        return f"{self.reference}: {self.claim[:60]}"

    @property
    def reference(self) -> str:
        return f"mem_{self.lineage.hex[:12]}@{self.revision}"
