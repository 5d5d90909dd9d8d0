"""Immutable versions of policy and calibration. The body of a policy is `engine.policy.Policy.to_dict()`."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _


class PolicyState(models.TextChoices):
    DRAFT = "draft", _("Draft")
    ACTIVE = "active", _("Active")
    RETIRED = "retired", _("Retired")


class PolicyVersion(models.Model):
    project = models.ForeignKey("accounts.Project", on_delete=models.CASCADE, related_name="policies")
    number = models.PositiveIntegerField()
    state = models.CharField(max_length=10, choices=PolicyState)
    body = models.JSONField()
    note = models.CharField(max_length=500, blank=True)
    author = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)
    activated_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "number"], name="one_policy_per_number"),
            models.UniqueConstraint(
                fields=["project"], condition=models.Q(state="active"), name="one_active_policy_per_project"
            ),
        ]

    def __str__(self) -> str:
        return f"v{self.number} ({self.state})"


class Calibration(models.Model):
    """What a model's provider bills per token we count, learned from recorded usage; a version like a policy."""

    project = models.ForeignKey("accounts.Project", on_delete=models.CASCADE, related_name="calibrations")
    number = models.PositiveIntegerField()
    model = models.CharField(max_length=120)
    tokenizer = models.CharField(max_length=60)
    factor = models.FloatField()
    sample_count = models.PositiveIntegerField()
    quantile_95 = models.FloatField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "model", "number"], name="one_calibration_per_number")
        ]

    def __str__(self) -> str:
        return f"{self.model} x{self.factor:.2f} (version {self.number})"
