"""The broker's queue tables, in the same database: the SQL that the `pgmq` package carries. It holds wake-ups only."""

from __future__ import annotations

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps
from pgmq.install import get_embedded_install_sql


def install(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    connection = schema_editor.connection
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass('pgmq.meta')")
        if cursor.fetchone()[0] is None:  # the server may carry it as an extension
            cursor.execute(get_embedded_install_sql())


class Migration(migrations.Migration):
    dependencies = [("jobs", "0001_initial")]

    # Not removed on the way back: another application may use the same schema.
    operations = [migrations.RunPython(install, migrations.RunPython.noop)]
