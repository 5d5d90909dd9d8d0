"""C2SP signed notes with Ed25519: a text, an empty line, and signature lines. Reads no file and keeps no key.

A signature line is an em dash, the name of the key, and base64 of a four-byte key id followed by the signature. Other
tools may add lines of their own keys below ours; a line whose key is unknown is ignored, never trusted.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

ALGORITHM = b"\x01"  # Ed25519
_DASH = "\N{EM DASH} "
_ID_BYTES, _PUBLIC_BYTES = 4, 32


class NoteRefused(ValueError):
    """The text is no signed note, or no known key has signed it."""


@dataclass(frozen=True, slots=True)
class PublicKey:
    """Who signs, by name and 32 bytes; its text is `<name>+<key id>+<base64>`."""

    name: str
    key: bytes

    def __post_init__(self) -> None:
        if not self.name or "+" in self.name or any(character.isspace() for character in self.name):
            raise NoteRefused(f"key name {self.name!r} must have no space, no plus sign, and at least one character")
        if len(self.key) != _PUBLIC_BYTES:
            raise NoteRefused(f"an Ed25519 public key has {_PUBLIC_BYTES} bytes, this one {len(self.key)}")

    @property
    def id(self) -> bytes:
        return sha256(self.name.encode() + b"\n" + ALGORITHM + self.key).digest()[:_ID_BYTES]

    def text(self) -> str:
        return f"{self.name}+{self.id.hex()}+{base64.b64encode(ALGORITHM + self.key).decode()}"

    @classmethod
    def read(cls, text: str) -> PublicKey:
        name, _, rest = text.strip().partition("+")
        id_hex, _, encoded = rest.partition("+")
        raw = _decoded(encoded)
        if raw[:1] != ALGORITHM:
            raise NoteRefused(f"public key {text.strip()[:80]!r} is not an Ed25519 key of the form name+id+base64")
        found = cls(name, raw[1:])
        if found.id.hex() != id_hex:
            raise NoteRefused(f"key id {id_hex!r} does not belong to the key of {name!r}; it would be {found.id.hex()}")
        return found


@dataclass(frozen=True, slots=True)
class Signature:
    name: str
    key_id: bytes
    signature: bytes


@dataclass(frozen=True, slots=True)
class Note:
    """The signed text, which ends with a newline, and every signature below it."""

    text: str
    signatures: tuple[Signature, ...]


def public_key(name: str, private: Ed25519PrivateKey) -> PublicKey:
    return PublicKey(name, private.public_key().public_bytes_raw())


def sign(text: str, name: str, private: Ed25519PrivateKey) -> str:
    """The whole note. Ed25519 is deterministic: the same text and key give the same note."""
    if not text.endswith("\n") or "\n\n" in text:
        raise NoteRefused("the text of a note ends with a newline and holds no empty line")
    signature = private.sign(text.encode())
    encoded = base64.b64encode(public_key(name, private).id + signature).decode()
    return f"{text}\n{_DASH}{name} {encoded}\n"


def parse(note: str) -> Note:
    """Text and signatures, not checked."""
    text, mark, rest = note.rpartition("\n\n")
    if not mark or not rest.endswith("\n"):
        raise NoteRefused("a signed note is a text, an empty line, and at least one signature line")
    return Note(text + "\n", tuple(_signature(line) for line in rest[:-1].split("\n")))


def opened(note: str, keys: Iterable[PublicKey]) -> tuple[str, PublicKey]:
    """The text and the first known key that signed it. A bad signature of a known key is refused even beside a good one."""
    parsed = parse(note)
    known = {(key.name, key.id): key for key in keys}
    signer: PublicKey | None = None
    for signature in parsed.signatures:
        key = known.get((signature.name, signature.key_id))
        if key is None:
            continue
        try:
            Ed25519PublicKey.from_public_bytes(key.key).verify(signature.signature, parsed.text.encode())
        except InvalidSignature as error:
            raise NoteRefused(f"the signature of {key.name} ({key.id.hex()}) does not fit the text") from error
        signer = signer or key
    if signer is None:
        named = ", ".join(f"{found.name} ({found.key_id.hex()})" for found in parsed.signatures)
        raise NoteRefused(f"signed by {named}; no such key is known here")
    return parsed.text, signer


def _signature(line: str) -> Signature:
    name, _, encoded = line.removeprefix(_DASH).partition(" ")
    raw = _decoded(encoded)
    if not line.startswith(_DASH) or not name or len(raw) <= _ID_BYTES:
        raise NoteRefused(f"{line[:80]!r} is no signature line")
    return Signature(name, raw[:_ID_BYTES], raw[_ID_BYTES:])


def _decoded(encoded: str) -> bytes:
    try:
        return base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError) as error:
        raise NoteRefused(f"{encoded[:80]!r} is not base64") from error
