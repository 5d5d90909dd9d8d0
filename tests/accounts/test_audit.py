"""The audit trail as a chain: what is written, what the database refuses, and that every change of a row is located."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

import pytest
from django.db import connection, transaction
from django.db.utils import DatabaseError
from django.utils import timezone

from contextapp.accounts.models import AuditEntry
from contextapp.accounts.services import add_member, note_read, record, verify_audit, verify_audits
from contextapp.evidence import audit
from contextapp.evidence.chain import GENESIS
from tests.world import World, build_world

if TYPE_CHECKING:
    from tests.databases import CommittedDatabase

VECTORS = Path(__file__).parents[2] / "docs" / "audit-vectors.json"
FLIPS = {
    "id": "id = id + 100000",
    "project_id": "project_id = '{other}'",
    "actor": "actor = 'user:other'",
    "action": "action = 'member.removed'",
    "target": "target = 'user:other'",
    "before": """before = '{{"role":"admin"}}'""",
    "after": """after = '{{"role":"auditor"}}'""",
    "at": "at = at + interval '1 microsecond'",
    "prev_hash": "prev_hash = sha256('x')",
    "hash": "hash = sha256('x')",
}


def tamper(statement: str) -> None:
    """As the owner of the tables: triggers off. Undone with the test's transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for table in ("auditentry", "audithead"):
            cursor.execute(f"ALTER TABLE accounts_{table} DISABLE TRIGGER ALL")
        cursor.execute(statement)


@pytest.fixture
def chain(world: World) -> list[AuditEntry]:
    add_member(project=world.project, user=world.bob, role="auditor", by="user:alice")
    record(
        project=world.project,
        actor="Zoë 中文",
        action="thing.happened",
        target="é",
        before=None,
        after={"b": 1, "a": "\0"},
    )
    return list(AuditEntry.objects.filter(project=world.project).order_by("n"))


def header_of(entry: AuditEntry) -> audit.AuditHeader:
    with connection.cursor() as cursor:
        cursor.execute("SELECT before, after FROM accounts_auditentry WHERE id = %s", [entry.id])
        before, after = cursor.fetchone()
    return audit.AuditHeader(
        id=entry.id, project_id=entry.project_id, n=entry.n, actor=entry.actor, action=entry.action,
        target=entry.target, before=before, after=after, at=entry.at, prev_hash=bytes(entry.prev_hash),
    )  # fmt: skip


def test_each_project_and_the_installation_count_from_one(world: World, chain: list[AuditEntry]) -> None:
    for number in range(2):
        record(project=None, actor="system", action="user.created", target=f"user:{number}")

    assert [entry.n for entry in chain] == list(range(1, len(chain) + 1))
    assert list(AuditEntry.objects.filter(project=None).order_by("id").values_list("n", flat=True)) == [1, 2]
    assert [found.verdict for found in verify_audits()] == ["verified"] * 3


def test_the_two_computations_agree_on_every_stored_hash(chain: list[AuditEntry]) -> None:
    previous = GENESIS

    for entry in chain:
        header = header_of(entry)
        assert header.prev_hash == previous
        previous = audit.entry_hash(header)
        assert bytes(entry.hash) == previous


def test_the_published_vectors_hold() -> None:
    vectors = json.loads(VECTORS.read_text())["vectors"]

    for vector in vectors:
        given = dict(vector["entry"])
        header = audit.AuditHeader(
            **{
                **given,
                "project_id": given["project_id"] and UUID(given["project_id"]),
                "at": audit.datetime.fromisoformat(given["at"]),
                "prev_hash": bytes.fromhex(given["prev_hash"]),
            }
        )
        assert audit.preimage(header).hex() == vector["preimage"]
        assert audit.entry_hash(header).hex() == vector["hash"]


def test_the_database_computes_the_published_vectors(db: None) -> None:
    for vector in json.loads(VECTORS.read_text())["vectors"]:
        given = vector["entry"]
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT encode(accounts_audit_hash(%(id)s::bigint, %(project_id)s::uuid, %(n)s::bigint, %(actor)s, %(action)s,"
                " %(target)s, %(before)s, %(after)s, %(at)s::timestamptz, decode(%(prev_hash)s, 'hex')), 'hex')",
                given,
            )
            assert cursor.fetchone() == (vector["hash"],)


@pytest.mark.parametrize("column", FLIPS)
def test_a_changed_column_is_located(world: World, chain: list[AuditEntry], column: str) -> None:
    flip = FLIPS[column].format(other=world.foreign_project.id)
    if column == "project_id":  # its number may be taken in the other chain
        flip += ", n = 1000"
    place = chain[1]

    tamper(f"UPDATE accounts_auditentry SET {flip} WHERE id = {place.id}")

    found = verify_audit(world.project)
    assert (found.verdict, found.n) == ("tampered", 3 if column == "project_id" else 2)


def test_every_column_is_flipped_somewhere() -> None:
    columns = {field.column for field in AuditEntry._meta.concrete_fields}

    assert columns - set(FLIPS) == {"n"}  # the gaps below


@pytest.mark.parametrize(
    ("statement", "n", "what"),
    [
        ("DELETE FROM accounts_auditentry WHERE {here} AND n = 2", 3, "gap before this entry"),
        ("DELETE FROM accounts_auditentry WHERE {here} AND n = (SELECT max(n) FROM accounts_auditentry WHERE {here})", 6,
         "the head stands at 6, the last entry is 5"),
        ("DELETE FROM accounts_auditentry WHERE {here}", 1, "the last entry is 0"),
        ("UPDATE accounts_auditentry SET n = 9 WHERE {here} AND n = 6", 9, "gap before this entry"),
        ("UPDATE accounts_audithead SET hash = sha256('x') WHERE {here}", 6, "the head's hash"),
        ("DELETE FROM accounts_audithead WHERE {here}", None, "the chain has no head"),
    ],
)  # fmt: skip
def test_what_is_missing_is_located(
    world: World, chain: list[AuditEntry], statement: str, n: int | None, what: str
) -> None:
    assert len(chain) == 6

    tamper(statement.format(here=f"project_id = '{world.project.id}'"))

    found = verify_audit(world.project)
    assert (found.verdict, found.n) == ("tampered", n)
    assert what in found.what


@pytest.fixture(params=["origin", "replica"])
def as_replication(request: pytest.FixtureRequest, chain: list[AuditEntry]) -> Iterator[Any]:
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SELECT set_config('session_replication_role', %s, true)", [request.param])
        yield cursor


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE accounts_audithead SET n = n - 1",
        "UPDATE accounts_audithead SET hash = sha256('x')",
        "DELETE FROM accounts_audithead",
        "TRUNCATE accounts_audithead",
        "INSERT INTO accounts_auditentry (n, actor, action, target, at, prev_hash, hash) "
        "VALUES (77, 'x', 'x.y', '', now(), sha256('x'), sha256('x'))",
    ],
)
def test_the_database_refuses_a_way_around(as_replication: Any, statement: str) -> None:
    with pytest.raises(DatabaseError) as refused, transaction.atomic():
        as_replication.execute(statement)

    assert getattr(refused.value.__cause__, "sqlstate", None) == "CX403"


def test_python_refuses_too(chain: list[AuditEntry]) -> None:
    for change in (chain[0].save, chain[0].delete, lambda: AuditEntry.objects.create(actor="x", action="x.y")):
        with pytest.raises(TypeError):
            change()


def test_the_function_is_not_everybody_s(db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT has_function_privilege('public', oid, 'EXECUTE'), array_to_string(proconfig, ' ') "
            "FROM pg_proc WHERE proname = 'accounts_audit_append'"
        )
        assert cursor.fetchall() == [(False, "search_path=pg_catalog, public, pg_temp")]


def test_writers_of_one_chain_leave_no_gap(committed_db: CommittedDatabase) -> None:
    world = build_world()
    before = AuditEntry.objects.filter(project=world.project).count()
    start = threading.Barrier(6)

    def write(writer: int) -> None:
        start.wait()
        try:
            for number in range(10):
                record(project=world.project, actor=f"writer {writer}", action="thing.happened", target=str(number))
                record(project=None, actor=f"writer {writer}", action="thing.happened", target=str(number))
        finally:
            connection.close()

    writers = [threading.Thread(target=write, args=(number,)) for number in range(6)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()

    found = {one.chain: one for one in verify_audits()}
    assert {one.verdict for one in found.values()} == {"verified"}
    assert (found["wonderland"].entries, found[""].entries) == (before + 60, 60)
    times = list(AuditEntry.objects.filter(project=world.project).order_by("n").values_list("at", flat=True))
    assert times == sorted(times)


def test_a_read_is_written_once_in_ten_minutes_by_person_and_session(world: World) -> None:
    first, second = uuid4(), uuid4()
    readings = [(world.alice, first), (world.alice, first), (world.bob, first), (world.alice, second)]

    for user, session_id in readings:
        note_read(user=user, session_id=session_id, project=world.project, page="sessions:detail")

    found = AuditEntry.objects.filter(action="transcript.read").order_by("n")
    assert [(entry.actor, entry.target) for entry in found] == [
        ("user:alice", f"session:{first}"),
        ("user:bob", f"session:{first}"),
        ("user:alice", f"session:{second}"),
    ]


def test_after_ten_minutes_a_read_is_written_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    session_id = uuid4()
    note_read(user=world.alice, session_id=session_id, project=world.project)
    later = timezone.now() + timedelta(minutes=10, seconds=1)
    monkeypatch.setattr("django.utils.timezone.now", lambda: later)

    assert note_read(user=world.alice, session_id=session_id, project=world.project) is not None


def test_two_readings_at_once_leave_one_entry(committed_db: CommittedDatabase) -> None:
    world, session_id = build_world(), uuid4()
    start = threading.Barrier(4)

    def read() -> None:
        start.wait()
        try:
            note_read(user=world.alice, session_id=session_id, project=world.project)
        finally:
            connection.close()

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()

    assert AuditEntry.objects.filter(action="transcript.read").count() == 1
