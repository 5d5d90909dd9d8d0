"""One way to cut text into tokens: English words, parts of identifiers and paths, and pairs of Chinese, Japanese and Korean
characters. Case, `_`, `-` and the kind of slash make no identifier another. Deterministic and without a dictionary; never
reads events and ranks nothing itself."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f"
_RUN = re.compile(rf"[{_CJK}]+|[^\W{_CJK}]+(?:(?:[-./:]|:?\\{{1,2}}|:/)[^\W{_CJK}]+)*")
_IS_CJK = re.compile(f"[{_CJK}]")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_JOINT = re.compile(r"[-./:]+")
_LINE = re.compile(r"(?<=\.)([a-z]\w*)(?::\d+){1,2}$")  # `api.py:42:7` is api.py, read at a line
_BACKSLASHES = re.compile(r"\\+")
_COMMON = frozenset(
    {
        "a", "an", "and", "are", "as", "at", "be", "but", "by", "can", "do", "does", "for", "from", "has",
        "have", "how", "i", "if", "in", "into", "is", "it", "its", "me", "my", "need", "new", "no", "not", "of",
        "on", "or", "our", "please", "so", "that", "the", "then", "there", "this", "to", "up", "us", "use",
        "user", "we", "what", "when", "with", "you", "your",
    }
)  # fmt: skip
_COMMON_ALONE = frozenset(
    "的了在是和跟与或把被将让给对从到向于就也都还又很不没有这那我你他她它们个些吗呢吧啊着过地得之其所以为因而但请看见用并里中上下"
)
TEXT_CHARS = 4_000
RUN_CHARS = 40  # longer ones are rarely seen twice
IDENTIFIER = "="  # in front of a token that is a whole identifier, path or the end of a path


@lru_cache(maxsize=16_384)
def tokens(text: str) -> tuple[str, ...]:
    """The tokens in the order of the text, each as often as it stands there."""
    found: list[str] = []
    for match in _RUN.finditer(unicodedata.normalize("NFKC", text[:TEXT_CHARS])):
        run = match.group()
        found += _of_run(run) if len(run) <= RUN_CHARS else _cut(run)
    return tuple(found)


def record_tokens(text: str) -> tuple[str, ...]:
    """Of a text that is looked for: its tokens, and each Chinese, Japanese or Korean character that a query may hold alone."""
    found = tokens(text)
    return (*found, *_single(found))


def _single(found: tuple[str, ...]) -> list[str]:
    pairs = [token for token in found if len(token) == 2 and _IS_CJK.match(token)]
    return list(dict.fromkeys(character for pair in pairs for character in pair if character not in _COMMON_ALONE))


def _cut(run: str) -> tuple[str, ...]:
    if _IS_CJK.match(run):
        return tuple(_pairs(run))
    slashed = _BACKSLASHES.sub("/", run)
    return (*_whole(slashed), *_words(slashed))


_of_run = lru_cache(maxsize=32_768)(_cut)  # a text is few words, many times


def _pairs(run: str) -> list[str]:
    if len(run) == 1:
        return [] if run in _COMMON_ALONE else [run]
    return [first + second for first, second in zip(run, run[1:], strict=False)]


def _words(run: str) -> list[str]:
    """The words, and of `PaymentGateway` and `payment_gateway` also the one that `PAYMENTGATEWAY` is."""
    found: list[str] = []
    for joined in _JOINT.split(run):
        words = [word for part in joined.split("_") for word in _CAMEL.split(part) if word]
        if len(words) > 1:
            found.append(_stem("".join(words).casefold()))
        parts = map(str.casefold, words)
        found += [_stem(part) for part in parts if len(part) > 1 and part not in _COMMON]
    return found


def _whole(run: str) -> list[str]:
    """An identifier however it is cased and joined, and of a path every end of it, so that `pay/api.py` meets
    `src/pay/api.py:42`."""
    if not is_identifier(run):
        return []
    parts = _LINE.sub(r"\1", run.casefold()).replace("_", "").replace("-", "").split("/")
    ends = ("/".join(parts[start:]) for start in range(len(parts)))
    return [IDENTIFIER + end for end in ends if end]


def is_identifier(run: str) -> bool:
    """snake_case, camelCase, dotted names and paths; no plain word and no hyphenated one."""
    return any(mark in run for mark in "_/.:\\") or bool(re.search("[a-z][A-Z]", run))


def identifiers(text: str) -> tuple[str, ...]:
    """The identifiers and paths in a text, as they are written there."""
    found = (match.group() for match in _RUN.finditer(text[:TEXT_CHARS]))
    return tuple(run for run in found if not _IS_CJK.match(run) and is_identifier(run))


def _stem(word: str) -> str:
    """Light: plurals and the endings of verbs, so that `tests failed` meets `failing test`; words that differ stay apart."""
    for ending, least in (("ing", 4), ("ed", 4)):
        if word.endswith(ending) and len(word) - len(ending) >= least:
            return word[: -len(ending)]
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and word[-2] not in "siu" else word
