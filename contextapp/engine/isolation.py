"""Quotes untrusted text: a fence whose boundary nobody can guess and the content can't contain. Never changes a word of what it
quotes beyond the tags that imitate a fence."""

from __future__ import annotations

import hashlib
import hmac
import re
import unicodedata

from contextapp.engine.injection.signals import Finding, scan
from contextapp.engine.observations.text import clean

_WORD = "untrusted"
# Characters that a reader, or a tokenizer, may take for the opening of a tag.
_OPENINGS = "<\uff1c\ufe64\u2039\u3008\u27e8\u2329\u00ab\u276e\u1438\u02c2\u300a"
_OPENING = re.compile(f"[{_OPENINGS}]")
# Letters of other scripts that look like those of the word.
_LOOKALIKES = str.maketrans("υսոптгѕеԁṭυтεѵսрⲟꭎ", "uunntrsedtuteuupou")
_LABEL_CHARS = 120
_INVISIBLE = frozenset({"Cf", "Mn", "Me", "Cc", "Zs", "Zl", "Zp", "Cn", "Co"})


def boundary(text: str, *, secret: bytes, session_id: str) -> str:
    """Repeatable and not guessable: the same content in the same session has the same boundary at every step, another
    content another one."""
    session = session_id.encode("utf-8", "surrogatepass")
    digest = hashlib.sha256(clean(text).encode()).digest()
    message = b"".join(len(part).to_bytes(8, "big") + part for part in (session, digest))
    return f"{_WORD}-{hmac.new(secret, message, hashlib.sha256).hexdigest()[:16]}"


def fence(text: str, *, secret: bytes, session_id: str, label: str) -> str:
    """The text between an opening and a closing tag of its own; tags in it that imitate a fence are made plain text."""
    quoted = clean(text)
    tag = boundary(quoted, secret=secret, session_id=session_id)
    return f'<{tag} source="{_label(label)}">\n{neutralise(quoted)}\n</{tag}>'


def _label(label: str) -> str:
    plain = "".join(character if character.isprintable() else " " for character in clean(label))
    plain = re.sub(f'[{_OPENINGS}>"&]', " ", plain)
    return " ".join(plain.split())[:_LABEL_CHARS]


def neutralise(text: str) -> str:
    """The text with the opening character of every imitated fence tag written as `&lt;`, in whatever spelling."""
    found = [match.start() for match in _OPENING.finditer(text) if _imitates(text, match.start() + 1)]
    if not found:
        return text
    parts, last = [], 0
    for position in found:
        parts += [text[last:position], "&lt;"]
        last = position + 1
    return "".join((*parts, text[last:]))


def _imitates(text: str, start: int) -> bool:
    """Whether what follows an opening character reads as the fence's word, invisible characters and slashes apart."""
    at = 0
    for index in range(start, len(text)):
        character = text[index]
        if character == "\n" and at == 0:
            continue
        if character in _OPENINGS:
            return False
        for folded in _fold(character):
            if at == 0 and folded in "/\\⁄∕":
                continue
            if folded != _WORD[at]:
                return False
            at += 1
            if at == len(_WORD):
                return True
    return False


def _fold(character: str) -> str:
    """As a lenient reader sees it: compatibility form, no accents, no case, nothing for what is not visible."""
    if character.isascii() and character.isalnum():
        return character.lower()
    decomposed = unicodedata.normalize("NFKD", character).casefold()
    seen = (part for part in decomposed if unicodedata.category(part) not in _INVISIBLE)
    return "".join(seen).translate(_LOOKALIKES)


__all__ = ["Finding", "boundary", "fence", "neutralise", "scan"]
