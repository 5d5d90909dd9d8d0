"""Both hashes of the database against the published vectors; verification's own must stay an expression."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from tests.world import World

VECTORS = json.loads((Path(__file__).parents[2] / "docs" / "vectors.json").read_text(encoding="utf-8"))["vectors"]
CALL = (
    "SELECT {function}(%s::int, %s::uuid, %s::uuid, %s::bigint, %s::uuid, %s::text, %s::int, %s::text, "
    "%s::timestamptz, %s::timestamptz, %s::text, %s::uuid, %s::bytea, %s::int, %s::bytea)"
)
ORDER = (
    "hash_version", "project_id", "session_id", "seq", "event_id", "type", "schema_version", "visibility",
    "occurred_at", "recorded_at", "actor", "api_key_id", "payload_commit", "payload_len", "prev_hash",
)  # fmt: skip


@pytest.mark.parametrize("function", ["eventlog_event_hash", "eventlog_row_hash"])
@pytest.mark.parametrize("vector", VECTORS)
def test_the_published_vectors_hold_in_the_database(db: None, function: str, vector: dict[str, Any]) -> None:
    event = vector["event"]
    given = [bytes.fromhex(event[name]) if name in ("payload_commit", "prev_hash") else event[name] for name in ORDER]

    with connection.cursor() as cursor:
        cursor.execute(CALL.format(function=function), given)
        (found,) = cursor.fetchone()

    assert bytes(found).hex() == vector["hash"]


def test_the_hash_of_verification_is_taken_into_the_query(world: World) -> None:
    columns = ", ".join(name if name != "session_id" else "event.session_id" for name in ORDER)

    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (VERBOSE) SELECT eventlog_row_hash({columns}) FROM eventlog_event AS event")
        plan = "\n".join(line for (line,) in cursor.fetchall())

    assert "sha256" in plan
    assert "eventlog_row_hash" not in plan
