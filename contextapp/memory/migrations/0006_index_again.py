"""Gives every record the search words of the present tokenizer: any case, both slashes, single Chinese characters."""

from __future__ import annotations

from django.db import migrations

from contextapp.engine.sources.relevance import record_tokens

TOKENIZER_VERSION = 2


def index_again(apps, schema_editor):
    Revision = apps.get_model("memory", "MemoryRevision")
    stale = Revision.objects.exclude(tokenizer_version=TOKENIZER_VERSION).values_list("id", "shown")
    with schema_editor.connection.cursor() as cursor:
        for pk, shown in stale.iterator():
            cursor.execute(
                "UPDATE memory_memoryrevision SET search = array_to_tsvector(%s::text[]), tokenizer_version = %s WHERE id = %s",
                [sorted(set(record_tokens(shown))), TOKENIZER_VERSION, pk],
            )


class Migration(migrations.Migration):
    dependencies = [("memory", "0005_gathered")]

    operations = [migrations.RunPython(index_again, migrations.RunPython.noop)]
