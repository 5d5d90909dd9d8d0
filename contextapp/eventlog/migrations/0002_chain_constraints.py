"""What Django can't say of the log's tables: composite keys, exact lengths, and payload bytes compressed by lz4."""

from __future__ import annotations

from django.db import migrations

CONSTRAINTS = """
ALTER TABLE eventlog_head
    ADD CONSTRAINT head_hash_length CHECK (octet_length(head_hash) = 32);

ALTER TABLE eventlog_event
    ADD CONSTRAINT event_belongs_to_head FOREIGN KEY (session_id) REFERENCES eventlog_head (session_id),
    ADD CONSTRAINT event_seq_starts_at_one CHECK (seq >= 1),
    ADD CONSTRAINT event_type_length CHECK (octet_length(type) BETWEEN 1 AND 100),
    ADD CONSTRAINT event_visibility_known CHECK (visibility IN ('model', 'ui', 'audit')),
    ADD CONSTRAINT event_commit_length CHECK (octet_length(payload_commit) = 32),
    ADD CONSTRAINT event_prev_hash_length CHECK (octet_length(prev_hash) = 32),
    ADD CONSTRAINT event_hash_length CHECK (octet_length(hash) = 32),
    ADD CONSTRAINT event_hash_version_known CHECK (hash_version = 1);

ALTER TABLE eventlog_payload
    ADD CONSTRAINT payload_belongs_to_event FOREIGN KEY (session_id, seq) REFERENCES eventlog_event (session_id, seq),
    ADD CONSTRAINT payload_salt_length CHECK (octet_length(salt) = 32);

ALTER TABLE eventlog_artifact
    ADD CONSTRAINT artifact_sha256_is_of_body CHECK (sha256 = sha256(body) AND size_bytes = octet_length(body));
"""

COMPRESSION = """
DO $$
BEGIN
    ALTER TABLE eventlog_payload ALTER COLUMN body SET COMPRESSION lz4;
    ALTER TABLE eventlog_artifact ALTER COLUMN body SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN
    RAISE NOTICE 'this PostgreSQL is built without lz4; payloads are compressed by pglz';
END
$$;
"""

UNDO = """
ALTER TABLE eventlog_artifact DROP CONSTRAINT artifact_sha256_is_of_body;
ALTER TABLE eventlog_payload DROP CONSTRAINT payload_belongs_to_event, DROP CONSTRAINT payload_salt_length;
ALTER TABLE eventlog_event
    DROP CONSTRAINT event_belongs_to_head, DROP CONSTRAINT event_seq_starts_at_one,
    DROP CONSTRAINT event_type_length, DROP CONSTRAINT event_visibility_known, DROP CONSTRAINT event_commit_length,
    DROP CONSTRAINT event_prev_hash_length, DROP CONSTRAINT event_hash_length,
    DROP CONSTRAINT event_hash_version_known;
ALTER TABLE eventlog_head DROP CONSTRAINT head_hash_length;
"""


class Migration(migrations.Migration):
    dependencies = [("eventlog", "0001_initial")]

    operations = [
        migrations.RunSQL(CONSTRAINTS, UNDO),
        migrations.RunSQL(COMPRESSION, migrations.RunSQL.noop),  # a storage setting; harmless to keep
    ]
