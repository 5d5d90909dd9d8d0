"""Finds sentences that forbid, demand or reserve something, in English and Chinese. Deterministic; what it finds is suspected,
never confirmed, and it would rather miss a sentence than take a description for an order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from contextapp.engine.observations.text import head
from contextapp.engine.projection.state import LINE_CHARS

SCANNED_CHARS = 20_000
MOST_FOUND = 20

PROHIBITION, APPROVAL, VERIFICATION, PREFERENCE = "prohibition", "approval", "verification", "preference"


@dataclass(frozen=True, slots=True)
class Found:
    text: str
    kind: str


_FENCED = re.compile(r"^(```|~~~).*?(?:^\1|\Z)", re.M | re.S)
_SENTENCE = re.compile(r"[^\n.!?;。！？；]+(?:[.!?](?!\s|$)[^\n.!?;。！？；]*)*[.!?;。！？；]*")
_BULLET = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)、])\s+(?P<line>\S.*)$")

# An order stands at the start of a clause, or after a word that opens one.
_CLAUSE = (
    r"(?:^|[,:—–(\"'*]\s*|\s-\s+|\b(?:please|and|but|so|then|also|just|or|note|ever|important|again|you|you must|you should"
    r"|now|ok|okay|just|remember|really|first|however|instead)\b[,:]?\s+)"
)
_DESCRIBES = (
    r"(?!\s+(?:know|understand|think|see|care|mind|worry|need|remember|get|have|believe|seem|work\w*(?!\s+(?:on|in|with)\b)|exist|did|does|was|were"
    r"|had|has|been|got|happen\w*)\b)"
)
_NOT = (
    r"(?:do\s+not|don['’]?t|never|must\s+not|mustn['’]t|may\s+not|shall\s+not|should\s+not|shouldn['’]t|avoid"
    r"|refrain\s+from)"
)

_EN_PROHIBITION = re.compile(
    rf"{_CLAUSE}(?:you\s+(?:must|should|may|can)\s+)?{_NOT}\b{_DESCRIBES}"
    r"|\b(?:must|should|shall)\s+(?:not|never)\s+(?!have\b)\w|\b(?:you|agents?|nobody|no\s+one)\s+may\s+(?:not|never)\s+\w"
    r"|\b(?:you\s+to\s+not|you\s+not\s+to|please\s+not(?:\s+to)?)\s+[a-z]+"
    r"|\b(?:keep|leave)\b.{1,60}\b(?:unchanged|untouched|alone|intact|as\s+(?:it|they)\s+(?:is|are)|as\s+is)\b"
    r"|\b(?:we|i)\s+(?:do\s+not|don['’]t)\s+want\s+(?:you\b|to\b|any\b)"
    r"|\bno\s+(?:one|code|file|change|commit|push|edit|new|more)\w*\s+(?:may|should|must|changes?|allowed|dependenc\w*)\b"
    r"|\b(?:is|are|it['’]s)\s+(?:strictly\s+)?(?:forbidden|prohibited|off[- ]limits|not\s+allowed)\b"
    r"|\bwithout\s+(?:changing|touching|modifying|editing|breaking|deleting|pushing|committing|adding)\b",
    re.I,
)
_EN_ONLY = re.compile(
    rf"{_CLAUSE}only\s+(?!(?:thing|one|problem|issue|reason|way|time|if\s+it)\b)[a-z]+"
    r"|\b(?:may|must|should|can)\s+only\b",
    re.I,
)
_EN_APPROVAL = re.compile(
    r"\b(?:ask|check\s+with|confirm\s+with|tell)\s+me\s+(?:first|before)\b|\bask\s+(?:first|before|for\s+(?:approval|permission))\b"
    r"|\bwait\s+(?:for|until)\s+(?:my|i|me|approval|confirmation)\b"
    r"|\bwithout\s+(?:my\s+)?(?:approval|permission|consent|confirmation|asking)\b|\b(?:needs?|requires?)\s+(?:my\s+)?approval\b",
    re.I,
)
_EN_DEMAND = re.compile(
    rf"(?<!\bi\s)(?<!\bit\s)(?<!\bthat\s)(?<!\bthis\s)(?<!\bthere\s)\bmust\b(?!\s+(?:have|['’]ve)\b)|{_CLAUSE}(?:always|make\s+sure|ensure|be\s+sure\s+to)\b|\b(?:you|it)\s+(?:have|has|need)\s+to\b",
    re.I,
)
_EN_VERIFY = re.compile(
    r"\b(?:tests?|verif\w+|lint\w*|type[- ]?check\w*|checks?\s+pass|ci|build\s+passes|coverage)\b", re.I
)

_ZH_CLAUSE = r"(?:^|[，、,：:（(\s]|请|但|而且|并且|也|都|就|先|你|千万|记住|注意|另外|以后|绝对)"
_ZH_PROHIBITION = re.compile(
    r"不要(?!紧)|不得(?!不|了|已)|禁止|严禁|切勿|请勿|不许|不准|不允许|不应该?|千万别|绝不能?|决不能?|不能(?:改|动|删|提交|推送|碰|破坏|影响)|保持.{0,20}不变"
    rf"|{_ZH_CLAUSE}(?:别(?!的|人|处|名|墅|称|管|说|扭|样)|勿|不可以?|不能(?!用|登|够|正常|访|打|运|显|连))"
)
_ZH_ONLY = re.compile(r"只能|只许|只准|只允许|仅限|仅允许|只(?:改|修改|用|使用|读|看|动|处理|需要?改|在)")
_ZH_APPROVAL = re.compile(
    r"先(?:问|跟|和|向|经过?)(?:我|一下我)|(?:经|等|得到|征得)我?(?:的)?(?:确认|同意|批准|许可|审批)"
    r"|(?:未经|没有?经过?|没有我的?).{0,6}(?:同意|批准|允许|许可|确认)|(?:同意|确认|批准)(?:之?后|了)?(?:再|才)"
)
_ZH_DEMAND = re.compile(r"必须|务必|一定要|始终|总是要|每次都要|确保|保证")
_ZH_VERIFY = re.compile(r"测试|验证|校验|检查通过|跑通|覆盖率|构建通过")


def find(text: str) -> tuple[Found, ...]:
    """Each sentence that holds an order, in order, with its kind; quoted code is not read."""
    plain = _FENCED.sub("\n", text[:SCANNED_CHARS])
    found: dict[str, Found] = {}
    for line in plain.splitlines():
        if line.lstrip().startswith((">", "|", "<", "$", "#!")):
            continue
        for sentence in _SENTENCE.findall(line):
            stripped = sentence.replace("**", "").strip(" \t-*+•>#")
            kind = kind_of(stripped)
            if kind:
                clipped = stripped if len(stripped) <= LINE_CHARS else head(stripped, LINE_CHARS - 1) + "…"
                found.setdefault(clipped.casefold(), Found(clipped, kind))
        if len(found) >= MOST_FOUND:
            break
    return tuple(found.values())[:MOST_FOUND]


def find_in_list(text: str) -> tuple[Found, ...]:
    """Bulleted lines of a trusted instruction file that hold a prohibition, an approval or a must; of a very long line its
    sentences."""
    plain = _FENCED.sub("\n", text[: 10 * SCANNED_CHARS])
    found: dict[str, Found] = {}
    for line in plain.splitlines():
        bullet = _BULLET.match(line)
        if not bullet:
            continue
        stripped = bullet["line"].strip()
        if len(stripped) > LINE_CHARS:
            found |= {item.text.casefold(): item for item in find(stripped)}
        elif kind := kind_of(stripped):
            found.setdefault(stripped.casefold(), Found(stripped, kind))
    return tuple(found.values())[: 2 * MOST_FOUND]


def readable_lines(text: str) -> Iterator[str]:
    """Lines of prose without their list marks; quoted code, quotations, tables and headings are not read."""
    for line in _FENCED.sub("\n", text).splitlines():
        stripped = line.strip()
        if stripped and not stripped.startswith((">", "|", "<", "$", "#")):
            bullet = _BULLET.match(line)
            yield (bullet["line"].strip() if bullet else stripped).replace("**", "")


def kind_of(sentence: str) -> str:
    """prohibition, approval, verification, preference, or empty where nothing is ordered."""
    if not sentence or len(sentence) > 2_000:
        return ""
    if _EN_APPROVAL.search(sentence) or _ZH_APPROVAL.search(sentence):
        return APPROVAL
    if _EN_PROHIBITION.search(sentence) or _ZH_PROHIBITION.search(sentence):
        return PROHIBITION
    if _EN_DEMAND.search(sentence) or _ZH_DEMAND.search(sentence):
        return VERIFICATION if _EN_VERIFY.search(sentence) or _ZH_VERIFY.search(sentence) else PREFERENCE
    if _EN_ONLY.search(sentence) or _ZH_ONLY.search(sentence):
        return PROHIBITION
    return ""


def language_of(text: str) -> str:
    """zh where Chinese characters carry the text, en where Latin letters do; empty for neither, and for Japanese."""
    sample = text[:4_000]
    han = sum("一" <= character <= "鿿" for character in sample)
    kana = sum("぀" <= character <= "ヿ" for character in sample)
    latin = sum(character.isascii() and character.isalpha() for character in sample)
    if kana > han // 4 and kana:
        return ""
    if han and han * 4 >= latin:
        return "zh"
    return "en" if latin >= 2 else ""
