"""What holds of every record from now on: one live record per claim, one approved value per conflict key, a key for each scope."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0003_carry_over")]

    operations = [
        migrations.RemoveField(model_name='memoryrevision', name='named_events'),
        migrations.AddConstraint(
            model_name='memoryrevision',
            constraint=models.UniqueConstraint(condition=models.Q(('state__in', ('candidate', 'quarantined', 'approved', 'suspended'))), fields=('project', 'content_key'), name='one_live_revision_per_claim'),
        ),
        migrations.AddConstraint(
            model_name='memoryrevision',
            constraint=models.UniqueConstraint(condition=models.Q(('state', 'approved'), models.Q(('conflict_key', ''), _negated=True)), fields=('project', 'scope', 'scope_key', 'conflict_key'), name='one_approved_value_per_conflict_key'),
        ),
        migrations.AddConstraint(
            model_name='memoryrevision',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('scope', 'global'), ('scope_key', '')), models.Q(models.Q(('scope', 'global'), _negated=True), models.Q(('scope_key', ''), _negated=True)), _connector='OR'), name='memory_scope_has_its_key'),
        ),
    ]
