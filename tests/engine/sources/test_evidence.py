from __future__ import annotations

from typing import Any

from contextapp.engine.builder import build
from contextapp.engine.policy import Policy
from contextapp.engine.reasons import Reason
from contextapp.engine.sources import evidence
from contextapp.engine.values import Trust
from tests.engine.builder.worlds import CharCounter, Log, inputs_of


def retrieved(*chunks: dict[str, Any]) -> Log:
    log = Log()
    log.user("how long is the timeout?")
    log.add("retrieval.completed", query="timeout", chunks=list(chunks))
    return log


def test_chunks_stand_by_score_and_are_quoted_with_their_number_path_title_and_lines() -> None:
    log = retrieved(
        {"path": "low.md", "text": "l", "score": 0.4},
        {"path": "docs/pay.md", "title_path": "Payments > Limits", "lines": "10-12", "text": "30 s", "score": 0.91},
    )

    found = evidence.collect(inputs_of(log.events), Policy())

    assert [source.fence_label for source in found] == [
        "[Source 1] docs/pay.md · Payments > Limits · lines 10-12 · score 0.91",
        "[Source 2] low.md · score 0.40",
    ]
    assert {source.trust for source in found} == {Trust.UNTRUSTED}


def test_each_chunk_that_stays_out_has_its_reason() -> None:
    log = retrieved(
        {"path": "a.md", "text": "a", "score": 0.19},
        {"path": "b.md", "text": "b", "score": 0.9, "permitted": False},
        {"path": "keys/c.pem", "text": "c", "score": 0.9},
        {"path": "d.md", "text": " ", "score": 0.9},
        {"path": "e.md", "text": "same", "score": 0.9},
        {"path": "f.md", "text": "same", "score": 0.8},
    )

    found = evidence.collect(inputs_of(log.events), Policy(deny_paths=("keys/*",)))

    assert {source.title: source.refusal for source in found} == {
        "e.md": None, "f.md": Reason.DUPLICATE, "b.md": Reason.NOT_PERMITTED, "keys/c.pem": Reason.NOT_PERMITTED,
        "d.md": Reason.EMPTY, "a.md": Reason.LOW_SCORE,
    }  # fmt: skip


def test_the_block_ends_with_what_was_excluded_and_the_rule_to_cite() -> None:
    log = retrieved({"path": "a.md", "text": "30 s", "score": 0.9}, {"path": "b.md", "text": "x", "score": 0.1})

    built = build(inputs_of(log.events), Policy(), CharCounter())

    assert built.request is not None
    blocks = [block for block in built.request.blocks if block.source_id.startswith("evidence:")]
    assert blocks[0].text.splitlines()[0].endswith('source="[Source 1] a.md · score 0.90">')
    assert blocks[-1].text == f"Excluded:\n- b.md: Retrieved with too low a score.\n{evidence.RULE}"
    assert built.header["sources"]["evidence"] == ["a.md"]  # type: ignore[index]


def test_only_the_newest_retrieval_counts() -> None:
    log = retrieved({"path": "old.md", "text": "old", "score": 0.9})
    log.add("retrieval.completed", query="again", chunks=[{"path": "new.md", "text": "new", "score": 0.9}])

    found = evidence.collect(inputs_of(log.events), Policy())

    assert [source.title for source in found] == ["new.md"]


def test_odd_chunks_are_left_alone() -> None:
    log = retrieved({"path": "a.md", "text": "a", "score": "high"}, {"text": "no path", "score": float("nan")})
    log.events[-1].payload["chunks"].append("no chunk")

    found = evidence.collect(inputs_of(log.events), Policy())

    assert [(source.title, source.refusal) for source in found] == [("a.md", None), ("chunk 2", None)]
