"""The compactions a session went through, and those that failed: derived from its events, so they can be rebuilt."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _


class Compaction(models.Model):
    session = models.ForeignKey("eventlog.Session", on_delete=models.CASCADE, related_name="compactions")
    seq = models.PositiveBigIntegerField()  # the session.compacted event
    covers_from = models.PositiveBigIntegerField()
    covers_to = models.PositiveBigIntegerField()
    trigger = models.CharField(max_length=40, blank=True)  # auto, manual, overflow, harness
    summariser = models.CharField(max_length=60, blank=True)  # which tool wrote the summary
    before_tokens = models.PositiveIntegerField(null=True)  # as the transcript or our count says
    after_tokens = models.PositiveIntegerField(null=True)
    fallback = models.CharField(max_length=200, blank=True)  # why the model's summary was not taken
    survival = models.JSONField(
        default=list
    )  # [{"kind", "name", "seq", "fate"}]: what became of what must not get lost
    withdrawn_seq = models.PositiveBigIntegerField(null=True)  # the compaction.withdrawn event; null: it counts
    withdrawn_reason = models.CharField(max_length=300, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["session", "seq"], name="one_compaction_per_event")]

    def __str__(self) -> str:
        return f"compaction of {self.covers_from}-{self.covers_to}"


class SummariserKind(models.TextChoices):
    DETERMINISTIC = "deterministic", _("Deterministic, no model")
    OPENAI = "openai", _("OpenAI-compatible endpoint")
    ANTHROPIC = "anthropic", _("Anthropic endpoint")


class SummariserSetting(models.Model):
    """Who writes a project's summaries; without a row nobody but the deterministic summariser does."""

    project = models.OneToOneField("accounts.Project", primary_key=True, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=20, choices=SummariserKind, default=SummariserKind.DETERMINISTIC)
    base_url = models.CharField(max_length=500, blank=True)
    model = models.CharField(max_length=120, blank=True)
    window_tokens = models.PositiveIntegerField(default=128_000)
    key_sealed = models.BinaryField(default=bytes)  # never readable without SECRET_KEY; belongs to base_url alone
    version = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.kind} {self.model}".strip()


class Failure(models.Model):
    """A summary that was tried and thrown away: the log stands as it stood."""

    session = models.ForeignKey("eventlog.Session", on_delete=models.CASCADE, related_name="failed_compactions")
    seq = models.PositiveBigIntegerField()  # the compaction.failed event
    covers_to = models.PositiveBigIntegerField()
    code = models.CharField(max_length=40)
    detail = models.CharField(max_length=500, blank=True)
    trigger = models.CharField(max_length=40, blank=True)
    summariser = models.CharField(max_length=60, blank=True)
    before_tokens = models.PositiveIntegerField(null=True)
    after_tokens = models.PositiveIntegerField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["session", "seq"], name="one_failure_per_event")]

    def __str__(self) -> str:
        return f"{self.code} at {self.seq}"
