"""The text of a claim: its key, its language, what of it must be found in its evidence. Pure; reads no storage."""

from __future__ import annotations

import hashlib
import hmac
import re
import unicodedata
from uuid import UUID

from contextapp.engine.sources.relevance import identifiers

CLAIM_CHARS = 2_000  # refused beyond
GOOD_CHARS = 500  # flagged beyond
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_NEGATION = re.compile(
    r"\b(?:no|not|never|none|without|don['’]?t|doesn['’]?t|isn['’]?t|can['’]?t|cannot|won['’]?t|mustn['’]?t|shouldn['’]?t|"
    r"avoid|forbid(?:den)?|prohibit(?:ed)?)\b|不|没|未|勿|禁止|别|非|无需|避免",
    re.I,
)


def normalised(claim: str) -> str:
    """What two spellings of one claim share: compatibility form, no case, words only."""
    folded = unicodedata.normalize("NFKC", claim).casefold()
    return "".join(character for character in folded if character.isalnum())


def content_key(project_id: UUID, scope: str, scope_key: str, claim: str) -> bytes:
    """SHA-256 of scope and normalised claim. A claim of signs alone is keyed by its own text."""
    parts = (str(project_id), scope, scope_key.rstrip("/"), normalised(claim) or claim)
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).digest()


def claim_key(claim: str) -> bytes:
    """SHA-256 of the normalised claim, whatever its scope."""
    return hashlib.sha256((normalised(claim) or claim).encode("utf-8", "surrogatepass")).digest()


def rejection_print(secret: bytes, claim: str) -> bytes:
    """What is kept of a declined claim: nobody can read it, the same claim has the same print."""
    return hmac.new(secret, (normalised(claim) or claim).encode("utf-8", "surrogatepass"), hashlib.sha256).digest()


def language(claim: str) -> str:
    """`zh` when Han, kana or hangul are a fifth of the letters or more, else `en`: what the review page files it under."""
    letters = sum(character.isalpha() for character in claim)
    return "zh" if letters and len(_CJK.findall(claim)) * 5 >= letters else "en"


def is_negated(text: str) -> bool:
    return len(_NEGATION.findall(text)) % 2 == 1


def numbers(text: str) -> frozenset[str]:
    return frozenset(found.replace(",", "") for found in _NUMBER.findall(unicodedata.normalize("NFKC", text)))


def names(text: str) -> frozenset[str]:
    """Identifiers and paths, without case."""
    return frozenset(found.casefold().strip("./") for found in identifiers(text))


def missing_terms(claim: str, quotes: str) -> tuple[str, ...]:
    """Numbers, identifiers, paths of the claim that its quotes lack, and `negation` when only the claim denies something."""
    folded = quotes.casefold()
    missing = sorted(number for number in numbers(claim) - numbers(quotes))
    missing += sorted(name for name in names(claim) if name not in folded)
    if bool(_NEGATION.search(claim)) and not _NEGATION.search(quotes):
        missing.append("negation")
    return tuple(missing)


def likeness(one: str, other: str) -> float:
    """Jaccard over runs of three characters of the normalised texts: 1.0 for the same, 0.0 for nothing in common."""
    first, second = _threes(normalised(one)), _threes(normalised(other))
    if not first or not second:
        return float(normalised(one) == normalised(other) and bool(normalised(one)))
    return len(first & second) / len(first | second)


def _threes(text: str) -> frozenset[str]:
    return frozenset(text[at : at + 3] for at in range(len(text) - 2))
