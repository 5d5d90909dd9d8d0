"""What a chained trail needs: a number, two hashes, a head, and JSON as the text that is hashed."""

from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models

import contextapp.accounts.models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0003_project_settings")]

    operations = [
        migrations.AddField("auditentry", "n", models.PositiveBigIntegerField(null=True)),
        migrations.AddField("auditentry", "prev_hash", models.BinaryField(null=True)),
        migrations.AddField("auditentry", "hash", models.BinaryField(null=True)),
        migrations.AlterField("auditentry", "at", models.DateTimeField()),
        migrations.AlterField("auditentry", "before", contextapp.accounts.models.CanonicalField(blank=True, null=True)),
        migrations.AlterField("auditentry", "after", contextapp.accounts.models.CanonicalField(blank=True, null=True)),
        migrations.CreateModel(
            name="AuditHead",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("n", models.PositiveBigIntegerField()),
                ("hash", models.BinaryField()),
                (
                    "project",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="accounts.project",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=["project"], name="one_audit_head_per_chain", nulls_distinct=False)
                ],
            },
        ),
    ]
