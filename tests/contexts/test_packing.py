from __future__ import annotations

import json
import zlib

from contextapp.contexts.packing import Body, pack_body, pack_state, unpack_body, unpack_state
from contextapp.engine.events import Event
from contextapp.engine.ledger import Ledger, Row
from contextapp.engine.projection.fold import project


def a_body() -> Body:
    rows = (
        Row(
            "event:3",
            "user_message",
            "transcript",
            6,
            "keep",
            "full",
            "user_message",
            "trusted",
            9,
            9,
            "exact",
            events=(3, 3),
            order=0,
        ),
        Row(
            "event:1",
            "tool_result",
            "transcript",
            6,
            "drop",
            "none",
            "stale",
            "untrusted",
            40,
            0,
            "exact",
            title="\ud800 行",
        ),
        Row("overhead", "overhead", "", 0, "keep", "full", "overhead", "fact", 4, 4, "exact"),
    )
    ledger = Ledger(rows, {"transcript": {"allotted": 100, "used": 9}}, 9, 4, 0, 13, 1_000, 7)
    return Body(ledger, (("ab" * 32, 9),), "exact", {"kind": "window_full"}, {"model": "m"}, {"step": 1})


def test_a_body_comes_back_equal() -> None:
    assert unpack_body(pack_body(a_body())) == a_body()


def test_the_same_body_has_the_same_bytes() -> None:
    assert pack_body(a_body()) == pack_body(a_body())


def test_a_body_of_another_version_stays_readable() -> None:
    """A column this version has not, and one that it has and the body lacks."""
    stored = json.loads(zlib.decompress(pack_body(a_body())))
    place = stored["columns"].index("detail")
    stored["columns"][place] = "mood"
    del stored["cached_prefix_tokens"]

    read = unpack_body(zlib.compress(json.dumps(stored).encode()))

    assert [row.detail for row in read.ledger.rows] == ["", "", ""]
    assert read.ledger.rows[0].source_id == "event:3"
    assert read.ledger.cached_prefix_tokens == 0


def test_a_state_comes_back_equal() -> None:
    state = project(
        [Event(1, "user.message", {"text": "别推送 \ud83d\ude00 never push"}), Event(2, "turn.completed", {})]
    )

    assert unpack_state(pack_state(state)) == state
