"""Reads every session again for queries, with the present words: any case, both slashes, single Chinese characters.

The work itself is done by the workers; a session is not found by its words until it has been read.
"""

from __future__ import annotations

from django.db import migrations

DERIVE = "eventlog.derive"


def read_again(apps, schema_editor):
    Mark = apps.get_model("eventlog", "ReadingMark")
    Job = apps.get_model("jobs", "Job")
    marks = Mark.objects.filter(session__erased_at=None, seq__gt=0)
    for session_id, project_id in marks.values_list("session_id", "session__project_id").iterator():
        fresh = {"payload": {"session": str(session_id)}, "project_id": project_id}
        Job.objects.update_or_create(
            kind=DERIVE, key=str(session_id), defaults={**fresh, "state": "queued", "attempts": 0}, create_defaults=fresh
        )
    apps.get_model("eventlog", "Reading").objects.filter(session__erased_at=None).delete()
    marks.update(seq=0)


class Migration(migrations.Migration):
    dependencies = [("eventlog", "0013_session_user"), ("jobs", "0003_wanted_again")]

    operations = [migrations.RunPython(read_again, migrations.RunPython.noop)]
