"""At which steps a revision entered a request, or why it did not. Written by `contexts` with each ledger it stores."""

from __future__ import annotations

from django.db import models


class MemoryUse(models.Model):
    """Steps are named by plain id: memory knows nothing of them."""

    memory = models.ForeignKey("memory.MemoryRevision", on_delete=models.CASCADE, related_name="uses")
    session_id = models.UUIDField()
    step = models.PositiveIntegerField()
    origin = models.CharField(max_length=10)  # built or simulated
    is_included = models.BooleanField()
    reason = models.CharField(max_length=40)  # a reason code of the engine
    detail = models.CharField(max_length=300, blank=True)  # score and shared words
    tokens = models.PositiveIntegerField(default=0)
    displaced_by = models.CharField(max_length=100, blank=True)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["memory", "session_id", "step", "origin"], name="one_use_per_ledger")
        ]
        indexes = [
            models.Index(fields=["memory", "is_included", "-at"], name="memory_uses"),  # the record's page, undo
            models.Index(fields=["session_id", "step"], name="memory_used_at_step"),  # echo test, erasure
        ]

    def __str__(self) -> str:
        return f"{self.memory_id} at {self.session_id}/{self.step}"
