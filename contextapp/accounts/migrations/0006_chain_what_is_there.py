"""Entries from before the chain get their numbers and hashes, in the order in which they were written.

They are chained as they stand now: the chain says nothing about what was done to them before.
"""

from __future__ import annotations

import json

from django.db import migrations

GENESIS = bytes(32)


def chain(apps, schema_editor):
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT id, project_id, before, after FROM accounts_auditentry ORDER BY id")
        rows = cursor.fetchall()
        if not rows:
            return
        cursor.execute("ALTER TABLE accounts_auditentry DISABLE TRIGGER audit_refuses_change")
        heads = {}
        for entry_id, project_id, before, after in rows:
            n, previous = heads.get(project_id, (0, GENESIS))
            cursor.execute(
                "UPDATE accounts_auditentry SET n = %(n)s, prev_hash = %(previous)s, before = %(before)s, after = %(after)s, "
                "hash = accounts_audit_hash(id, project_id, %(n)s, actor, action, target, %(before)s, %(after)s, at, %(previous)s) "
                "WHERE id = %(id)s RETURNING hash",
                {
                    "id": entry_id,
                    "n": n + 1,
                    "previous": previous,
                    "before": canonical(before),
                    "after": canonical(after),
                },
            )
            heads[project_id] = (n + 1, bytes(cursor.fetchone()[0]))
        cursor.execute("ALTER TABLE accounts_auditentry ENABLE ALWAYS TRIGGER audit_refuses_change")
        for project_id, (n, head) in heads.items():
            cursor.execute(
                "INSERT INTO accounts_audithead (project_id, n, hash) VALUES (%s, %s, %s)", [project_id, n, head]
            )


def canonical(text):
    return None if text is None else json.dumps(json.loads(text), sort_keys=True, separators=(",", ":"))


class Migration(migrations.Migration):
    dependencies = [("accounts", "0005_audit_functions")]

    operations = [migrations.RunPython(chain, migrations.RunPython.noop)]  # the columns go with the migration below
