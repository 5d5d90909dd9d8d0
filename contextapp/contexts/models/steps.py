"""Turns and steps of a session, derived from its log; `log_seq` is the prefix a step's input was made from."""

from __future__ import annotations

from django.db import models


class Turn(models.Model):
    """From one user message to the end of the agent's answer."""

    session = models.ForeignKey("eventlog.Session", on_delete=models.CASCADE, related_name="turns")
    number = models.PositiveIntegerField()
    first_seq = models.PositiveBigIntegerField()
    last_seq = models.PositiveBigIntegerField()
    title = models.CharField(max_length=300, blank=True)  # the user's first line
    started_at = models.DateTimeField(null=True)
    step_count = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["session", "number"], name="one_turn_per_number")]

    def __str__(self) -> str:
        return f"turn {self.number}"


class Step(models.Model):
    """One model call. Its input was assembled from the log up to `log_seq`; its answer is first_seq..last_seq."""

    session = models.ForeignKey("eventlog.Session", on_delete=models.CASCADE, related_name="steps")
    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, related_name="steps")
    number = models.PositiveIntegerField()
    log_seq = models.PositiveBigIntegerField()
    first_seq = models.PositiveBigIntegerField(null=True)  # null while the answer has not come
    last_seq = models.PositiveBigIntegerField(null=True)
    message_id = models.CharField(max_length=200, blank=True)
    model = models.CharField(max_length=120, blank=True)
    phase = models.CharField(max_length=20, blank=True)
    started_at = models.DateTimeField(null=True)
    usage = models.JSONField(null=True)  # {input_uncached, cache_read, cache_write, output, reasoning, quality}
    marks = models.JSONField(default=list)  # compaction, overflow, denial, injection, error

    class Meta:
        constraints = [models.UniqueConstraint(fields=["session", "number"], name="one_step_per_number")]

    def __str__(self) -> str:
        return f"step {self.number}"
