"""What an embedding model made of a record's text. Derived, and thrown away with the text or with the model."""

from __future__ import annotations

from django.db import models


class MemoryEmbedding(models.Model):
    revision = models.OneToOneField(
        "memory.MemoryRevision", primary_key=True, on_delete=models.CASCADE, related_name="embedding"
    )
    model = models.CharField(max_length=200)  # address and name of the model that made it
    vector = models.BinaryField()  # float32, little-endian, of length one
    made_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.model} of {self.revision_id}"
