from __future__ import annotations

from uuid import uuid4

from contextapp.contexts import selectors
from contextapp.contexts.models import Block, Ledger
from contextapp.contexts.services import build_step, simulate_step, step_id_of
from tests.contexts.stories import live, recorded, says, two_turns
from tests.world import World


def test_observed_blocks_are_the_events_and_say_what_the_file_lacks(world: World) -> None:
    session = recorded(world, two_turns())

    saw = selectors.saw_blocks(session.id, 3)

    by_source = {block.source_id: block for block in saw.blocks}
    ledger = Ledger.objects.get(session=session, origin="observed", step_number=3)
    assert (saw.origin, saw.check, saw.total_blocks) == ("observed", "rebuilt_from_transcript", len(saw.blocks))
    assert by_source["event:3"].body.text == "Fix the parser test."
    assert by_source["event:4"].calls == (("c1", "Bash", "command: cat part1.txt"),)
    assert by_source["event:7"].trust == "untrusted"
    assert saw.not_in_file_tokens == ledger.residue["preamble"] + max(ledger.residue["unexplained"], 0) > 0


def test_simulated_blocks_are_built_again_and_compared(world: World) -> None:
    session = recorded(world, two_turns())
    made = simulate_step(step_id=step_id_of(session_id=session.id, number=3))

    same = selectors.saw_blocks(session.id, 3, origin="simulated")
    Ledger.objects.filter(id=made.ledger_id).update(request_sha256="0" * 64)
    changed = selectors.saw_blocks(session.id, 3, origin="simulated")

    assert (same.check, same.message) == ("same_bytes", "")
    assert changed.check == "different"
    assert changed.message
    assert sum(block.tokens for block in same.blocks) > 0
    assert [block.position for block in same.blocks] == list(range(1, same.total_blocks + 1))


def test_built_blocks_are_the_stored_ones(world: World) -> None:
    session = live(world, says("Fix it."))
    made = build_step(session_id=session.id, build_id=uuid4(), actor="key:test")

    saw = selectors.saw_blocks(session.id, 1)

    assert made.request is not None
    assert (saw.check, [block.digest for block in saw.blocks]) == (
        "recorded",
        [block.digest for block in made.request.blocks],
    )


def test_blocks_that_are_gone_are_named(world: World) -> None:
    session = live(world, says("Fix it."))
    build_step(session_id=session.id, build_id=uuid4(), actor="key:test")
    Block.objects.first().delete()  # type: ignore[union-attr]  # the build left some

    saw = selectors.saw_blocks(session.id, 1)

    assert (saw.check, saw.blocks) == ("unavailable", ())
    assert saw.message.startswith("1 of ")


def test_long_requests_come_in_pages(world: World) -> None:
    session = recorded(world, two_turns())
    whole = selectors.saw_blocks(session.id, 3)

    first = selectors.saw_blocks(session.id, 3, limit=2)
    second = selectors.saw_blocks(session.id, 3, first=3, limit=200)

    assert first.blocks + second.blocks == whole.blocks
    assert first.total_blocks == whole.total_blocks
