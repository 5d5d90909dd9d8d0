-- The rights of every role on every table and function, set anew from nothing. Run by deploy/migrate.py after each migration.
--
-- A table is of the log when it carries a trigger that is ENABLE ALWAYS and refuses TRUNCATE: such tables take SELECT and
-- at most INSERT. A new one is recognised by its guard, so no list has to be kept; tests/deploy tries every statement on each.

REVOKE ALL ON ALL TABLES IN SCHEMA public FROM PUBLIC, contextapp_app, contextapp_eraser, contextapp_auditor;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC, contextapp_app, contextapp_eraser, contextapp_auditor;

DO $$
DECLARE
    written_by_function constant text[] := ARRAY['eventlog_event', 'eventlog_payload', 'accounts_auditentry',
        'accounts_audithead'];
    of_the_migrations constant text[] := ARRAY['django_migrations'];
    secret constant text[] := ARRAY['accounts_user', 'accounts_apikey', 'accounts_loginlink', 'accounts_invitation',
        'django_session', 'axes_accessattempt', 'axes_accesslog', 'axes_accessfailurelog'];
    found record;
BEGIN
    FOR found IN
        SELECT class.relname AS name, EXISTS (
            SELECT FROM pg_trigger AS guard
            WHERE guard.tgrelid = class.oid AND NOT guard.tgisinternal AND guard.tgenabled = 'A' AND guard.tgtype & 32 > 0
        ) AS is_log
        FROM pg_class AS class
        WHERE class.relnamespace = 'public'::regnamespace AND class.relkind IN ('r', 'p')
    LOOP
        EXECUTE format('GRANT SELECT ON public.%I TO contextapp_app', found.name);
        IF found.name <> ALL (written_by_function) AND found.name <> ALL (of_the_migrations) THEN
            EXECUTE format('GRANT INSERT ON public.%I TO contextapp_app', found.name);
            IF NOT found.is_log THEN
                EXECUTE format('GRANT UPDATE, DELETE ON public.%I TO contextapp_app', found.name);
            END IF;
        END IF;
        IF found.name <> ALL (secret) THEN
            EXECUTE format('GRANT SELECT ON public.%I TO contextapp_auditor', found.name);
        END IF;
    END LOOP;
END
$$;

GRANT SELECT (id, username, is_active, date_joined, last_login) ON accounts_user TO contextapp_auditor;
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO contextapp_app;

-- The ways into the log, and calculations that verification asks for. eventlog_write, which append and erase share, is
-- nobody's. A function that this list does not name can be called by nobody; a test says so.
DO $$
DECLARE
    given record;
BEGIN
    FOR given IN
        SELECT proc.oid::regprocedure AS function, wanted.roles
        FROM (VALUES
            ('eventlog_append', 'contextapp_app'),
            ('eventlog_erase', 'contextapp_eraser'),
            ('eventlog_event_hash', 'contextapp_app, contextapp_auditor'),
            ('eventlog_row_hash', 'contextapp_app, contextapp_auditor'),
            ('accounts_audit_append', 'contextapp_app'),
            ('accounts_audit_hash', 'contextapp_app, contextapp_auditor')
        ) AS wanted (name, roles)
        JOIN pg_proc AS proc ON proc.proname = wanted.name AND proc.pronamespace = 'public'::regnamespace
    LOOP
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %s', given.function, given.roles);
    END LOOP;
END
$$;

-- Where a checkpoint was published is noted after it was taken; its guard refuses any other change.
DO $$
BEGIN
    IF to_regclass('public.eventlog_checkpoint') IS NOT NULL THEN
        GRANT UPDATE (published_to) ON eventlog_checkpoint TO contextapp_app;
    END IF;
END
$$;

-- Erasure locks a session's head before it looks. A row lock needs the right to change one column; the head's own guard
-- refuses any change of this one.
GRANT UPDATE (session_id) ON eventlog_head TO contextapp_eraser;
