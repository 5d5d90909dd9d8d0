"""Which reads a later read or edit of the same file supersedes."""

from __future__ import annotations

from contextapp.engine.projection.transcript import stale_reads
from tests.engine.logs import Fact, call, denied, result, transcript


def stale(*facts: Fact | tuple[Fact, Fact]) -> dict[int, int]:
    flat: list[Fact] = []
    for fact in facts:
        flat += fact if isinstance(fact[0], tuple) else [fact]  # type: ignore[list-item]
    return stale_reads(transcript(*flat).atoms)


def ran(name: str, **arguments: object) -> tuple[Fact, Fact]:
    return call("x", name, **arguments), result("x")


def test_a_later_read_or_edit_of_the_file_supersedes_a_read() -> None:
    assert stale(ran("Read", file_path="a.py"), ran("Read", file_path="./a.py")) == {1: 3}
    assert stale(ran("Read", file_path="a.py"), ran("Edit", file_path="a.py")) == {1: 3}
    assert stale(ran("Read", file_path="a.py"), ran("apply_patch", input="*** Update File: a.py\n")) == {1: 3}
    assert stale(ran("Bash", command="cat a.py"), ran("Read", path="a.py")) == {1: 3}


def test_another_file_or_a_search_supersedes_nothing() -> None:
    assert (
        stale(ran("Read", file_path="a.py"), ran("Read", file_path="b.py"), ran("Grep", pattern="x", path="a.py")) == {}
    )


def test_a_part_is_superseded_by_what_holds_it_only() -> None:
    assert stale(ran("Read", path="a", offset=1, limit=50), ran("Read", path="a", offset=200, limit=50)) == {}
    assert stale(ran("Read", path="a"), ran("Read", path="a", offset=200, limit=50)) == {}
    assert stale(ran("Read", path="a", offset=10, limit=5), ran("Read", path="a", offset=1, limit=50)) == {1: 3}
    assert stale(ran("view", path="a", view_range=[10, 20]), ran("view", path="a", view_range=[1, -1])) == {1: 3}
    assert stale(ran("Bash", command="sed -n 1,20p a"), ran("Bash", command="sed -n 5,9p a")) == {}
    assert stale(ran("Bash", command="sed -n 5,9p a"), ran("Bash", command="sed -n 1,20p a")) == {1: 3}
    assert stale(ran("Bash", command="head -5 a"), ran("Bash", command="tail -5 a")) == {}


def test_only_calls_that_succeeded_count() -> None:
    read = ran("Read", file_path="a.py")

    assert stale(read, call("x", "Edit", file_path="a.py"), result("x", is_error=True)) == {}
    assert stale(read, call("x", "Edit", file_path="a.py"), denied("x")) == {}
    assert stale(read, call("x", "Edit", file_path="a.py")) == {}


def test_a_chain_of_reads_points_each_to_the_next() -> None:
    assert stale(*[ran("Read", file_path="a.py")] * 3) == {1: 3, 3: 5}
