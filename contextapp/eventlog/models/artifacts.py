"""Large content, stored once per project by SHA-256, and the events that point to it."""

from __future__ import annotations

from django.db import models


class Artifact(models.Model):
    project = models.ForeignKey("accounts.Project", on_delete=models.PROTECT, related_name="+")
    sha256 = models.BinaryField()
    media_type = models.CharField(max_length=100)
    size_bytes = models.PositiveBigIntegerField()
    body = models.BinaryField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "sha256"], name="one_artifact_per_hash")]

    def __str__(self) -> str:
        return f"{bytes(self.sha256).hex()[:12]} {self.media_type} {self.size_bytes} bytes"


class ArtifactUse(models.Model):
    """Which event points to which artifact; erasure deletes an artifact with its last use."""

    artifact = models.ForeignKey(Artifact, on_delete=models.CASCADE, related_name="uses")
    session = models.ForeignKey("eventlog.Session", on_delete=models.CASCADE, related_name="+")
    seq = models.PositiveBigIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["artifact", "session", "seq"], name="one_use_per_event")]
        indexes = [models.Index(fields=["session", "seq"], name="artifact_use_by_event")]  # erasure

    def __str__(self) -> str:
        return f"{self.artifact_id} in {self.session_id}#{self.seq}"
