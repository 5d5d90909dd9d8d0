"""The only way into the audit trail: `accounts_audit_append` and the hash it computes (docs/audit.md)."""

from __future__ import annotations

from django.db import migrations

HASH = """
CREATE FUNCTION accounts_audit_hash(
    p_id bigint, p_project uuid, p_n bigint, p_actor text, p_action text, p_target text,
    p_before text, p_after text, p_at timestamptz, p_prev_hash bytea
) RETURNS bytea LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    v_field bytea;
    v_preimage bytea := int4send(12) || 'ctx.audit.v1'::bytea;
    v_fields bytea[] := ARRAY[
        p_id::text::bytea, p_project::text::bytea, p_n::text::bytea, convert_to(p_actor, 'UTF8'),
        convert_to(p_action, 'UTF8'), convert_to(p_target, 'UTF8'), convert_to(p_before, 'UTF8'),
        convert_to(p_after, 'UTF8'), ((extract(epoch FROM p_at) * 1000000)::bigint)::text::bytea, p_prev_hash
    ];
BEGIN
    FOREACH v_field IN ARRAY v_fields LOOP
        v_preimage := v_preimage || coalesce(int4send(octet_length(v_field)) || v_field, int4send(-1));
    END LOOP;
    RETURN sha256(v_preimage);
END
$$;
"""

APPEND = """
CREATE FUNCTION accounts_audit_append(
    p_project uuid, p_actor text, p_action text, p_target text, p_before text, p_after text
) RETURNS SETOF accounts_auditentry LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    v_head public.accounts_audithead%ROWTYPE;
    v_entry public.accounts_auditentry%ROWTYPE;
BEGIN
    SELECT * INTO v_head FROM public.accounts_audithead
    WHERE project_id = p_project OR (p_project IS NULL AND project_id IS NULL) FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        INSERT INTO public.accounts_audithead (project_id, n, hash)
        VALUES (p_project, 0, decode(repeat('00', 32), 'hex')) ON CONFLICT DO NOTHING;
        SELECT * INTO STRICT v_head FROM public.accounts_audithead
        WHERE project_id = p_project OR (p_project IS NULL AND project_id IS NULL) FOR NO KEY UPDATE;
    END IF;
    v_entry.id := nextval(pg_get_serial_sequence('public.accounts_auditentry', 'id'));
    v_entry.project_id := p_project;
    v_entry.n := v_head.n + 1;
    v_entry.actor := p_actor;
    v_entry.action := p_action;
    v_entry.target := p_target;
    v_entry.before := p_before;
    v_entry.after := p_after;
    v_entry.at := clock_timestamp();
    v_entry.prev_hash := v_head.hash;
    v_entry.hash := public.accounts_audit_hash(
        v_entry.id, p_project, v_entry.n, p_actor, p_action, p_target, p_before, p_after, v_entry.at, v_head.hash
    );
    UPDATE public.accounts_audithead SET n = v_entry.n, hash = v_entry.hash WHERE id = v_head.id;
    INSERT INTO public.accounts_auditentry (
        id, project_id, n, actor, action, target, before, after, at, prev_hash, hash
    ) VALUES (
        v_entry.id, v_entry.project_id, v_entry.n, v_entry.actor, v_entry.action, v_entry.target, v_entry.before,
        v_entry.after, v_entry.at, v_entry.prev_hash, v_entry.hash
    );
    RETURN NEXT v_entry;
END
$$;
REVOKE ALL ON FUNCTION accounts_audit_append FROM PUBLIC;
"""

UNDO = """
DROP FUNCTION accounts_audit_append;
DROP FUNCTION accounts_audit_hash;
"""


class Migration(migrations.Migration):
    dependencies = [("accounts", "0004_audit_chain_columns")]

    operations = [migrations.RunSQL(HASH + APPEND, UNDO)]
