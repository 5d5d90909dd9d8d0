"""The database itself refuses changes to the log. ENABLE ALWAYS: `session_replication_role` doesn't switch these off.

A payload may be deleted only below a redaction that is already in the log and covers it; see 0005_erase_function.
"""

from __future__ import annotations

from django.db import migrations

FUNCTIONS = """
CREATE FUNCTION eventlog_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% on % is refused: the log only grows', TG_OP, TG_TABLE_NAME USING ERRCODE = 'CX403';
END
$$;

CREATE FUNCTION eventlog_guard_head() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.session_id <> OLD.session_id OR NEW.project_id <> OLD.project_id THEN
        RAISE EXCEPTION 'the head of session % is tied to its session and project', OLD.session_id
            USING ERRCODE = 'CX403';
    END IF;
    IF NEW.head_seq < OLD.head_seq OR (NEW.head_seq = OLD.head_seq AND NEW.head_hash <> OLD.head_hash) THEN
        RAISE EXCEPTION 'the head of session % stands at %; it never goes back', OLD.session_id, OLD.head_seq
            USING ERRCODE = 'CX403';
    END IF;
    RETURN NEW;
END
$$;

CREATE FUNCTION eventlog_guard_payload() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    v_redaction bigint := nullif(current_setting('eventlog.redaction_seq', true), '')::bigint;
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF NEW.session_id <> OLD.session_id OR NEW.seq <> OLD.seq OR NEW.salt <> OLD.salt OR NEW.body <> OLD.body
            OR (OLD.doc IS NOT NULL AND NEW.doc IS DISTINCT FROM OLD.doc)
            OR (OLD.sanitized IS NOT NULL AND NEW.sanitized IS DISTINCT FROM OLD.sanitized)
        THEN
            RAISE EXCEPTION 'payload %#% can be read, not changed', OLD.session_id, OLD.seq USING ERRCODE = 'CX403';
        END IF;
        RETURN NEW;
    END IF;
    PERFORM 1
    FROM public.eventlog_event AS event
    JOIN public.eventlog_payload AS record USING (session_id, seq)
    WHERE event.session_id = OLD.session_id AND event.seq = v_redaction AND event.type = 'event.redacted'
        AND OLD.seq < event.seq
        AND (convert_from(record.body, 'UTF8')::json ->> 'first_seq')::bigint <= OLD.seq
        AND (convert_from(record.body, 'UTF8')::json ->> 'last_seq')::bigint >= OLD.seq
        AND NOT EXISTS (
            SELECT 1 FROM public.eventlog_event AS erased
            WHERE erased.session_id = OLD.session_id AND erased.seq = OLD.seq AND erased.type = 'event.redacted'
        );
    IF NOT FOUND THEN
        RAISE EXCEPTION 'payload %#% is deleted by erasure alone', OLD.session_id, OLD.seq USING ERRCODE = 'CX403';
    END IF;
    RETURN OLD;
END
$$;
"""

TRIGGERS = """
CREATE TRIGGER event_refuses_change BEFORE UPDATE OR DELETE ON eventlog_event
    FOR EACH ROW EXECUTE FUNCTION eventlog_refuse_change();
CREATE TRIGGER event_refuses_truncate BEFORE TRUNCATE ON eventlog_event
    FOR EACH STATEMENT EXECUTE FUNCTION eventlog_refuse_change();
CREATE TRIGGER head_moves_forward BEFORE UPDATE ON eventlog_head
    FOR EACH ROW EXECUTE FUNCTION eventlog_guard_head();
CREATE TRIGGER head_refuses_delete BEFORE DELETE ON eventlog_head
    FOR EACH ROW EXECUTE FUNCTION eventlog_refuse_change();
CREATE TRIGGER head_refuses_truncate BEFORE TRUNCATE ON eventlog_head
    FOR EACH STATEMENT EXECUTE FUNCTION eventlog_refuse_change();
CREATE TRIGGER payload_is_guarded BEFORE UPDATE OR DELETE ON eventlog_payload
    FOR EACH ROW EXECUTE FUNCTION eventlog_guard_payload();
CREATE TRIGGER payload_refuses_truncate BEFORE TRUNCATE ON eventlog_payload
    FOR EACH STATEMENT EXECUTE FUNCTION eventlog_refuse_change();

ALTER TABLE eventlog_event ENABLE ALWAYS TRIGGER event_refuses_change;
ALTER TABLE eventlog_event ENABLE ALWAYS TRIGGER event_refuses_truncate;
ALTER TABLE eventlog_head ENABLE ALWAYS TRIGGER head_moves_forward;
ALTER TABLE eventlog_head ENABLE ALWAYS TRIGGER head_refuses_delete;
ALTER TABLE eventlog_head ENABLE ALWAYS TRIGGER head_refuses_truncate;
ALTER TABLE eventlog_payload ENABLE ALWAYS TRIGGER payload_is_guarded;
ALTER TABLE eventlog_payload ENABLE ALWAYS TRIGGER payload_refuses_truncate;
"""

UNDO = """
DROP TRIGGER payload_refuses_truncate ON eventlog_payload;
DROP TRIGGER payload_is_guarded ON eventlog_payload;
DROP TRIGGER head_refuses_truncate ON eventlog_head;
DROP TRIGGER head_refuses_delete ON eventlog_head;
DROP TRIGGER head_moves_forward ON eventlog_head;
DROP TRIGGER event_refuses_truncate ON eventlog_event;
DROP TRIGGER event_refuses_change ON eventlog_event;
DROP FUNCTION eventlog_guard_payload;
DROP FUNCTION eventlog_guard_head;
DROP FUNCTION eventlog_refuse_change;
"""


class Migration(migrations.Migration):
    dependencies = [("eventlog", "0003_append_function")]

    operations = [migrations.RunSQL(FUNCTIONS + TRIGGERS, UNDO)]
