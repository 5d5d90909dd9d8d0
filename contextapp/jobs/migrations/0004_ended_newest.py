"""An index for the list of jobs: a project's jobs that have ended, newest first."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0010_usage"),
        ("jobs", "0003_wanted_again"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="job",
            index=models.Index(
                condition=models.Q(("state__in", ["done", "cancelled", "dead"])),
                fields=["project", "-finished_at"],
                name="jobs_ended_newest",
            ),
        ),
    ]
