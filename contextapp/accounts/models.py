"""Who may do what in which project, and the trail of what they did. Holds no transcript."""

from __future__ import annotations

import json
import secrets
import uuid
from typing import Any

from django.contrib.auth.models import AbstractUser
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _

from contextapp.evidence import canonical


def fence_secret() -> bytes:
    return secrets.token_bytes(32)


class User(AbstractUser):
    """A person. Roles are per project, in `Membership`; `is_superuser` is the administrator of the installation."""


class MaskingMode(models.TextChoices):
    MASK = "mask", _("Mask")
    FLAG = "flag", _("Flag")
    REFUSE = "refuse", _("Refuse")


class Project(models.Model):
    """The tenant: owns sessions, memory, policies, members, keys; nothing crosses it."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=200)
    fence_secret = models.BinaryField(default=fence_secret, editable=False)
    is_sample = models.BooleanField(default=False)
    masking_mode = models.CharField(max_length=10, choices=MaskingMode, blank=True)  # blank: MASKING_MODE decides
    masking_rules = models.JSONField(
        default=list, blank=True
    )  # [{"id": ..., "pattern": RE2}], beside the built-in ones
    retention_days = models.PositiveIntegerField(null=True, blank=True)  # null: kept until somebody erases
    limit_events_per_minute = models.PositiveIntegerField(null=True, blank=True)  # null: the installation's limit
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


class Role(models.TextChoices):
    ADMIN = "admin", _("Admin")
    REVIEWER = "reviewer", _("Reviewer")
    AUDITOR = "auditor", _("Auditor")
    DEVELOPER = "developer", _("Developer")


class Membership(models.Model):
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=20, choices=Role)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "user"], name="one_membership_per_project")]

    def __str__(self) -> str:
        return f"{self.user} is {self.role} of {self.project}"


class Scope(models.TextChoices):
    INGEST = "ingest", _("Ingest")
    BUILD = "build", _("Build")
    READ = "read", _("Read")
    VERIFY = "verify", _("Verify")


class ApiKey(models.Model):
    """Shown once as `ctx_<key_id>_<secret>`; only the SHA-256 of the secret (256 random bits) is kept."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="api_keys")
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    key_id = models.CharField(max_length=16, unique=True)
    secret_sha256 = models.BinaryField()
    name = models.CharField(max_length=100)
    scopes = ArrayField(models.CharField(max_length=20, choices=Scope))
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.name} ({self.key_id})"


class Usage(models.Model):
    """What a key asked and sent in one minute. Counts for limits and for the settings page, no evidence; kept for a week."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+")
    key = models.ForeignKey(ApiKey, on_delete=models.CASCADE, related_name="+")
    minute = models.DateTimeField()
    requests = models.PositiveBigIntegerField(default=0)
    events = models.PositiveBigIntegerField(default=0)
    limited = models.PositiveBigIntegerField(default=0)  # requests refused because a limit was reached
    refused = models.JSONField(default=dict, db_default={})  # how many of each problem's code

    class Meta:
        constraints = [models.UniqueConstraint(fields=["key", "minute"], name="one_usage_per_key_and_minute")]
        indexes = [
            models.Index(fields=["project", "minute"], name="usage_by_project"),
            models.Index(fields=["minute"], name="usage_by_age"),
        ]

    def __str__(self) -> str:
        return f"{self.key_id} at {self.minute:%Y-%m-%d %H:%M}: {self.requests} requests, {self.events} events"


class LoginLink(models.Model):
    """A one-time way in; only the SHA-256 of the token is kept."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    token_sha256 = models.BinaryField(unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"login link of {self.user}"


class Invitation(models.Model):
    """A one-time way into a project; only the SHA-256 of the token is kept."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="invitations")
    role = models.CharField(max_length=20, choices=Role)
    note = models.CharField(max_length=100, blank=True)  # whom it is for, as its maker wrote it
    token_sha256 = models.BinaryField(unique=True)
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True, blank=True)
    accepted_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [models.Index(fields=["project", "-created_at"], name="invitations_newest")]

    def __str__(self) -> str:
        return f"invitation to {self.project} as {self.role}"


class CanonicalField(models.TextField):
    """A JSON value kept as its canonical text: what is read is what was hashed, byte for byte."""

    def from_db_value(self, value: str | None, expression: Any, connection: Any) -> Any:  # Any: a JSON value
        return None if value is None else json.loads(value)

    def get_prep_value(self, value: Any) -> str | None:  # Any: a JSON value
        return None if value is None else canonical_text(value)


def canonical_text(value: Any) -> str:  # any JSON value
    return canonical.encode(value).decode()


class AuditEntry(models.Model):
    """One dotted past fact a person or key caused. Written by `accounts_audit_append` alone; never updated or deleted."""

    project = models.ForeignKey(Project, null=True, on_delete=models.PROTECT, related_name="+")
    n = models.PositiveBigIntegerField()  # 1..n per project, and 1..n for the installation
    actor = models.CharField(max_length=200)
    action = models.CharField(max_length=100)
    target = models.CharField(max_length=300, blank=True)
    before = CanonicalField(null=True, blank=True)
    after = CanonicalField(null=True, blank=True)
    at = models.DateTimeField()  # by the clock of the database, under the lock of the chain's head
    prev_hash = models.BinaryField()
    hash = models.BinaryField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "n"], name="audit_is_gap_free", nulls_distinct=False),
        ]
        indexes = [
            models.Index(fields=["project", "-at"], name="audit_by_project_newest"),
            # When somebody last read this session: asked at every page of a transcript.
            models.Index(fields=["target", "actor", "action", "-at"], name="audit_by_target"),
        ]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} {self.actor} {self.action} {self.target}"

    def save(self, *args: Any, **kwargs: Any) -> None:  # as Django calls it
        raise TypeError("an audit entry is written by accounts.services.record and never changed")

    def delete(self, *args: Any, **kwargs: Any) -> Any:  # as Django calls it
        raise TypeError("an audit entry stays; the trail only grows")


class AuditHead(models.Model):
    """The end of one chain. Locked while an entry is written; it never goes back."""

    project = models.ForeignKey(Project, null=True, on_delete=models.PROTECT, related_name="+")
    n = models.PositiveBigIntegerField()
    hash = models.BinaryField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project"], name="one_audit_head_per_chain", nulls_distinct=False),
        ]

    def __str__(self) -> str:
        return f"audit chain of {self.project or 'the installation'} at {self.n}"
