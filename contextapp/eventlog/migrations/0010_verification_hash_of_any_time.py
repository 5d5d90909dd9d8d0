"""A time that somebody set to infinity, or beyond what microseconds can count, is a hash that doesn't fit and not an error.

`eventlog_row_hash` as before (0009), but it answers for every value that the columns can hold.
"""

from __future__ import annotations

from django.db import migrations

HASH = """
CREATE OR REPLACE FUNCTION eventlog_row_hash(
    p_hash_version integer, p_project uuid, p_session uuid, p_seq bigint, p_event_id uuid, p_type text,
    p_schema_version integer, p_visibility text, p_occurred_at timestamptz, p_recorded_at timestamptz,
    p_actor text, p_api_key uuid, p_payload_commit bytea, p_payload_len integer, p_prev_hash bytea
) RETURNS bytea LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT sha256(
        '\\x0000000c6374782e6576656e742e7631'::bytea
        || int4send(length(p_hash_version::text)) || p_hash_version::text::bytea
        || int4send(36) || p_project::text::bytea
        || int4send(36) || p_session::text::bytea
        || int4send(length(p_seq::text)) || p_seq::text::bytea
        || int4send(36) || p_event_id::text::bytea
        || int4send(octet_length(p_type)) || convert_to(p_type, 'UTF8')
        || int4send(length(p_schema_version::text)) || p_schema_version::text::bytea
        || int4send(octet_length(p_visibility)) || convert_to(p_visibility, 'UTF8')
        || CASE
            WHEN p_occurred_at IS NULL THEN '\\xffffffff'::bytea
            WHEN p_occurred_at BETWEEN '4000-01-01Z BC'::timestamptz AND '200000-01-01Z'::timestamptz THEN
                int4send(length(((extract(epoch FROM p_occurred_at) * 1000000)::bigint)::text))
                || ((extract(epoch FROM p_occurred_at) * 1000000)::bigint)::text::bytea
            ELSE '\\x'::bytea
        END
        || CASE
            WHEN p_recorded_at BETWEEN '4000-01-01Z BC'::timestamptz AND '200000-01-01Z'::timestamptz THEN
                int4send(length(((extract(epoch FROM p_recorded_at) * 1000000)::bigint)::text))
                || ((extract(epoch FROM p_recorded_at) * 1000000)::bigint)::text::bytea
            ELSE '\\x'::bytea
        END
        || int4send(octet_length(p_actor)) || convert_to(p_actor, 'UTF8')
        || CASE WHEN p_api_key IS NULL THEN '\\xffffffff'::bytea ELSE int4send(36) || p_api_key::text::bytea END
        || int4send(octet_length(p_payload_commit)) || p_payload_commit
        || int4send(length(p_payload_len::text)) || p_payload_len::text::bytea
        || int4send(octet_length(p_prev_hash)) || p_prev_hash
    )
$$;
"""


class Migration(migrations.Migration):
    dependencies = [("eventlog", "0009_verification_hash")]

    operations = [migrations.RunSQL(HASH, migrations.RunSQL.noop)]  # 0009 takes the function away
