"""The product's own log behind the interface of the conformance rules. Tampering is done as the owner of the tables."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db import connection, transaction

from contextapp.eventlog import services
from contextapp.eventlog.errors import EventLogError
from contextapp.eventlog.models import Event, Head, Payload
from contextapp.eventlog.values import Draft
from contextapp.evidence.chain import EventHeader
from tests.faults.stored import is_clean
from tests.faults.stores import Answer, Failed, Record, Refused
from tests.world import World

COLUMNS = tuple(EventHeader.__dataclass_fields__)


class RealStore:
    def __init__(self, world: World) -> None:
        self._world = world

    def open(self) -> UUID:
        return self._world.open_session().id

    def append(
        self, session: UUID, drafts: Sequence[Draft], *, expected_seq: int | None = None, fail: bool = False
    ) -> Answer:
        try:
            with transaction.atomic():
                found = services.append(session_id=session, drafts=drafts, actor="test", expected_seq=expected_seq)
                if fail:
                    raise Failed
        except EventLogError as error:
            raise Refused(str(error)) from error
        finally:
            if threading.current_thread() is not threading.main_thread():
                connection.close()
        seqs = tuple(stored.seq for stored in found.results)
        return Answer(seqs, tuple(stored.duplicate for stored in found.results), found.head_seq)

    def crash(self) -> None:
        """This connection dies without a word; what it had not committed is gone."""
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            [(pid,)] = cursor.fetchall()
        connection.close()
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s) WHERE %s <> pg_backend_pid()", [pid, pid])

    def rows(self, session: UUID) -> list[Record]:
        payloads = {payload.seq: payload for payload in Payload.objects.filter(session_id=session)}
        return [
            self._record(event, payloads.get(event.seq))
            for event in Event.objects.filter(session_id=session).order_by("seq")
        ]

    def _record(self, event: Event, payload: Payload | None) -> Record:
        columns = {name: getattr(event, name) for name in COLUMNS}
        binary = {name: bytes(value) for name, value in columns.items() if isinstance(value, memoryview)}
        salt, body = (None, None) if payload is None else (bytes(payload.salt), bytes(payload.body))
        return Record(EventHeader(**{**columns, **binary}), bytes(event.hash), salt, body)

    def head(self, session: UUID) -> tuple[int, bytes]:
        found = Head.objects.get(session_id=session)
        return found.head_seq, bytes(found.head_hash)

    def verify(self, session: UUID) -> bool:
        return is_clean(session)

    def erase(self, session: UUID) -> None:
        services.erase_session(session_id=session, reason="asked to", actor="test")

    def tamper(self, session: UUID, seq: int, **columns: Any) -> None:
        for name, value in columns.items():
            self._as_owner(
                f"UPDATE eventlog_event SET {name} = %s WHERE session_id = %s AND seq = %s", [value, session, seq]
            )

    def remove(self, session: UUID, seq: int, *, payload_only: bool = False) -> None:
        for table in ("eventlog_payload",) if payload_only else ("eventlog_payload", "eventlog_event"):
            self._as_owner(f"DELETE FROM {table} WHERE session_id = %s AND seq = %s", [session, seq])

    def _as_owner(self, statement: str, parameters: list[Any]) -> None:
        """Any: a value for a column of any type."""
        tables = ("eventlog_event", "eventlog_payload")
        with transaction.atomic(), connection.cursor() as cursor:
            for table in tables:
                cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER ALL")
            cursor.execute(statement, parameters)
            for table in tables:
                cursor.execute(f"ALTER TABLE {table} ENABLE TRIGGER ALL")
