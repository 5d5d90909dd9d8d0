from __future__ import annotations

from contextapp.engine.request import workbench
from contextapp.engine.request.neutral import ModelRequest
from tests.engine.request.test_openai import BLOCKS


def test_every_block_is_shown_with_its_lane_role_part_and_source() -> None:
    text = workbench.render(ModelRequest("gpt", 500, BLOCKS))

    heads = [line for line in text.splitlines() if line.startswith("===")]
    assert heads[0] == "=== 1 · fact · system · safety · safety"
    assert len(heads) == len(BLOCKS)
    assert '-> read_file [c1] {"path":"a.py"}' in text
    assert "· answers c1" in heads[5]
