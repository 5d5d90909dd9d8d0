"""Random neutral requests as a builder may order them, with everything that providers refuse in names, ids and arguments."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from contextapp.engine.request.neutral import Block, ModelRequest

TEXTS = st.sampled_from(
    ["fix it", "修好它", "a\n\nb", " padded ", "\n", "<tag>", "\x00", "家族👨‍👩‍👧‍👦", "fix it again"]
)
NAMES = st.sampled_from(["bash", "bash_2", "mcp:fs.read", "mcp:fs/read", "x" * 90, "", "工具"])
IDS = st.sampled_from(["a", "a_2", "", "bad id!", "b" * 90, "b" * 64])
ARGUMENTS = st.sampled_from(["{}", '{"path":"a.py"}', "[1]", "no json", '{"n":1E2}', '{"n":NaN}', '{"t":"\\ud800"}'])
SCHEMAS = st.sampled_from([{}, {"type": "object"}, {"type": "string"}, {"anyOf": [{"required": ["a"]}]}])


def _block(role: str, part: str, text: str, **fields: Any) -> Block:
    return Block(role=role, part=part, trust="fact", text=text, source_id="s", **fields)


@st.composite
def _front(draw: st.DrawFn) -> list[Block]:
    tools = draw(
        st.lists(st.builds(lambda n, s: {"name": n, "description": "d", "schema": s}, NAMES, SCHEMAS), max_size=4)
    )
    system = [_block("system", "instructions", text) for text in draw(st.lists(TEXTS, max_size=3))]
    listed = [_block("system", "tools", "", tools=(tool,)) for tool in tools]
    return [*system[:1], *listed, *system[1:]]


@st.composite
def _call_group(draw: st.DrawFn) -> list[Block]:
    calls = draw(st.lists(st.tuples(IDS, NAMES, ARGUMENTS), min_size=1, max_size=3))
    said = draw(st.one_of(st.just(""), TEXTS))
    results = [_block("tool", "transcript", draw(TEXTS), call_id=call_id) for call_id, _, _ in calls]
    return [_block("assistant", "transcript", said, calls=tuple(calls)), *draw(st.permutations(results))]


def _said(role: str, part: str = "transcript") -> st.SearchStrategy[list[Block]]:
    return TEXTS.map(lambda text: [_block(role, part, text)])


@st.composite
def requests(draw: st.DrawFn) -> ModelRequest:
    atoms = draw(st.lists(st.one_of(_said("user"), _said("assistant"), _call_group()), max_size=8))
    trailing = draw(st.lists(_said("user", "trailing"), max_size=3))
    blocks = [*draw(_front()), *(block for atom in [*atoms, *trailing] for block in atom)]
    return ModelRequest("model", draw(st.sampled_from([0, 1, 500])), tuple(blocks))
