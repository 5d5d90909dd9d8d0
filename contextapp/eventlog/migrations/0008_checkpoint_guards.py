"""The database refuses changes to checkpoints as it does to events; only where one was published may be noted later."""

from __future__ import annotations

from django.db import migrations

FUNCTION = """
CREATE FUNCTION eventlog_guard_checkpoint() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF to_jsonb(NEW) - 'published_to' IS DISTINCT FROM to_jsonb(OLD) - 'published_to' THEN
        RAISE EXCEPTION 'checkpoint % is signed; only where it was published may be noted', OLD.number
            USING ERRCODE = 'CX403';
    END IF;
    RETURN NEW;
END
$$;
"""

TRIGGERS = """
CREATE TRIGGER checkpoint_is_guarded BEFORE UPDATE ON eventlog_checkpoint
    FOR EACH ROW EXECUTE FUNCTION eventlog_guard_checkpoint();
CREATE TRIGGER checkpoint_refuses_delete BEFORE DELETE ON eventlog_checkpoint
    FOR EACH ROW EXECUTE FUNCTION eventlog_refuse_change();
CREATE TRIGGER checkpoint_refuses_truncate BEFORE TRUNCATE ON eventlog_checkpoint
    FOR EACH STATEMENT EXECUTE FUNCTION eventlog_refuse_change();
CREATE TRIGGER checkpointhead_refuses_change BEFORE UPDATE OR DELETE ON eventlog_checkpointhead
    FOR EACH ROW EXECUTE FUNCTION eventlog_refuse_change();
CREATE TRIGGER checkpointhead_refuses_truncate BEFORE TRUNCATE ON eventlog_checkpointhead
    FOR EACH STATEMENT EXECUTE FUNCTION eventlog_refuse_change();

ALTER TABLE eventlog_checkpoint ENABLE ALWAYS TRIGGER checkpoint_is_guarded;
ALTER TABLE eventlog_checkpoint ENABLE ALWAYS TRIGGER checkpoint_refuses_delete;
ALTER TABLE eventlog_checkpoint ENABLE ALWAYS TRIGGER checkpoint_refuses_truncate;
ALTER TABLE eventlog_checkpointhead ENABLE ALWAYS TRIGGER checkpointhead_refuses_change;
ALTER TABLE eventlog_checkpointhead ENABLE ALWAYS TRIGGER checkpointhead_refuses_truncate;
"""

UNDO = """
DROP TRIGGER checkpointhead_refuses_truncate ON eventlog_checkpointhead;
DROP TRIGGER checkpointhead_refuses_change ON eventlog_checkpointhead;
DROP TRIGGER checkpoint_refuses_truncate ON eventlog_checkpoint;
DROP TRIGGER checkpoint_refuses_delete ON eventlog_checkpoint;
DROP TRIGGER checkpoint_is_guarded ON eventlog_checkpoint;
DROP FUNCTION eventlog_guard_checkpoint;
"""


class Migration(migrations.Migration):
    dependencies = [("eventlog", "0007_checkpoints")]

    operations = [migrations.RunSQL(FUNCTION + TRIGGERS, UNDO)]
