"""A payload holds evidence and nothing else, so that no column of it may change. What queries read moves beside it (0012)."""

from __future__ import annotations

from django.db import migrations

GUARD = """
CREATE OR REPLACE FUNCTION eventlog_guard_payload() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    v_redaction bigint := nullif(current_setting('eventlog.redaction_seq', true), '')::bigint;
BEGIN
    IF TG_OP = 'UPDATE' THEN
        RAISE EXCEPTION 'payload %#% can be read, not changed', OLD.session_id, OLD.seq USING ERRCODE = 'CX403';
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

UNDO = """
CREATE OR REPLACE FUNCTION eventlog_guard_payload() RETURNS trigger LANGUAGE plpgsql
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


class Migration(migrations.Migration):
    dependencies = [("eventlog", "0010_verification_hash_of_any_time")]

    operations = [migrations.RunSQL(GUARD, UNDO)]
