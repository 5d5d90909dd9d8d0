"""docs/ledger.md and the documents that doors hand out name the same fields."""

from __future__ import annotations

import re
from uuid import uuid4

from contextapp.config.local.places import PROJECT
from contextapp.contexts.selectors import ledger_json
from contextapp.contexts.services import build_step
from contextapp.engine.ledger import Row
from contextapp.eventlog.selectors import get_events
from tests.contexts.stories import live, recorded, says, two_turns
from tests.world import World


def first_cells() -> set[str]:
    text = (PROJECT / "docs" / "ledger.md").read_text(encoding="utf-8")
    return {name for cell in re.findall(r"^\|([^|]*)\|", text, re.MULTILINE) for name in re.findall(r"`(\w+)`", cell)}


def test_every_field_of_a_ledger_and_its_rows_is_described(world: World) -> None:
    observed = ledger_json(recorded(world, two_turns()).id, 3)
    row = Row("", "", "", 0, "", "none", "", "", 0, 0, "").to_dict()

    assert set(observed) | set(row) <= first_cells()
    assert first_cells() - set(row) - {"built", "observed", "simulated", "overflow"} == set(observed)


def test_every_field_of_the_event_of_a_build_is_described(world: World) -> None:
    session = live(world, says("Fix it."))
    build_step(session_id=session.id, build_id=uuid4(), actor="key:test")
    text = (PROJECT / "docs" / "ledger.md").read_text(encoding="utf-8")

    payload = get_events(session.id)[-1].payload

    assert [name for name in payload if f'"{name}"' not in text] == []
