"""The verifier that travels with a bundle: its signature check against vectors and a library, and what it refuses."""

from __future__ import annotations

import ast
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from hypothesis import given, settings
from hypothesis import strategies as st

from contextapp.evidence import merkle
from contextapp.evidence.standalone import verify

# RFC 8032, section 7.1: (public key, message, signature).
RFC_8032 = [
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
        "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
        "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
]


@pytest.mark.parametrize(("key", "message", "signature"), RFC_8032)
def test_published_signatures_fit(key: str, message: str, signature: str) -> None:
    given_key, text, made = (bytes.fromhex(one) for one in (key, message, signature))

    assert verify.signed(given_key, text, made)
    assert not verify.signed(given_key, text + b"x", made)
    assert not verify.signed(given_key, text, made[:-1] + bytes([made[-1] ^ 1]))


@settings(max_examples=15, deadline=None)
@given(st.binary(min_size=32, max_size=32), st.binary(max_size=200), st.integers(0, 511))
def test_it_agrees_with_the_library_on_good_and_bent_signatures(seed: bytes, message: bytes, bit: int) -> None:
    private = Ed25519PrivateKey.from_private_bytes(seed)
    key, signature = private.public_key().public_bytes_raw(), private.sign(message)
    bent = bytearray(signature)
    bent[bit // 8] ^= 1 << bit % 8

    assert verify.signed(key, message, signature)
    assert verify.signed(key, message, bytes(bent)) == _library(key, message, bytes(bent))


@pytest.mark.parametrize(
    "key", [bytes(31) + b"\xff", b"\xff" * 32, b"\x02" + bytes(31), bytes(32), b"\x01" + bytes(31)]
)
def test_a_key_that_is_no_point_or_of_small_order_signs_nothing(key: bytes) -> None:
    """With a key of small order one signature would fit every text."""
    assert not verify.signed(key, b"text", bytes(64))
    assert not verify.signed(key, b"text", b"\x01" + bytes(63))


def _library(key: bytes, message: bytes, signature: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


@given(st.integers(1, 40), st.data())
def test_proofs_of_the_product_lead_to_its_root(size: int, data: st.DataObject) -> None:
    entries = [bytes([number]) for number in range(size)]
    index = data.draw(st.integers(0, size - 1))
    path = merkle.proof(entries, index)

    assert verify.root_from(entries[index], index, size, path) == merkle.root(entries)
    assert verify.root_from(b"other", index, size, path) != merkle.root(entries)
    if path:
        assert verify.root_from(entries[index], index, size, path[:-1]) is None


def test_it_imports_nothing_but_the_standard_library() -> None:
    tree = ast.parse(Path(verify.__file__).read_text(encoding="utf-8"), feature_version=(3, 8))
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}

    assert names <= sys.stdlib_module_names
    assert {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)} <= {"__future__"}


def test_what_is_no_bundle_is_unusable(tmp_path: Path) -> None:
    (tmp_path / "text.zip").write_text("no zip")
    with zipfile.ZipFile(tmp_path / "empty.zip", "w"):
        pass
    bomb = tmp_path / "bomb.zip"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", b"0" * 50_000_000)

    for path in (tmp_path / "text.zip", tmp_path / "empty.zip", bomb, tmp_path / "absent.zip"):
        with pytest.raises(verify.Unusable):
            verify.verified(str(path))


def test_the_command_says_so_with_its_status(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, verify.__file__, str(tmp_path / "absent.zip")], capture_output=True, text=True, check=False
    )

    assert (done.returncode, "can't be opened" in done.stderr) == (64, True)
