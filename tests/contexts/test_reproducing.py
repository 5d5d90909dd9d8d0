"""A repeated build compares what memory was ranked from, and names the part that is not the same."""

from __future__ import annotations

from uuid import uuid4

from contextapp.contexts.models import Ledger
from contextapp.contexts.services import build_step, reproduce
from contextapp.contexts.values import BuildOutcome
from contextapp.memory.models import MemoryRevision
from tests.contexts.stories import live, says
from tests.world import World


def built_with(world: World, claim: str) -> tuple[BuildOutcome, MemoryRevision]:
    memory = MemoryRevision.objects.create(
        project=world.project, kind="fact", scope="global", claim=claim, shown=claim, source="wiki", state="approved",
        proposed_by="user:alice",
    )  # fmt: skip
    session = live(world, says("Fix the parser test."))
    return build_step(session_id=session.id, build_id=uuid4(), actor="key:test"), memory


def test_a_claim_that_was_changed_behind_the_log_is_named_as_a_difference_in_ranking(world: World) -> None:
    made, memory = built_with(world, "The parser test lives in tests/parser.")
    MemoryRevision.objects.filter(id=memory.id).update(shown="The parser test lives in tests/other.")

    again = reproduce(made.ledger_id)

    assert (again.same_bytes, again.difference) == (False, "ranking")
    assert "records, word statistics" in again.detail


def test_a_changed_record_that_stayed_out_is_named_though_the_request_is_the_same(world: World) -> None:
    made, memory = built_with(world, "The logo is blue.")
    MemoryRevision.objects.filter(id=memory.id).update(shown="The logo is green.")

    again = reproduce(made.ledger_id)

    assert (again.same_bytes, again.difference) == (True, "ranking")


def test_a_ledger_with_an_id_of_the_older_form_or_none_is_reproduced_without_it(world: World) -> None:
    made, _memory = built_with(world, "The parser test lives in tests/parser.")
    ledger = Ledger.objects.get(id=made.ledger_id)

    for older in ({**ledger.header, "rankingSnapshot": "b573990ffa1ac4d4"}, {"tokenizer": ledger.header["tokenizer"]}):
        Ledger.objects.filter(id=made.ledger_id).update(header=older)
        again = reproduce(made.ledger_id)

        assert (again.same_bytes, again.difference) == (True, "")


def test_an_old_constraint_enters_a_build_of_a_crowded_project(world: World) -> None:
    rule = MemoryRevision.objects.create(
        project=world.project, kind="constraint", scope="global", claim="Never push to main.", source="wiki",
        shown="Never push to main.", state="approved", proposed_by="user:alice",
    )  # fmt: skip
    MemoryRevision.objects.bulk_create(
        MemoryRevision(
            project=world.project, kind="fact", scope="global", state="approved", claim=f"crowd {number}",
            shown=f"crowd {number}", source="a", proposed_by="agent:a", content_key=number.to_bytes(8),
        )
        for number in range(1_001)
    )  # fmt: skip
    session = live(world, says("Fix the parser test."))

    made = build_step(session_id=session.id, build_id=uuid4(), actor="key:test")

    assert made.request is not None
    assert any("Never push to main." in block.text for block in made.request.blocks)
    assert rule.uses.exists()
    assert reproduce(made.ledger_id).same_bytes
