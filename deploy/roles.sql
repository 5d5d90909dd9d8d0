-- Roles of the product's database. Run once by a superuser, connected to that (empty) database:
--     psql -d contextapp -f deploy/roles.sql
-- then `python deploy/migrate.py` as contextapp_migrator, which also gives the rights (deploy/grants.sql). Harmless to run again.
-- Passwords come from the environment (APP_PASSWORD, ERASER_PASSWORD, MIGRATOR_PASSWORD, AUDITOR_PASSWORD); none stands here.
\set ON_ERROR_STOP on
SET client_min_messages = warning;

SELECT format('CREATE ROLE %I %s', name, kind)
FROM (VALUES
    ('contextapp_owner', 'NOLOGIN'),     -- owns every table and function; nobody logs in as it
    ('contextapp_migrator', 'LOGIN'),    -- becomes the owner to migrate, and to back up
    ('contextapp_app', 'LOGIN'),         -- web, worker and beat: owns nothing, appends to the log by its function
    ('contextapp_eraser', 'LOGIN'),      -- what the application may, and eventlog_erase
    ('contextapp_auditor', 'LOGIN')      -- reads, but no password hashes, keys or logins
) AS wanted (name, kind)
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted.name)
\gexec

SELECT format('ALTER ROLE %I NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS', rolname)
FROM pg_roles WHERE rolname LIKE 'contextapp\_%'
\gexec

\getenv migrator_password MIGRATOR_PASSWORD
\getenv app_password APP_PASSWORD
\getenv eraser_password ERASER_PASSWORD
\getenv auditor_password AUDITOR_PASSWORD
\if :{?migrator_password}
ALTER ROLE contextapp_migrator PASSWORD :'migrator_password';
\endif
\if :{?app_password}
ALTER ROLE contextapp_app PASSWORD :'app_password';
\endif
\if :{?eraser_password}
ALTER ROLE contextapp_eraser PASSWORD :'eraser_password';
\endif
\if :{?auditor_password}
ALTER ROLE contextapp_auditor PASSWORD :'auditor_password';
\endif

GRANT contextapp_owner TO contextapp_migrator;
GRANT contextapp_app TO contextapp_eraser;

-- What a migration makes belongs to the owner, whoever of its members runs it.
ALTER ROLE contextapp_migrator IN DATABASE :"DBNAME" SET role = 'contextapp_owner';

-- Nothing waits for ever. A worker's long statements say so in its DATABASE_URL (docs/deploy.md).
ALTER ROLE contextapp_app SET statement_timeout = '10s';
ALTER ROLE contextapp_app SET lock_timeout = '3s';
ALTER ROLE contextapp_app SET idle_in_transaction_session_timeout = '15s';
ALTER ROLE contextapp_eraser SET statement_timeout = '60s';
ALTER ROLE contextapp_eraser SET lock_timeout = '3s';
ALTER ROLE contextapp_eraser SET idle_in_transaction_session_timeout = '60s';
ALTER ROLE contextapp_auditor SET statement_timeout = '300s';
ALTER ROLE contextapp_auditor SET lock_timeout = '3s';
ALTER ROLE contextapp_auditor SET idle_in_transaction_session_timeout = '60s';
ALTER ROLE contextapp_auditor SET default_transaction_read_only = on;
-- A change of a table that waits for a reader makes everybody behind it wait: it gives up soon, and migrate.py tries again.
ALTER ROLE contextapp_migrator SET lock_timeout = '500ms';
ALTER ROLE contextapp_migrator SET idle_in_transaction_session_timeout = '300s';

ALTER DATABASE :"DBNAME" OWNER TO contextapp_owner;
REVOKE ALL ON DATABASE :"DBNAME" FROM PUBLIC;
GRANT CONNECT ON DATABASE :"DBNAME" TO contextapp_migrator, contextapp_app, contextapp_eraser, contextapp_auditor;
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO contextapp_app, contextapp_eraser, contextapp_auditor;

-- A table that nobody has judged yet can be read and added to, never changed: grants.sql opens it, or leaves it so.
ALTER DEFAULT PRIVILEGES FOR ROLE contextapp_owner IN SCHEMA public GRANT SELECT, INSERT ON TABLES TO contextapp_app;
ALTER DEFAULT PRIVILEGES FOR ROLE contextapp_owner IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO contextapp_app;
-- A function is executable by everybody unless this says otherwise.
ALTER DEFAULT PRIVILEGES FOR ROLE contextapp_owner REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
