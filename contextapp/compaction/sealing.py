"""Keeps an endpoint's key so that the database alone does not give it away."""

from __future__ import annotations

import base64

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

_INFO = b"contextapp.compaction.key.v1"


def seal(text: str) -> bytes:
    return _box().encrypt(text.encode()) if text else b""


def opened(sealed: bytes) -> str | None:
    """None where it was sealed under another SECRET_KEY: then it has to be given again."""
    if not sealed:
        return ""
    try:
        return _box().decrypt(bytes(sealed)).decode()
    except InvalidToken:
        return None


def _box() -> Fernet:
    derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=_INFO).derive(settings.SECRET_KEY.encode())
    return Fernet(base64.urlsafe_b64encode(derived))
