"""Every entry has its place in a chain, and no two have the same."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0006_chain_what_is_there")]

    operations = [
        migrations.AlterField("auditentry", "n", models.PositiveBigIntegerField()),
        migrations.AlterField("auditentry", "prev_hash", models.BinaryField()),
        migrations.AlterField("auditentry", "hash", models.BinaryField()),
        migrations.AddIndex(
            "auditentry", models.Index(fields=["target", "actor", "action", "-at"], name="audit_by_target")
        ),
        migrations.AddConstraint(
            "auditentry",
            models.UniqueConstraint(fields=["project", "n"], name="audit_is_gap_free", nulls_distinct=False),
        ),
    ]
