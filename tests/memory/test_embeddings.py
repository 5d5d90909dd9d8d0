"""Ranking by meaning as well as by words, where an endpoint is configured: stored for replay, and harmless when it fails."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings

from contextapp.contexts.services import build_step, reproduce
from contextapp.jobs.models import Job
from contextapp.memory import embedding
from contextapp.memory.models import MemoryEmbedding, MemoryRevision, MemoryState
from contextapp.memory.services import EMBED, embed_records, request_embedding
from contextapp.memory.services.embedding import EmbeddingFailed
from contextapp.memory.services.erasing import redact
from tests.compaction.endpoint import Endpoint, serving, status
from tests.contexts.stories import live, says
from tests.world import World

MEANING = {"car": [1.0, 0.0], "vehicle": [0.9, 0.1], "cake": [0.0, 1.0]}


def by_meaning(asked: Any) -> tuple[int, bytes]:
    def vector(text: str) -> list[float]:
        return next((made for word, made in MEANING.items() if word in text), [0.5, 0.5])

    data = [{"index": place, "embedding": vector(text)} for place, text in enumerate(asked["input"])]
    return 200, json.dumps({"data": data[::-1]}).encode()


@pytest.fixture
def on(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Endpoint], None]]:
    def switch(endpoint: Endpoint) -> None:
        monkeypatch.setattr(settings, "MEMORY_EMBEDDINGS_URL", endpoint.url)
        monkeypatch.setattr(settings, "OUTBOUND_ALLOW_HOSTS", [endpoint.host])

    yield switch
    embedding._queries.clear()


def approved(world: World, claim: str) -> MemoryRevision:
    return MemoryRevision.objects.create(
        project=world.project, kind="fact", scope="global", claim=claim, shown=claim, source="wiki",
        content_key=sha256(claim.encode()).digest(), state=MemoryState.APPROVED, proposed_by="user:alice",
    )  # fmt: skip


def entered(made: Any) -> str:
    assert made.request is not None
    return "\n".join(block.text for block in made.request.blocks)


def test_a_record_that_means_the_same_enters_though_it_shares_no_word(
    world: World, on: Callable[[Endpoint], None]
) -> None:
    approved(world, "Every vehicle is leased.")
    approved(world, "The cake recipe is secret.")
    session = live(world, says("Sell the car."))
    without = build_step(session_id=session.id, build_id=uuid4(), actor="key:test")

    with serving(by_meaning) as endpoint:
        on(endpoint)
        assert embed_records(project_id=world.project.id) == 2
        made = build_step(session_id=session.id, build_id=uuid4(), actor="key:test")

    assert "Every vehicle is leased." not in entered(without)
    assert "Every vehicle is leased." in entered(made) and "cake" not in entered(made)
    rows = [row for row in made.ledger["included"] if row["sourceKind"] == "memory"]
    assert "similarity 0.994" in rows[0]["detail"]


def test_a_build_is_repeated_from_the_similarities_it_stored(world: World, on: Callable[[Endpoint], None]) -> None:
    approved(world, "Every vehicle is leased.")
    session = live(world, says("Sell the car."))
    with serving(by_meaning) as endpoint:
        on(endpoint)
        embed_records(project_id=world.project.id)
        made = build_step(session_id=session.id, build_id=uuid4(), actor="key:test")

    MemoryEmbedding.objects.all().delete()

    assert reproduce(made.ledger_id).same_bytes


NO_LENGTH = b'{"data": [{"index": 0, "embedding": [0, 0]}]}'


@pytest.mark.parametrize(
    "answer", [status(500), status(200, b"no"), status(200, b'{"data": []}'), status(200, NO_LENGTH)]
)
def test_an_endpoint_that_fails_leaves_ranking_to_words(
    world: World, on: Callable[[Endpoint], None], answer: Callable[[Any], tuple[int, bytes]]
) -> None:
    approved(world, "The car is leased.")
    session = live(world, says("Sell the car that is leased."))

    with serving(answer) as endpoint:
        on(endpoint)
        made = build_step(session_id=session.id, build_id=uuid4(), actor="key:test")
        with pytest.raises(EmbeddingFailed):
            embed_records(project_id=world.project.id)

    assert "The car is leased." in entered(made)
    assert not MemoryEmbedding.objects.exists()


def test_a_question_is_embedded_once(world: World, on: Callable[[Endpoint], None]) -> None:
    approved(world, "Every vehicle is leased.")
    session = live(world, says("Sell the car."))
    with serving(by_meaning) as endpoint:
        on(endpoint)
        embed_records(project_id=world.project.id)
        for _ in range(3):
            build_step(session_id=session.id, build_id=uuid4(), actor="key:test")

        assert [len(asked["input"]) for asked in endpoint.seen] == [1, 1]  # the record, then the question


def test_off_is_off(world: World) -> None:
    approved(world, "Every vehicle is leased.")

    request_embedding(project_id=world.project.id)

    assert embed_records(project_id=world.project.id) == 0
    assert not Job.objects.filter(kind=EMBED).exists()


def test_a_redacted_record_keeps_no_vector(world: World, on: Callable[[Endpoint], None]) -> None:
    record = approved(world, "Every vehicle is leased.")
    with serving(by_meaning) as endpoint:
        on(endpoint)
        embed_records(project_id=world.project.id)

    redact(record, reason="asked")

    assert not MemoryEmbedding.objects.exists()


def test_vectors_of_another_model_are_made_anew_and_never_compared(
    world: World, on: Callable[[Endpoint], None]
) -> None:
    record = approved(world, "Every vehicle is leased.")
    MemoryEmbedding.objects.create(revision=record, model="older", vector=b"\0" * 12)

    with serving(by_meaning) as endpoint:
        on(endpoint)
        assert embed_records(project_id=world.project.id) == 1
        assert MemoryEmbedding.objects.get().model.endswith(endpoint.url)
