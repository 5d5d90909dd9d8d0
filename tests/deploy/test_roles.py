"""The application's own role can't change what the log says: each statement is tried on each table of the log."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from django.apps import apps

from tests.deploy.conftest import APP, AUDITOR, ERASER, LOGINS, MIGRATOR, OWNER, Deployed, apply_roles, migrate
from tests.world import build_world

# Tables of the rooms that keep evidence whose rows may change, each with the reason. Any other table there is of the log.
CHANGEABLE = {
    "eventlog_session": "facts and counters beside the log",
    "eventlog_workspace": "a name for a folder",
    "eventlog_logverification": "what verification found; not evidence",
    "eventlog_sessionverification": "the newest of it",
    "eventlog_artifact": "erased with its last use; its hash is checked by the table",
    "eventlog_artifactuse": "erased with the session",
    "eventlog_reading": "read out of payloads for queries; may be thrown away",
    "eventlog_readingmark": "how far it was read",
    "accounts_apikey": "revoked and expired",
    "accounts_invitation": "used once",
    "accounts_loginlink": "used once",
    "accounts_membership": "changed, with an audit entry",
    "accounts_project": "renamed, with an audit entry",
    "accounts_usage": "counts for limits",
    "accounts_user": "the same",
    "accounts_user_groups": "Django's",
    "accounts_user_user_permissions": "Django's",
}
# What a role may change in a table of the log, guarded there by a trigger that lets nothing else through.
EXCEPTIONS = {("eventlog_checkpoint", "published_to"), ("eventlog_head", "session_id")}
INTERNAL = {"eventlog_write"}  # called by other functions alone
WAYS = {
    "delete": "DELETE FROM {table}",
    "truncate": "TRUNCATE {table} CASCADE",
    "add a column": "ALTER TABLE {table} ADD COLUMN extra int",
    "disable triggers": "ALTER TABLE {table} DISABLE TRIGGER ALL",
    "disable user triggers": "ALTER TABLE {table} DISABLE TRIGGER USER",
    "drop": "DROP TABLE {table} CASCADE",
    "rename": "ALTER TABLE {table} RENAME TO other",
    "own": "ALTER TABLE {table} OWNER TO CURRENT_USER",
    "add a trigger": "CREATE TRIGGER x BEFORE INSERT ON {table} EXECUTE FUNCTION suppress_redundant_updates_trigger()",
    "add a rule": "CREATE RULE x AS ON INSERT TO {table} DO INSTEAD NOTHING",
    "security": "ALTER TABLE {table} ENABLE ROW LEVEL SECURITY",
    "lock": "LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE",
}


def tables_of_the_log() -> dict[str, list[str]]:
    """Every table of the two rooms with its columns, but those that may change."""
    models = [
        model
        for room in ("eventlog", "accounts")
        for model in apps.get_app_config(room).get_models(include_auto_created=True)
    ]
    return {
        model._meta.db_table: [field.column for field in model._meta.concrete_fields if field.column]
        for model in models
        if model._meta.db_table not in CHANGEABLE
    }


LOG = tables_of_the_log()


@pytest.fixture(params=[APP, ERASER, AUDITOR])
def stranger(request: pytest.FixtureRequest, deployed: Deployed) -> Iterator[psycopg.Connection]:
    """One that has switched off the little that it may."""
    with deployed.connect(request.param) as connection:
        connection.execute("SET default_transaction_read_only = off")
        yield connection


def test_the_log_is_at_least_these_tables() -> None:
    assert set(LOG) >= {"eventlog_event", "eventlog_head", "eventlog_payload", "accounts_auditentry"}


@pytest.mark.parametrize("table", LOG)
def test_every_table_of_the_log_has_its_guard(deployed: Deployed, table: str) -> None:
    with deployed.connect(MIGRATOR) as owner:
        kinds = owner.execute(
            "SELECT bit_or(tgtype::int) FROM pg_trigger WHERE tgrelid = %s::regclass AND tgenabled = 'A'", [table]
        ).fetchone()

    assert kinds is not None and kinds[0] is not None, f"{table} has no trigger that is ENABLE ALWAYS"
    assert [name for name, bit in (("delete", 8), ("update", 16), ("truncate", 32)) if not kinds[0] & bit] == []


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("table", LOG)
def test_no_login_of_the_product_can(stranger: psycopg.Connection, table: str, way: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege), stranger.transaction():
        stranger.execute(WAYS[way].format(table=table))


@pytest.mark.parametrize("table", LOG)
def test_no_login_of_the_product_can_update_a_column(stranger: psycopg.Connection, table: str) -> None:
    for column in LOG[table]:
        if (table, column) not in EXCEPTIONS:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                stranger.execute(f"UPDATE {table} SET {column} = {column}")


@pytest.mark.parametrize("table", LOG)
def test_no_login_of_the_product_can_give_rights_away(stranger: psycopg.Connection, table: str) -> None:
    stranger.execute(f"GRANT ALL ON {table} TO PUBLIC")  # a warning, and nothing is given

    rights = stranger.execute("SELECT relacl::text FROM pg_class WHERE oid = %s::regclass", [table]).fetchone()

    assert rights is not None
    assert "{=" not in rights[0] and ",=" not in rights[0]


@pytest.mark.parametrize("table", ["eventlog_event", "eventlog_payload", "accounts_auditentry", "django_migrations"])
def test_what_only_a_function_writes_takes_no_rows(stranger: psycopg.Connection, table: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        stranger.execute(f"INSERT INTO {table} SELECT * FROM {table}")


@pytest.mark.parametrize(
    "statement",
    [
        "SET ROLE contextapp_owner",
        "SET SESSION AUTHORIZATION contextapp_migrator",
        "SET session_replication_role = replica",
        "CREATE TABLE public.mine (id int)",
        "CREATE FUNCTION public.eventlog_append() RETURNS int LANGUAGE sql RETURN 1",
        "ALTER FUNCTION eventlog_append SECURITY INVOKER",
        "DROP FUNCTION eventlog_refuse_change CASCADE",
        "CREATE OR REPLACE FUNCTION eventlog_refuse_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN OLD; END'",
        "SELECT eventlog_write(NULL, 'x', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
        "CREATE SCHEMA mine",
        "CREATE TEMPORARY TABLE eventlog_event (id int)",
        "ALTER ROLE contextapp_owner LOGIN",
        "COPY eventlog_event TO PROGRAM 'cat'",
    ],
)
def test_there_is_no_way_around(stranger: psycopg.Connection, statement: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        stranger.execute(statement)


def test_only_the_eraser_may_erase(deployed: Deployed) -> None:
    allowed = {}
    for role in LOGINS:
        with deployed.connect(MIGRATOR) as connection:
            row = connection.execute(
                "SELECT has_function_privilege(%s, oid, 'EXECUTE') FROM pg_proc WHERE proname = 'eventlog_erase'",
                [role],
            ).fetchone()
            allowed[role] = row and row[0]

    assert allowed == {MIGRATOR: True, APP: False, ERASER: True, AUDITOR: False}


def test_the_lock_that_erasure_takes_moves_no_head(deployed: Deployed, a_session: str) -> None:
    with deployed.connect(ERASER) as eraser:
        locked = eraser.execute("SELECT 1 FROM eventlog_head WHERE session_id = %s FOR NO KEY UPDATE", [a_session])
        assert locked.fetchone() == (1,)
        with pytest.raises(psycopg.DatabaseError) as refused:
            eraser.execute("UPDATE eventlog_head SET session_id = gen_random_uuid() WHERE session_id = %s", [a_session])

    assert refused.value.sqlstate == "CX403"


def test_the_auditor_reads_the_log_and_no_secret(deployed: Deployed) -> None:
    with deployed.connect(AUDITOR) as auditor:
        for table in LOG:
            auditor.execute(f"SELECT * FROM {table} LIMIT 1")
        auditor.execute("SELECT username FROM accounts_user")
        for statement in ("SELECT password FROM accounts_user", "TABLE accounts_apikey", "TABLE django_session",
                          "TABLE accounts_loginlink", "TABLE accounts_invitation"):  # fmt: skip
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                auditor.execute(statement)


def test_every_object_belongs_to_the_owner(deployed: Deployed) -> None:
    with deployed.connect(MIGRATOR) as connection:
        owners = connection.execute(
            "SELECT DISTINCT relowner::regrole::text FROM pg_class WHERE relnamespace = 'public'::regnamespace "
            "UNION SELECT DISTINCT proowner::regrole::text FROM pg_proc WHERE pronamespace = 'public'::regnamespace"
        ).fetchall()

    assert owners == [(OWNER,)]


def test_every_function_of_the_owner_fixes_its_search_path(deployed: Deployed) -> None:
    with deployed.connect(MIGRATOR) as connection:
        loose = connection.execute(
            "SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosecdef AND NOT "
            "coalesce(array_to_string(proconfig, ' '), '') LIKE '%search_path=pg_catalog, public, pg_temp%'"
        ).fetchall()
        everybody = connection.execute(
            "SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace "
            "AND has_function_privilege('public', oid, 'EXECUTE')"
        ).fetchall()

    assert (loose, everybody) == ([], [])


def test_every_function_was_judged(deployed: Deployed) -> None:
    with deployed.connect(MIGRATOR) as connection:
        unreachable = connection.execute(
            "SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prorettype <> 'trigger'::regtype "
            "AND NOT has_function_privilege('contextapp_app', oid, 'EXECUTE') "
            "AND NOT has_function_privilege('contextapp_eraser', oid, 'EXECUTE')"
        ).fetchall()

    assert {name for (name,) in unreachable} == INTERNAL, "name it in deploy/grants.sql, or here"


@pytest.mark.parametrize("role", [APP, ERASER, AUDITOR])
def test_no_login_waits_for_ever(deployed: Deployed, role: str) -> None:
    with deployed.connect(role) as connection:
        limits = [connection.execute(f"SHOW {name}").fetchone() for name in TIMEOUTS]

    assert [limit for limit in limits if limit is None or limit[0] in ("0", "")] == []


TIMEOUTS = ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout")


def test_a_table_that_nobody_judged_can_be_added_to_and_not_changed(deployed: Deployed) -> None:
    with deployed.connect(MIGRATOR) as owner, deployed.connect(APP) as app:
        owner.execute("CREATE TABLE later (id int)")
        try:
            app.execute("INSERT INTO later VALUES (1)")
            for statement in ("UPDATE later SET id = 2", "DELETE FROM later", "TRUNCATE later"):
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    app.execute(statement)
        finally:
            owner.execute("DROP TABLE later")


def test_roles_and_rights_can_be_set_again(deployed: Deployed, tmp_path: Path) -> None:
    with deployed.connect(MIGRATOR) as connection:
        before = connection.execute(RIGHTS).fetchall()

    apply_roles(deployed.cluster, deployed.name)
    said = migrate(deployed, tmp_path)

    with deployed.connect(MIGRATOR) as connection:
        assert connection.execute(RIGHTS).fetchall() == before
    assert "rights set for every role" in said


RIGHTS = "SELECT relname, relacl::text FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1"


@pytest.fixture
def a_session(as_app: None, deployed: Deployed) -> str:
    with deployed.connect(APP) as connection:
        found = connection.execute("SELECT session_id::text FROM eventlog_head").fetchone()
    return str(found[0] if found else build_world().open_session().id)
