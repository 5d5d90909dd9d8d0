"""Gives the records of the first light what governed ones have: shown text, digests, keys, evidence rows."""

from __future__ import annotations

import hashlib
from uuid import UUID

from django.db import migrations
from django.utils import timezone

from contextapp.engine.injection.visible import shown
from contextapp.memory.claims import claim_key, content_key, language

LIVE = ("candidate", "quarantined", "approved", "suspended")


def carry_over(apps, schema_editor):
    Revision = apps.get_model("memory", "MemoryRevision")
    Evidence = apps.get_model("memory", "MemoryEvidence")
    seen = set()
    for revision in Revision.objects.order_by("id"):
        revision.shown = shown(revision.claim)
        revision.shown_sha256 = hashlib.sha256(revision.shown.encode("utf-8", "surrogatepass")).digest()
        revision.content_key = content_key(revision.project_id, revision.scope, revision.scope_key, revision.claim)
        revision.claim_key = claim_key(revision.claim)
        revision.language = language(revision.claim)
        revision.changed_at = revision.decided_at or revision.created_at
        if revision.state == "withdrawn":
            revision.state = "revoked"
        key = (revision.project_id, revision.content_key)
        if revision.state in LIVE and key in seen:
            revision.state, revision.reason = "superseded", "the same claim stands in another record"
        elif revision.state in LIVE:
            seen.add(key)
        if revision.scope == "global":
            revision.scope_key = ""
        revision.save()
        for span in revision.named_events or ():
            try:
                session_id, seq = UUID(str(span["session"])), int(span["seq"])
            except (KeyError, TypeError, ValueError):
                continue  # named no event
            Evidence.objects.get_or_create(
                memory=revision, session_id=session_id, seq=seq, field="", start=0, end=0,
                defaults={"added_at": timezone.now()},
            )


class Migration(migrations.Migration):
    dependencies = [("memory", "0002_governed")]

    operations = [migrations.RunPython(carry_over, migrations.RunPython.noop)]
