"""Bytes of built requests, stored once per project, and caches keyed by content: state snapshots and token counts."""

from __future__ import annotations

from django.db import models


class Block(models.Model):
    """One rendered piece of a built request, by hash of its canonical bytes."""

    project = models.ForeignKey("accounts.Project", on_delete=models.CASCADE, related_name="+")
    sha256 = models.BinaryField()
    body = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "sha256"], name="one_block_per_hash")]

    def __str__(self) -> str:
        return bytes(self.sha256).hex()[:12]


class BlockUse(models.Model):
    """Which events a stored block shows; erasure deletes the blocks of the events it erases."""

    block = models.ForeignKey(Block, on_delete=models.CASCADE, related_name="uses")
    session = models.ForeignKey("eventlog.Session", on_delete=models.CASCADE, related_name="+")
    first_seq = models.PositiveBigIntegerField()
    last_seq = models.PositiveBigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["block", "session", "first_seq", "last_seq"], name="one_block_use")
        ]
        indexes = [models.Index(fields=["session", "first_seq"], name="block_use_by_event")]  # erasure

    def __str__(self) -> str:
        return f"{self.block_id} shows {self.session_id}#{self.first_seq}-{self.last_seq}"


class StateSnapshot(models.Model):
    """The folded state of a log prefix, so that a build never folds a whole session."""

    session = models.ForeignKey("eventlog.Session", on_delete=models.CASCADE, related_name="+")
    seq = models.PositiveBigIntegerField()
    fold_version = models.PositiveSmallIntegerField()
    body = models.BinaryField()  # zlib-compressed canonical JSON of SessionState.to_dict()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["session", "seq", "fold_version"], name="one_snapshot_per_prefix")
        ]

    def __str__(self) -> str:
        return f"state of {self.session_id} at {self.seq}"


class TokenCount(models.Model):
    """How many tokens a text has, by hash of the text and name of the tokenizer; holds no content."""

    pk = models.CompositePrimaryKey("sha256", "tokenizer")
    sha256 = models.BinaryField()
    tokenizer = models.CharField(max_length=60)
    tokens = models.PositiveIntegerField()

    def __str__(self) -> str:
        return f"{self.tokens} {self.tokenizer} tokens"
