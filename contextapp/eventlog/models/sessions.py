"""Workspaces and sessions: what a person browses. Everything countable here is derived from the log and can be rebuilt."""

from __future__ import annotations

import uuid

from django.db import models
from django.utils.translation import gettext_lazy as _


class Workspace(models.Model):
    """The repository or folder an agent works in, known by the root its transcripts name."""

    project = models.ForeignKey("accounts.Project", on_delete=models.CASCADE, related_name="workspaces")
    root = models.CharField(max_length=1000)
    name = models.CharField(max_length=200)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "root"], name="one_workspace_per_root")]

    def __str__(self) -> str:
        return self.name


class SessionOrigin(models.TextChoices):
    API = "api", _("API")
    IMPORT = "import", _("Import")
    SAMPLE = "sample", _("Sample")
    GOVERNANCE = "governance", _("Governance")  # one per project: what people decided on memory and policies


class Session(models.Model):
    """One agent run; a stream of events. A sub-agent is a session of its own with a parent."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey("accounts.Project", on_delete=models.PROTECT, related_name="sessions")
    workspace = models.ForeignKey(Workspace, null=True, on_delete=models.SET_NULL, related_name="sessions")
    parent = models.ForeignKey("self", null=True, on_delete=models.SET_NULL, related_name="children")
    origin = models.CharField(max_length=10, choices=SessionOrigin)
    external_id = models.CharField(max_length=300, blank=True)  # the importer's key, e.g. claude_code:<sessionId>
    title = models.CharField(max_length=300, blank=True)
    agent = models.CharField(max_length=60, blank=True)
    agent_version = models.CharField(max_length=60, blank=True)
    model = models.CharField(max_length=120, blank=True)
    user = models.CharField(max_length=200, blank=True)  # whom the agent works for, as its harness calls them
    model_window_tokens = models.PositiveIntegerField(null=True)  # null: unknown, never guessed
    started_at = models.DateTimeField(null=True)  # claimed by the transcript
    ended_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    indexed_seq = models.PositiveBigIntegerField(default=0)  # the log prefix that turns, steps and marks reflect
    event_count = models.PositiveIntegerField(default=0)
    turn_count = models.PositiveIntegerField(default=0)
    step_count = models.PositiveIntegerField(default=0)
    compaction_count = models.PositiveIntegerField(default=0)
    overflow_count = models.PositiveIntegerField(default=0)
    denial_count = models.PositiveIntegerField(default=0)
    quarantine_count = models.PositiveIntegerField(default=0)
    error_count = models.PositiveIntegerField(default=0)
    fill_series = models.JSONField(default=list)  # per mille of the window used, at most 40 steps, for the row's bar
    guide = models.JSONField(null=True)  # a sample's guided case: question and the links that answer it
    erased_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "external_id"],
                condition=~models.Q(external_id="") & models.Q(erased_at=None),
                name="one_session_per_external_id",
            )
        ]
        indexes = [
            models.Index(fields=["project", "-started_at", "id"], name="session_newest"),  # the sessions list
            models.Index(fields=["parent"], name="session_children"),
        ]

    def __str__(self) -> str:
        return self.title or str(self.id)
