"""`eventlog_erase`: records the redaction first, then deletes payloads and salts below it. The chain stays whole."""

from __future__ import annotations

from django.db import migrations

ERASE = """
CREATE FUNCTION eventlog_erase(
    p_session uuid, p_first bigint, p_last bigint, p_actor text, p_event_id uuid, p_salt bytea, p_body bytea,
    OUT redaction_seq bigint, OUT erased bigint
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF (convert_from(p_body, 'UTF8')::json ->> 'first_seq')::bigint IS DISTINCT FROM p_first
        OR (convert_from(p_body, 'UTF8')::json ->> 'last_seq')::bigint IS DISTINCT FROM p_last
    THEN
        RAISE EXCEPTION 'the redaction must name the range %-% that it erases', p_first, p_last
            USING ERRCODE = 'CX422';
    END IF;
    SELECT written.head INTO redaction_seq
    FROM public.eventlog_write(
        p_session, p_actor, NULL, NULL, ARRAY[p_event_id], ARRAY['event.redacted'], ARRAY['model'], ARRAY[1],
        ARRAY[NULL::timestamptz], ARRAY[p_salt], ARRAY[p_body]
    ) AS written;
    PERFORM set_config('eventlog.redaction_seq', redaction_seq::text, true);
    DELETE FROM public.eventlog_payload AS payload
    USING public.eventlog_event AS event
    WHERE payload.session_id = p_session AND payload.seq BETWEEN p_first AND p_last
        AND event.session_id = payload.session_id AND event.seq = payload.seq AND event.type <> 'event.redacted';
    GET DIAGNOSTICS erased = ROW_COUNT;
    PERFORM set_config('eventlog.redaction_seq', '', true);
END
$$;
REVOKE ALL ON FUNCTION eventlog_erase FROM PUBLIC;
"""


class Migration(migrations.Migration):
    dependencies = [("eventlog", "0004_guards")]

    operations = [migrations.RunSQL(ERASE, "DROP FUNCTION eventlog_erase;")]
