"""Signed notes: the example that Go's note package publishes, and forgeries, which matter more than good ones."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from contextapp.evidence import signed_note
from contextapp.evidence.signed_note import NoteRefused, PublicKey

GO_KEY = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
GO_NOTE = (
    "If you think cryptography is the answer to your problem,\n"
    "then you don't know what your problem is.\n"
    "\n"
    "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
)
KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
OTHER = Ed25519PrivateKey.from_private_bytes(bytes(range(1, 33)))
NAME = "example.org/heads"
KNOWN = [signed_note.public_key(NAME, KEY)]
NOTE = signed_note.sign("one\ntwo\n", NAME, KEY)


def test_the_note_that_go_publishes_opens() -> None:
    text, signer = signed_note.opened(GO_NOTE, [PublicKey.read(GO_KEY)])

    assert text.startswith("If you think")
    assert (signer.name, signer.text()) == ("PeterNeumann", GO_KEY)


def test_what_is_signed_opens_with_its_key() -> None:
    assert signed_note.opened(NOTE, KNOWN) == ("one\ntwo\n", KNOWN[0])


@pytest.mark.parametrize(
    "forged",
    [
        NOTE.replace("two", "too"),
        NOTE.replace("one\ntwo\n", "one\ntwo\nthree\n"),
        signed_note.sign("one\ntwo\n", NAME, OTHER),  # the right name, another key
        signed_note.sign("one\ntwo\n", "example.org/other", KEY),  # the right key under another name
        NOTE.rstrip("\n"),
        NOTE.replace("— ", "- "),
        NOTE.partition("\n\n")[0] + "\n\n",
        "",
        "one\n",
    ],
)
def test_a_forged_note_is_refused(forged: str) -> None:
    with pytest.raises(NoteRefused):
        signed_note.opened(forged, KNOWN)


def test_a_witness_may_add_a_line_but_not_stand_in_for_us() -> None:
    witness = signed_note.sign("one\ntwo\n", "witness.example", OTHER).rpartition("\n\n")[2]

    assert signed_note.opened(NOTE + witness, KNOWN)[1] == KNOWN[0]
    with pytest.raises(NoteRefused, match="no such key is known here"):
        signed_note.opened("one\ntwo\n\n" + witness, KNOWN)


def test_a_bad_signature_of_a_known_key_is_refused_beside_a_good_one() -> None:
    bad = signed_note.sign("one\nother\n", NAME, KEY).rpartition("\n\n")[2]

    with pytest.raises(NoteRefused, match="does not fit the text"):
        signed_note.opened(NOTE + bad, KNOWN)


@pytest.mark.parametrize("text", ["", "no end", "an\n\nempty line\n"])
def test_a_text_that_would_read_ambiguously_is_not_signed(text: str) -> None:
    with pytest.raises(NoteRefused):
        signed_note.sign(text, NAME, KEY)


@pytest.mark.parametrize(
    "text",
    [
        GO_KEY.replace("c74f20a3", "c74f20a4"),
        GO_KEY.replace("PeterNeumann", "Peter"),
        GO_KEY.replace("+AR", "+BR"),
        "a b+00000000+AQ==",
        "nothing",
    ],
)
def test_a_public_key_that_does_not_fit_its_id_is_refused(text: str) -> None:
    with pytest.raises(NoteRefused):
        PublicKey.read(text)
