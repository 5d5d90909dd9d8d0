"""The only way into the log: `eventlog_append` and the hash it computes (docs/log.md, `contextapp.evidence.chain`).

`eventlog_write` is the part that erasure shares; nobody else may call it. Plans are
made once, when the tables may be empty, and must stay good when they grow: hence no sequential scans, an index on
event ids that does not begin with the session (the planner can't tell it from the primary key on an empty table, and a
foreign key check would then read the whole session), and IS NOT DISTINCT FROM, which leaves it that index alone.
"""

from __future__ import annotations

from django.db import migrations

HASH = """
CREATE FUNCTION eventlog_event_hash(
    p_hash_version integer, p_project uuid, p_session uuid, p_seq bigint, p_event_id uuid, p_type text,
    p_schema_version integer, p_visibility text, p_occurred_at timestamptz, p_recorded_at timestamptz,
    p_actor text, p_api_key uuid, p_payload_commit bytea, p_payload_len integer, p_prev_hash bytea
) RETURNS bytea LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
    v_type bytea := convert_to(p_type, 'UTF8');
    v_actor bytea := convert_to(p_actor, 'UTF8');
    v_occurred text := ((extract(epoch FROM p_occurred_at) * 1000000)::bigint)::text;
    v_recorded text := ((extract(epoch FROM p_recorded_at) * 1000000)::bigint)::text;
BEGIN
    RETURN sha256(
        int4send(12) || 'ctx.event.v1'::bytea
        || int4send(length(p_hash_version::text)) || p_hash_version::text::bytea
        || int4send(36) || p_project::text::bytea
        || int4send(36) || p_session::text::bytea
        || int4send(length(p_seq::text)) || p_seq::text::bytea
        || int4send(36) || p_event_id::text::bytea
        || int4send(octet_length(v_type)) || v_type
        || int4send(length(p_schema_version::text)) || p_schema_version::text::bytea
        || int4send(length(p_visibility)) || p_visibility::bytea
        || coalesce(int4send(length(v_occurred)) || v_occurred::bytea, int4send(-1))
        || int4send(length(v_recorded)) || v_recorded::bytea
        || int4send(octet_length(v_actor)) || v_actor
        || coalesce(int4send(36) || p_api_key::text::bytea, int4send(-1))
        || int4send(32) || p_payload_commit
        || int4send(length(p_payload_len::text)) || p_payload_len::text::bytea
        || int4send(32) || p_prev_hash
    );
END
$$;
"""

WRITE = """
CREATE FUNCTION eventlog_write(
    p_session uuid, p_actor text, p_api_key uuid, p_expected_seq bigint,
    p_event_ids uuid[], p_types text[], p_visibilities text[], p_schema_versions integer[],
    p_occurred timestamptz[], p_salts bytea[], p_bodies bytea[],
    OUT seqs bigint[], OUT duplicates boolean[], OUT head bigint
) LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
AS $$
DECLARE
    v_head public.eventlog_head%ROWTYPE;
    v_now timestamptz;
    v_given record;
    v_seq bigint;
    v_prev bytea;
    v_commit bytea;
    v_commits bytea[] := '{}';
    v_prevs bytea[] := '{}';
    v_hashes bytea[] := '{}';
BEGIN
    seqs := '{}';
    duplicates := '{}';
    IF coalesce(cardinality(p_event_ids), 0) = 0 THEN
        SELECT head_seq INTO head FROM public.eventlog_head WHERE session_id = p_session;
        RETURN;
    END IF;
    SELECT * INTO v_head FROM public.eventlog_head WHERE session_id = p_session FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'session % does not exist', p_session USING ERRCODE = 'CX404';
    END IF;
    PERFORM 1 FROM public.eventlog_session WHERE id = p_session AND erased_at IS NOT NULL;
    IF FOUND THEN
        RAISE EXCEPTION 'session % was erased', p_session USING ERRCODE = 'CX410';
    END IF;
    v_seq := v_head.head_seq;
    v_prev := v_head.head_hash;
    v_now := clock_timestamp();
    FOR v_given IN
        SELECT given.*, stored.seq AS stored_seq, stored.is_same
        FROM unnest(p_event_ids, p_types, p_visibilities, p_schema_versions, p_occurred, p_salts, p_bodies)
            WITH ORDINALITY AS given (event_id, type, visibility, schema_version, occurred_at, salt, body, place)
        LEFT JOIN LATERAL (
            SELECT event.seq, event.type = given.type AND event.visibility = given.visibility AND (
                payload.salt IS NULL OR event.payload_commit = sha256(payload.salt || given.body)
            ) AS is_same
            FROM public.eventlog_event AS event
            LEFT JOIN public.eventlog_payload AS payload
                ON payload.session_id = event.session_id AND payload.seq = event.seq
            WHERE event.event_id = given.event_id AND event.session_id IS NOT DISTINCT FROM p_session
            OFFSET 0
        ) AS stored ON true
        ORDER BY place
    LOOP
        IF v_given.stored_seq IS NOT NULL THEN
            IF NOT v_given.is_same THEN
                RAISE EXCEPTION 'event % is stored at % with other content', v_given.event_id, v_given.stored_seq
                    USING ERRCODE = 'CX409', DETAIL = v_given.event_id || ' ' || v_given.stored_seq;
            END IF;
            seqs := array_append(seqs, v_given.stored_seq);
            duplicates := array_append(duplicates, true);
            v_commits := array_append(v_commits, NULL);
            v_prevs := array_append(v_prevs, NULL);
            v_hashes := array_append(v_hashes, NULL);
            CONTINUE;
        END IF;
        IF p_expected_seq <> v_head.head_seq THEN
            RAISE EXCEPTION 'session % is at %, not at %', p_session, v_head.head_seq, p_expected_seq
                USING ERRCODE = 'CX412', DETAIL = v_head.head_seq::text;
        END IF;
        v_seq := v_seq + 1;
        v_commit := sha256(v_given.salt || v_given.body);
        seqs := array_append(seqs, v_seq);
        duplicates := array_append(duplicates, false);
        v_commits := array_append(v_commits, v_commit);
        v_prevs := array_append(v_prevs, v_prev);
        v_prev := public.eventlog_event_hash(
            1, v_head.project_id, p_session, v_seq, v_given.event_id, v_given.type, v_given.schema_version,
            v_given.visibility, v_given.occurred_at, v_now, p_actor, p_api_key, v_commit,
            octet_length(v_given.body), v_prev
        );
        v_hashes := array_append(v_hashes, v_prev);
    END LOOP;
    head := v_seq;
    IF v_seq = v_head.head_seq THEN
        RETURN;
    END IF;
    INSERT INTO public.eventlog_event (
        session_id, seq, event_id, project_id, type, schema_version, visibility, occurred_at, recorded_at, actor,
        api_key_id, payload_commit, payload_len, prev_hash, hash, hash_version
    )
    SELECT p_session, new.seq, new.event_id, v_head.project_id, new.type, new.schema_version, new.visibility,
        new.occurred_at, v_now, p_actor, p_api_key, new.payload_commit, octet_length(new.body), new.prev_hash,
        new.hash, 1
    FROM unnest(
        p_event_ids, p_types, p_visibilities, p_schema_versions, p_occurred, p_bodies, seqs, duplicates, v_commits,
        v_prevs, v_hashes
    ) AS new (
        event_id, type, visibility, schema_version, occurred_at, body, seq, duplicate, payload_commit, prev_hash, hash
    )
    WHERE NOT new.duplicate;
    INSERT INTO public.eventlog_payload (session_id, seq, salt, body)
    SELECT p_session, new.seq, new.salt, new.body
    FROM unnest(p_salts, p_bodies, seqs, duplicates) AS new (salt, body, seq, duplicate)
    WHERE NOT new.duplicate;
    UPDATE public.eventlog_head SET head_seq = v_seq, head_hash = v_prev WHERE session_id = p_session;
END
$$;
REVOKE ALL ON FUNCTION eventlog_write FROM PUBLIC;
"""

APPEND = """
CREATE FUNCTION eventlog_append(
    p_session uuid, p_actor text, p_api_key uuid, p_expected_seq bigint,
    p_event_ids uuid[], p_types text[], p_visibilities text[], p_schema_versions integer[],
    p_occurred timestamptz[], p_salts bytea[], p_bodies bytea[],
    OUT seqs bigint[], OUT duplicates boolean[], OUT head bigint
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF 'event.redacted' = ANY (p_types) THEN
        RAISE EXCEPTION 'event.redacted is written by erasure alone' USING ERRCODE = 'CX403';
    END IF;
    SELECT written.seqs, written.duplicates, written.head INTO seqs, duplicates, head
    FROM public.eventlog_write(
        p_session, p_actor, p_api_key, p_expected_seq, p_event_ids, p_types, p_visibilities, p_schema_versions,
        p_occurred, p_salts, p_bodies
    ) AS written;
END
$$;
REVOKE ALL ON FUNCTION eventlog_append FROM PUBLIC;
"""

UNDO = """
DROP FUNCTION eventlog_append;
DROP FUNCTION eventlog_write;
DROP FUNCTION eventlog_event_hash;
"""


class Migration(migrations.Migration):
    dependencies = [("eventlog", "0002_chain_constraints")]

    operations = [migrations.RunSQL(HASH + WRITE + APPEND, UNDO)]
