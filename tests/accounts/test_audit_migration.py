"""Entries from before the chain are numbered and hashed when it is installed, and verify from then on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.core.management import call_command
from django.db import connection

from contextapp.accounts.models import AuditEntry
from contextapp.accounts.services import record, verify_audits
from tests.world import build_world

if TYPE_CHECKING:
    from tests.databases import CommittedDatabase


@pytest.mark.slow
def test_old_entries_are_chained_in_their_order(committed_db: CommittedDatabase) -> None:
    world = build_world()
    call_command("migrate", "accounts", "0003", verbosity=0)
    with connection.cursor() as cursor:
        for number in range(3):
            cursor.execute(
                "INSERT INTO accounts_auditentry (project_id, actor, action, target, after, at) "
                "VALUES (%s, 'user:alice', 'thing.happened', %s, %s::jsonb, now())",
                [world.project.id if number else None, str(number), f'{{"b": {number}, "aa": "é"}}'],
            )

    call_command("migrate", "accounts", verbosity=0)
    record(project=world.project, actor="user:alice", action="thing.happened", target="after")

    assert {found.verdict for found in verify_audits()} == {"verified"}
    chain = list(AuditEntry.objects.filter(project=world.project).order_by("n"))
    assert [entry.n for entry in chain] == list(range(1, len(chain) + 1))
    assert [(entry.target, entry.after) for entry in chain[-3:]] == [
        ("1", {"aa": "é", "b": 1}),
        ("2", {"aa": "é", "b": 2}),
        ("after", None),
    ]
