"""The Context Decision Ledger of a step: header figures in columns, rows in one compressed body beside it."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _


class Origin(models.TextChoices):
    BUILT = "built", _("Built")
    OBSERVED = "observed", _("Observed")
    SIMULATED = "simulated", _("Simulated")


class Ledger(models.Model):
    step = models.ForeignKey("contexts.Step", on_delete=models.CASCADE, related_name="ledgers")
    session = models.ForeignKey("eventlog.Session", on_delete=models.CASCADE, related_name="ledgers")
    step_number = models.PositiveIntegerField()
    origin = models.CharField(max_length=10, choices=Origin)
    policy_number = models.PositiveIntegerField(default=0)  # 0: the harness's own, for observed
    engine_version = models.CharField(max_length=20)
    build_id = models.UUIDField(null=True)
    verdict = models.CharField(max_length=30)  # ok or context_overflow
    window_tokens = models.PositiveIntegerField(null=True)
    total_tokens = models.PositiveIntegerField()
    buckets = models.JSONField()  # {bucket: {"allotted": n, "used": n}}
    residue = models.JSONField(default=dict)  # observed: preamble, correction, unexplained, billed
    header = models.JSONField()  # the context.built payload of DESIGN section 4
    request_sha256 = models.CharField(max_length=64, blank=True)
    inputs_sha256 = models.CharField(max_length=64, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["step", "origin", "policy_number", "engine_version"], name="one_ledger_per_step_and_origin"
            ),
            models.UniqueConstraint(
                fields=["session", "build_id"], condition=~models.Q(build_id=None), name="one_build_per_id"
            ),
        ]
        indexes = [models.Index(fields=["session", "origin", "step_number"], name="ledger_chart")]  # the chart

    def __str__(self) -> str:
        return f"{self.origin} ledger of step {self.step_number}"


class LedgerBody(models.Model):
    """Rows and block digests as zlib-compressed canonical JSON: {"included": [...], "excluded": [...], "blocks": [...]}."""

    ledger = models.OneToOneField(Ledger, primary_key=True, on_delete=models.CASCADE, related_name="body")
    rows = models.BinaryField()

    def __str__(self) -> str:
        return f"rows of {self.ledger_id}"
