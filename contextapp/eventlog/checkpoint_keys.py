"""The signing key and the public keys beside it: files outside the database. Never makes a key where one was lost.

The private key is a PEM file (CHECKPOINT_KEY_FILE). `checkpoint_keys.txt` in DATA_DIR lists every public key there was, the
present one last, so that old checkpoints still verify after a rotation.
"""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings

from contextapp.eventlog.errors import CheckpointRefused
from contextapp.evidence import signed_note
from contextapp.evidence.signed_note import NoteRefused, PublicKey

PUBLIC_KEYS = "checkpoint_keys.txt"


@dataclass(frozen=True, slots=True)
class SigningKey:
    public: PublicKey
    private: Ed25519PrivateKey

    def sign(self, text: str) -> str:
        return signed_note.sign(text, self.public.name, self.private)


def known_keys() -> tuple[PublicKey, ...]:
    """Every public key of this installation, oldest first; empty before the first checkpoint."""
    path = public_keys_file()
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise CheckpointRefused(f"the public keys can't be read: {error}") from error
    try:
        return tuple(PublicKey.read(line) for line in lines if line.strip() and not line.startswith("#"))
    except NoteRefused as error:
        raise CheckpointRefused(f"{path} is damaged: {error}") from error


def signing_key(*, may_make: bool, origin: str = "") -> SigningKey:
    """The key that signs now. `may_make`: there is no checkpoint yet, so a first key may be made."""
    known = known_keys()
    private = _read_private()
    if private is None:
        if known or not may_make:
            raise CheckpointRefused(
                f"the signing key {settings.CHECKPOINT_KEY_FILE} is missing; put it back, "
                "or make a new one with `manage.py checkpoint --rotate-key`"
            )
        private = _make_private()
    if not known:
        name = origin or settings.CHECKPOINT_ORIGIN or f"contextapp/{secrets.token_hex(4)}"
        known = (_note(signed_note.public_key(name, private)),)
    found = signed_note.public_key(known[-1].name, private)
    if found != known[-1]:
        raise CheckpointRefused(
            f"the key in {settings.CHECKPOINT_KEY_FILE} ({found.id.hex()}) is not the one noted last in "
            f"{public_keys_file()} ({known[-1].id.hex()}); to sign with it from now on: `manage.py checkpoint --rotate-key`"
        )
    return SigningKey(found, private)


def rotate() -> tuple[PublicKey | None, PublicKey]:
    """Sign with another key from now on: the one that was put into the file, or a new one. Old public keys stay known."""
    known = known_keys()
    before = known[-1] if known else None
    name = before.name if before else settings.CHECKPOINT_ORIGIN or f"contextapp/{secrets.token_hex(4)}"
    private = _read_private()
    if private is None or signed_note.public_key(name, private) in known:
        private = _make_private()
    return before, _note(signed_note.public_key(name, private))


def public_keys_file() -> Path:
    return Path(settings.DATA_DIR) / PUBLIC_KEYS


def _read_private() -> Ed25519PrivateKey | None:
    path = Path(settings.CHECKPOINT_KEY_FILE)
    try:
        pem = path.read_bytes()
        found = serialization.load_pem_private_key(pem, password=None)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise CheckpointRefused(f"the signing key {path} can't be read: {error}") from error
    if not isinstance(found, Ed25519PrivateKey):
        raise CheckpointRefused(f"the signing key {path} is not an Ed25519 key")
    return found


def _make_private() -> Ed25519PrivateKey:
    path = Path(settings.CHECKPOINT_KEY_FILE)
    private = Ed25519PrivateKey.generate()
    pem = private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(pem)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        raise CheckpointRefused(f"the signing key {path} can't be written: {error}") from error
    return private


def _note(public: PublicKey) -> PublicKey:
    path = public_keys_file()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(f"{public.text()}\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise CheckpointRefused(f"the public keys {path} can't be written: {error}") from error
    return public
