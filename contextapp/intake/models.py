"""What was imported, from which bytes, and what became of every line of it."""

from __future__ import annotations

import uuid

from django.db import models
from django.utils.translation import gettext_lazy as _


class ImportState(models.TextChoices):
    QUEUED = "queued", _("Queued")
    RUNNING = "running", _("Running")
    DONE = "done", _("Done")
    FAILED = "failed", _("Failed")
    FORGOTTEN = "forgotten", _("Forgotten")


class Import(models.Model):
    """One request to bring in files or folders."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey("accounts.Project", on_delete=models.CASCADE, related_name="imports")
    state = models.CharField(max_length=10, choices=ImportState, default=ImportState.QUEUED)
    paths = models.JSONField(default=list)  # as given, or the names of uploaded files
    requested_by = models.CharField(max_length=200)
    error = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"import of {', '.join(self.paths)[:80]}"


class ImportFile(models.Model):
    """One file of an import. produced + folded + quarantined = lines, always."""

    batch = models.ForeignKey(Import, on_delete=models.CASCADE, related_name="files")
    position = models.PositiveIntegerField()
    path = models.CharField(max_length=2000)
    state = models.CharField(max_length=10, choices=ImportState, default=ImportState.QUEUED)
    sha256 = models.CharField(max_length=64, blank=True)
    size_bytes = models.PositiveBigIntegerField(default=0)
    format = models.CharField(max_length=40, blank=True)
    format_version = models.CharField(max_length=40, blank=True)
    lines = models.PositiveIntegerField(default=0)
    produced = models.PositiveIntegerField(default=0)
    folded = models.PositiveIntegerField(default=0)
    quarantined = models.PositiveIntegerField(default=0)
    events_seen = models.PositiveIntegerField(default=0)
    events_new = models.PositiveIntegerField(default=0)
    steps = models.PositiveIntegerField(default=0)
    seconds = models.FloatField(default=0)
    error = models.TextField(blank=True)
    sessions = models.ManyToManyField("eventlog.Session", related_name="import_files")
    imported_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["batch", "position"], name="one_file_per_position")]
        indexes = [models.Index(fields=["sha256"], name="import_file_by_hash")]

    def __str__(self) -> str:
        return self.path


class QuarantinedLine(models.Model):
    """A line that could not become events, and why. The line itself stays in the source file; we keep its hash and start."""

    file = models.ForeignKey(ImportFile, on_delete=models.CASCADE, related_name="quarantine")
    line = models.PositiveIntegerField()
    reason = models.CharField(max_length=60)
    field = models.CharField(max_length=200, blank=True)
    detail = models.CharField(max_length=500, blank=True)
    excerpt = models.CharField(max_length=500, blank=True)
    sha256 = models.CharField(max_length=64)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["file", "line"], name="one_quarantine_per_line")]

    def __str__(self) -> str:
        return f"line {self.line}: {self.reason}"


class UploadedFile(models.Model):
    """Bytes of a file chosen in the browser, kept until its import has read them."""

    batch = models.ForeignKey(Import, on_delete=models.CASCADE, related_name="uploads")
    name = models.CharField(max_length=500)
    body = models.BinaryField()

    def __str__(self) -> str:
        return self.name
