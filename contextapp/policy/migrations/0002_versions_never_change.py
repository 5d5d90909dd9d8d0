"""What was in force decided recorded steps, so the database itself refuses to change it: a draft alone may change."""

from __future__ import annotations

from django.db import migrations

GUARD = """
CREATE FUNCTION policy_guard_version() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF OLD.state = 'draft' THEN
        RETURN NEW;
    END IF;
    IF (NEW.project_id, NEW.number, NEW.body, NEW.note, NEW.author, NEW.created_at)
        IS DISTINCT FROM (OLD.project_id, OLD.number, OLD.body, OLD.note, OLD.author, OLD.created_at)
        OR (NEW.state <> OLD.state AND (OLD.state, NEW.state) <> ('active', 'retired'))
        OR (NEW.activated_at IS DISTINCT FROM OLD.activated_at)
    THEN
        RAISE EXCEPTION 'policy version % is %: it never changes but from active to retired', OLD.number, OLD.state
            USING ERRCODE = 'CX403';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER policy_versions_never_change BEFORE UPDATE ON policy_policyversion
FOR EACH ROW EXECUTE FUNCTION policy_guard_version();
"""

UNDO = """
DROP TRIGGER policy_versions_never_change ON policy_policyversion;
DROP FUNCTION policy_guard_version();
"""


class Migration(migrations.Migration):
    dependencies = [("policy", "0001_initial")]

    operations = [migrations.RunSQL(GUARD, UNDO)]
