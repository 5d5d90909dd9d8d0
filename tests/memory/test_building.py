"""What a build is given where a project holds more records than it can weigh."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest

from contextapp.eventlog.models import Session
from contextapp.memory.models import MemoryRevision
from contextapp.memory.selectors import Asked, few_in_scope, revisions_in_scope
from contextapp.memory.selectors.building import REVISIONS_LIMIT
from contextapp.memory.services.indexing import index
from tests.world import World

NOW = datetime(2026, 12, 1, tzinfo=UTC)


def record(world: World, claim: str, **others: Any) -> MemoryRevision:
    given = {"kind": "fact", "scope": "global", "state": "approved", "source": "a", "proposed_by": "agent:a", **others}
    made = MemoryRevision.objects.create(
        project=world.project, claim=claim, shown=claim, content_key=uuid4().bytes, **given
    )
    index(made)
    return made


def crowd(world: World) -> None:
    """More newer approved records than a build is given."""
    MemoryRevision.objects.bulk_create(
        MemoryRevision(
            project=world.project, kind="fact", scope="global", state="approved", claim=f"crowd {number}",
            shown=f"crowd {number}", source="a", proposed_by="agent:a", content_key=number.to_bytes(8),
        )
        for number in range(REVISIONS_LIMIT + 1)
    )  # fmt: skip


def references(session: Session, *words: str, directories: tuple[str, ...] | None = None) -> list[str]:
    found = revisions_in_scope(session.project_id, session, Asked(words, NOW, directories))
    return [revision.reference for revision in found]


def test_an_old_constraint_is_given_whatever_is_newer(world: World) -> None:
    rule = record(world, "never push to main", kind="constraint")
    lapsed = record(world, "never push today", kind="constraint", valid_until=datetime(2026, 1, 1, tzinfo=UTC))
    coming = record(world, "never push then", kind="constraint", valid_from=datetime(2027, 1, 1, tzinfo=UTC))
    crowd(world)

    found = references(world.open_session())

    assert found[0] == rule.reference
    assert not {lapsed.reference, coming.reference} & set(found)
    assert len(found) == REVISIONS_LIMIT + 1


@pytest.mark.parametrize(
    ("claim", "word"),
    [
        ("retries live in src/pay/api.py", "=pay/api.py"),
        ("PaymentGateway retries", "paymentgateway"),
        ("支付网关三十秒", "网关"),
        ("支付网关三十秒", "秒"),
        ("it's a path\\name", "=path/name"),
    ],
)
def test_an_old_record_is_given_when_the_query_holds_one_of_its_words(world: World, claim: str, word: str) -> None:
    wanted = record(world, claim)
    crowd(world)
    session = world.open_session()

    assert wanted.reference in references(session, word, "it's")
    assert wanted.reference not in references(session, "nothing")


def test_an_old_record_of_another_directory_takes_no_place(world: World) -> None:
    here = record(world, "gateway", scope="directory", scope_key="/srv/shop/")
    there = record(world, "gateway", scope="directory", scope_key="/srv/other")
    crowd(world)

    found = references(world.open_session(), "gateway", directories=("/srv", "/srv/shop"))

    assert here.reference in found
    assert there.reference not in found


def test_all_are_given_and_nothing_is_asked_where_there_are_few(world: World) -> None:
    expected = {record(world, "one").reference, record(world, "two", state="candidate").reference}
    session = world.open_session()

    few = few_in_scope(session.project_id, session)

    assert few is not None and {revision.reference for revision in few} == expected
    assert set(references(session, "nothing")) == expected


def test_a_crowd_is_not_few(world: World) -> None:
    crowd(world)
    session = world.open_session()

    assert few_in_scope(session.project_id, session) is None
