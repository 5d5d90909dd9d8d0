"""The tree hash against the roots that Certificate Transparency publishes, and proofs that must not be forgeable."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextapp.evidence import merkle

CT_LEAVES = [
    bytes.fromhex(entry)
    for entry in ("", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f")
]
CT_ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]


def recursive_root(entries: Sequence[bytes]) -> bytes:
    """The definition of RFC 6962 as it is written there, not as `merkle` computes it."""
    if not entries:
        return hashlib.sha256(b"").digest()
    if len(entries) == 1:
        return hashlib.sha256(b"\x00" + entries[0]).digest()
    split = 1 << ((len(entries) - 1).bit_length() - 1)
    return hashlib.sha256(b"\x01" + recursive_root(entries[:split]) + recursive_root(entries[split:])).digest()


@pytest.mark.parametrize("size", range(1, 9))
def test_the_published_roots_hold(size: int) -> None:
    assert merkle.root(CT_LEAVES[:size]).hex() == CT_ROOTS[size - 1]


def test_an_empty_set_has_the_root_of_nothing() -> None:
    assert merkle.root([]) == hashlib.sha256(b"").digest()


@given(st.lists(st.binary(max_size=8), max_size=40))
def test_the_root_is_that_of_the_definition(entries: list[bytes]) -> None:
    assert merkle.root(entries) == recursive_root(entries)


@given(st.lists(st.binary(max_size=8), min_size=1, max_size=40), st.data())
def test_every_leaf_proves_that_it_is_included_and_no_other_does(entries: list[bytes], data: st.DataObject) -> None:
    root = merkle.root(entries)
    index = data.draw(st.integers(0, len(entries) - 1))
    path = merkle.proof(entries, index)

    assert merkle.is_included(entries[index], index, len(entries), path, root)
    assert not merkle.is_included(entries[index] + b"x", index, len(entries), path, root)
    assert not merkle.is_included(entries[index], index, len(entries), (*path, bytes(32)), root)
    if path:
        assert not merkle.is_included(entries[index], index, len(entries), path[:-1], root)
        assert not merkle.is_included(entries[index], index, len(entries), (bytes(32), *path[1:]), root)


def test_a_proof_outside_the_tree_is_refused() -> None:
    assert not merkle.is_included(b"a", 1, 1, (), merkle.root([b"a"]))
    with pytest.raises(ValueError, match="leaf 1 is not in a tree of 1 leaves"):
        merkle.proof([b"a"], 1)


def test_an_inner_node_does_not_pass_as_a_leaf() -> None:
    left, right = (hashlib.sha256(b"\x00" + entry).digest() for entry in (b"a", b"b"))

    assert merkle.root([left + right]) != merkle.root([b"a", b"b"])


def test_the_order_in_which_heads_are_read_does_not_matter() -> None:
    heads = [merkle.KnownHead(UUID(int=number), number, bytes([number] * 32)) for number in range(1, 6)]

    assert merkle.heads_root(heads) == merkle.heads_root(heads[::-1])


@pytest.mark.parametrize(
    "changed",
    [
        merkle.KnownHead(UUID(int=9), 1, bytes(32)),
        merkle.KnownHead(UUID(int=1), 2, bytes(32)),
        merkle.KnownHead(UUID(int=1), 1, bytes([1] * 32)),
    ],
)
def test_every_part_of_a_head_is_in_its_leaf(changed: merkle.KnownHead) -> None:
    assert merkle.heads_root([changed]) != merkle.heads_root([merkle.KnownHead(UUID(int=1), 1, bytes(32))])


def test_a_session_stands_once_in_a_set() -> None:
    head = merkle.KnownHead(UUID(int=1), 1, bytes(32))

    with pytest.raises(ValueError, match="stands twice"):
        merkle.leaves([head, head])
