"""The database refuses changes to the audit trail, as it does for the log."""

from __future__ import annotations

from django.db import migrations

GUARD = """
CREATE FUNCTION accounts_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% on % is refused: the audit trail only grows', TG_OP, TG_TABLE_NAME USING ERRCODE = 'CX403';
END
$$;
CREATE TRIGGER audit_refuses_change BEFORE UPDATE OR DELETE ON accounts_auditentry
    FOR EACH ROW EXECUTE FUNCTION accounts_refuse_change();
CREATE TRIGGER audit_refuses_truncate BEFORE TRUNCATE ON accounts_auditentry
    FOR EACH STATEMENT EXECUTE FUNCTION accounts_refuse_change();
ALTER TABLE accounts_auditentry ENABLE ALWAYS TRIGGER audit_refuses_change;
ALTER TABLE accounts_auditentry ENABLE ALWAYS TRIGGER audit_refuses_truncate;
"""

UNDO = """
DROP TRIGGER audit_refuses_truncate ON accounts_auditentry;
DROP TRIGGER audit_refuses_change ON accounts_auditentry;
DROP FUNCTION accounts_refuse_change;
"""


class Migration(migrations.Migration):
    dependencies = [("accounts", "0001_initial")]

    operations = [migrations.RunSQL(GUARD, UNDO)]
