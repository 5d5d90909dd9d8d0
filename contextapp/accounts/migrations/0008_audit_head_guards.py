"""The head of an audit chain only moves forward, and an entry is taken only when the head says so."""

from __future__ import annotations

from django.db import migrations

GUARDS = """
CREATE FUNCTION accounts_guard_audit_head() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF NEW.id <> OLD.id OR NEW.project_id IS DISTINCT FROM OLD.project_id OR NEW.n <> OLD.n + 1 THEN
        RAISE EXCEPTION 'the head of an audit chain stands at %; it moves forward by one', OLD.n USING ERRCODE = 'CX403';
    END IF;
    RETURN NEW;
END
$$;
CREATE FUNCTION accounts_guard_audit_entry() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM 1 FROM public.accounts_audithead
    WHERE (project_id = NEW.project_id OR (NEW.project_id IS NULL AND project_id IS NULL))
        AND n = NEW.n AND hash = NEW.hash;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'audit entry % is not the head of its chain; accounts_audit_append writes the trail', NEW.n
            USING ERRCODE = 'CX403';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER audit_takes_the_head BEFORE INSERT ON accounts_auditentry
    FOR EACH ROW EXECUTE FUNCTION accounts_guard_audit_entry();
CREATE TRIGGER audit_head_moves_forward BEFORE UPDATE ON accounts_audithead
    FOR EACH ROW EXECUTE FUNCTION accounts_guard_audit_head();
CREATE TRIGGER audit_head_refuses_delete BEFORE DELETE ON accounts_audithead
    FOR EACH ROW EXECUTE FUNCTION accounts_refuse_change();
CREATE TRIGGER audit_head_refuses_truncate BEFORE TRUNCATE ON accounts_audithead
    FOR EACH STATEMENT EXECUTE FUNCTION accounts_refuse_change();
ALTER TABLE accounts_auditentry ENABLE ALWAYS TRIGGER audit_takes_the_head;
ALTER TABLE accounts_audithead ENABLE ALWAYS TRIGGER audit_head_moves_forward;
ALTER TABLE accounts_audithead ENABLE ALWAYS TRIGGER audit_head_refuses_delete;
ALTER TABLE accounts_audithead ENABLE ALWAYS TRIGGER audit_head_refuses_truncate;
"""

UNDO = """
DROP TRIGGER audit_head_refuses_truncate ON accounts_audithead;
DROP TRIGGER audit_head_refuses_delete ON accounts_audithead;
DROP TRIGGER audit_head_moves_forward ON accounts_audithead;
DROP TRIGGER audit_takes_the_head ON accounts_auditentry;
DROP FUNCTION accounts_guard_audit_entry;
DROP FUNCTION accounts_guard_audit_head;
"""


class Migration(migrations.Migration):
    dependencies = [("accounts", "0007_audit_chain_is_whole")]

    operations = [migrations.RunSQL(GUARDS, UNDO)]
