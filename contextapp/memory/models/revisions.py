"""Memory as immutable revisions in a lineage: content never changes, only the state moves, and each move is an event."""

from __future__ import annotations

import uuid

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.utils import timezone

from contextapp.memory.models.choices import Basis, MemoryKind, MemoryScope, MemoryState, ProposerKind, SourceTrust

LIVE = (MemoryState.CANDIDATE, MemoryState.QUARANTINED, MemoryState.APPROVED, MemoryState.SUSPENDED)


class MemoryRevision(models.Model):
    """One claim as it was proposed and as a model gets it. `version` is the optimistic lock of its state."""

    project = models.ForeignKey("accounts.Project", on_delete=models.CASCADE, related_name="memory")
    lineage = models.UUIDField(default=uuid.uuid4)
    revision = models.PositiveIntegerField(default=1)
    version = models.PositiveIntegerField(default=1)
    state = models.CharField(max_length=12, choices=MemoryState, default=MemoryState.CANDIDATE)
    kind = models.CharField(max_length=12, choices=MemoryKind)
    scope = models.CharField(max_length=12, choices=MemoryScope)
    scope_key = models.CharField(
        max_length=1000, blank=True
    )  # session id, directory or workspace root, user; "" global
    # The claim as proposed and as the model gets it. A reviewer decides on the digest of the latter.
    claim = models.TextField()
    shown = models.TextField(default="")
    shown_sha256 = models.BinaryField(default=bytes)
    content_key = models.BinaryField(default=bytes)  # of scope and normalised claim: the same claim is proposed once
    claim_key = models.BinaryField(
        default=bytes
    )  # of the normalised claim alone: the same claim of several scopes is one decision
    language = models.CharField(max_length=8, blank=True)
    conflict_key = models.CharField(
        max_length=200, blank=True
    )  # subject/attribute; one approved value per key and scope
    value = models.CharField(max_length=300, blank=True)
    tokens = models.PositiveIntegerField(default=0)
    search = SearchVectorField(null=True)
    tokenizer_version = models.PositiveSmallIntegerField(default=0)
    # Where it comes from.
    source = models.CharField(max_length=300)  # in words
    source_trust = models.CharField(max_length=14, choices=SourceTrust, default=SourceTrust.MODEL)
    proposed_by = models.CharField(max_length=200)
    proposer_kind = models.CharField(max_length=10, choices=ProposerKind, default=ProposerKind.AGENT)
    proposer_model = models.CharField(max_length=120, blank=True)
    prompt_version = models.CharField(max_length=60, blank=True)
    proposed_session = models.UUIDField(null=True)
    proposed_seq = models.PositiveBigIntegerField(null=True)
    confidence = models.FloatField(default=1.0)  # computed from the evidence; the model's own number stands apart
    confidence_basis = models.CharField(max_length=10, choices=Basis, default=Basis.STATED)
    model_confidence = models.FloatField(null=True)
    # When it holds. Instants, enforced when it is read.
    valid_from = models.DateTimeField(null=True)
    valid_until = models.DateTimeField(null=True)
    review_after = models.DateTimeField(null=True)
    last_verified_at = models.DateTimeField(null=True)
    # What the detectors and the evidence check said.
    detector_version = models.CharField(max_length=20, blank=True)
    verdict = models.CharField(max_length=12, default="clean")  # clean, flagged, quarantine
    findings = models.JSONField(default=list)  # [{"id", "weight", "start", "end", "view"}]
    evidence_checks = models.JSONField(
        default=dict
    )  # {"exists", "hash", "terms", "echo"}: true, false or null (not applicable)
    risk = models.PositiveSmallIntegerField(default=0)  # 0 low .. 3 two people
    needs_two = models.BooleanField(default=False)
    # What people decided.
    first_approved_by = models.CharField(max_length=200, blank=True)
    first_approved_at = models.DateTimeField(null=True)
    is_single_person = models.BooleanField(default=False)  # for ever: both approvals came from one person
    decided_by = models.CharField(max_length=200, blank=True)
    decided_at = models.DateTimeField(null=True)
    reason_code = models.CharField(max_length=20, blank=True)
    reason = models.CharField(max_length=500, blank=True)
    supersedes = models.ForeignKey("self", null=True, on_delete=models.SET_NULL, related_name="superseded_by")
    # Who is looking at it now.
    claimed_by = models.CharField(max_length=200, blank=True)
    claimed_until = models.DateTimeField(null=True)
    created_at = models.DateTimeField(default=timezone.now)
    changed_at = models.DateTimeField(default=timezone.now)
    governance_seq = models.PositiveBigIntegerField(
        null=True
    )  # of the event that holds its content; erasure empties it

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["lineage", "revision"], name="one_revision_per_number"),
            models.UniqueConstraint(
                fields=["lineage"], condition=models.Q(state="approved"), name="one_approved_revision_per_lineage"
            ),
            models.UniqueConstraint(
                fields=["project", "content_key"],
                condition=models.Q(state__in=LIVE),
                name="one_live_revision_per_claim",
            ),
            models.UniqueConstraint(
                fields=["project", "scope", "scope_key", "conflict_key"],
                condition=models.Q(state="approved") & ~models.Q(conflict_key=""),
                name="one_approved_value_per_conflict_key",
            ),
            models.CheckConstraint(
                condition=models.Q(scope="global", scope_key="")
                | (~models.Q(scope="global") & ~models.Q(scope_key="")),
                name="memory_scope_has_its_key",
            ),
        ]
        indexes = [
            models.Index(fields=["project", "state", "-risk", "created_at"], name="memory_queue"),  # the desk
            models.Index(fields=["project", "scope", "scope_key", "state"], name="memory_in_scope"),  # every build
            models.Index(fields=["project", "conflict_key"], name="memory_conflicts"),
            models.Index(fields=["project", "claim_key"], name="memory_same_claim"),
            models.Index(fields=["proposed_session"], name="memory_of_session"),  # erasure, other items of one source
            GinIndex(fields=["search"], name="memory_search"),  # ranking of large scopes, search on the desk
        ]

    def __str__(self) -> str:
        return f"{self.reference}: {self.shown[:60]}"

    @property
    def reference(self) -> str:
        return f"mem_{self.lineage.hex[:12]}@{self.revision}"
