"""The closed lists of memory: states, kinds, scopes, trust, reasons. `transitions.py` says what may follow what."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _


class MemoryState(models.TextChoices):
    CANDIDATE = "candidate", _("Candidate")
    QUARANTINED = "quarantined", _("Quarantined")
    APPROVED = "approved", _("Approved")
    SUSPENDED = "suspended", _("Suspended")  # approved once; its evidence or the detectors changed since
    REJECTED = "rejected", _("Rejected")
    SUPERSEDED = "superseded", _("Superseded")
    EXPIRED = "expired", _("Expired")
    REVOKED = "revoked", _("Revoked")
    LAPSED = "lapsed", _("Lapsed")  # a candidate nobody decided in 30 days
    REDACTED = "redacted", _("Erased")


class MemoryKind(models.TextChoices):
    PREFERENCE = "preference", _("Preference")
    FACT = "fact", _("Fact")
    DECISION = "decision", _("Decision")
    TODO = "todo", _("To do")
    CONSTRAINT = "constraint", _("Constraint")
    PROCEDURE = "procedure", _("Procedure")
    STATE = "state", _("State")


class MemoryScope(models.TextChoices):
    SESSION = "session", _("Session")
    DIRECTORY = "directory", _("Directory")
    WORKSPACE = "workspace", _("Workspace")
    USER = "user", _("User")
    GLOBAL = "global", _("Whole project")


class SourceTrust(models.TextChoices):
    """From most to least; a record has the least of its whole lineage."""

    REVIEWER = "reviewer", _("Reviewer")
    USER = "user", _("User")
    MODEL = "model", _("Model")
    TOOL = "tool_internal", _("Own tool")
    UNTRUSTED = "untrusted", _("Untrusted")


class Basis(models.TextChoices):
    STATED = "stated", _("Stated")
    REPEATED = "repeated", _("Repeated")
    INFERRED = "inferred", _("Inferred")
    IMPORTED = "imported", _("Imported")


class ProposerKind(models.TextChoices):
    PERSON = "person", _("Person")
    KEY = "key", _("API key")
    AGENT = "agent", _("Agent")
    EXTRACTOR = "extractor", _("Extractor")
    IMPORT = "import", _("Import")


class Relation(models.TextChoices):
    STATES = "states", _("States it")
    SUPPORTS = "supports", _("Supports it")
    CONTRADICTS = "contradicts", _("Contradicts it")
    DERIVED = "derived_from", _("Derived from")


class ReasonCode(models.TextChoices):
    NOT_STATED = "not_stated", _("Not stated")
    WRONG = "wrong", _("Wrong")
    OUTDATED = "outdated", _("Outdated")
    DUPLICATE = "duplicate", _("Duplicate")
    TOO_BROAD = "too_broad", _("Too broad")
    TASK_RESIDUE = "task_residue", _("Left over from a task")
    SENSITIVE = "sensitive", _("Sensitive")
    INJECTION = "injection", _("Injection")
    UNREADABLE = "unreadable", _("Unreadable")
    OTHER = "other", _("Other")
