"""Signals of text that tries to give orders: a dozen high-precision patterns in English and Chinese. A finding is a hint for a
person and a gate, not a verdict; text is never changed here."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from itertools import islice

SCANNED_CHARS = 200_000
MOST_FOUND = 50


@dataclass(frozen=True, slots=True)
class Finding:
    """`code` names the pattern; start and end are places in the text."""

    code: str
    start: int
    end: int


# Reminders that a harness itself puts into tool results, by SHA-256 of their exact text: Claude Code's note on malware in
# files it reads. Whoever repeats one word for word says nothing else; a changed word is a finding again.
HARNESS_REMINDERS = frozenset({"9e8ade1a83777a06936af14a6b5def3cd50332a3ee0f02fca253eb33f3211fd3"})
_REMINDER = re.compile(r"<system-reminder>\n(.{1,2000}?)\n</system-reminder>", re.S)

_ALL = r"(?:all\s+|any\s+)?(?:of\s+)?(?:the\s+|your\s+|my\s+|these\s+)?"
_BEFORE = r"(?:previous|prior|above|earlier|preceding|foregoing|existing|original|initial)"
_ORDERS = r"(?:instructions?|prompts?|rules?|directions?|guidelines?|messages?|commands?|context)"
_ZH_BEFORE = r"(?:以上|上述|之前|先前|此前|前面|上面|原有|原来|所有)(?:的|所有的?|全部的?)?(?:所有|全部|任何)?"
_ZH_ORDERS = r"(?:指令|指示|提示词?|规则|要求|命令|设定|内容)"

_IGNORE = r"(?:ignore|disregard|forget|override|bypass)"
_SECRETS = r"(?:api[ _-]?keys?|passwords?|secrets?|credentials|tokens?|private\s+keys?|env\s+file)"
_SAME_SENTENCE = r"(?:[^.\n]|\.(?=\S)){0,60}"

_SOURCES: tuple[tuple[str, str], ...] = (
    ("ignore_previous", rf"\b{_IGNORE}\s+{_ALL}{_BEFORE}\s+(?:\w+\s+)?{_ORDERS}\b"),
    ("ignore_previous", rf"\b{_IGNORE}\s+(?:everything|anything|all)\s+(?:\w+\s+)?(?:{_BEFORE}|before)\b"),
    (
        "new_instructions",
        r"\b(?:your|the)\s+(?:new|real|actual|updated|true)\s+(?:instructions?|task|goal|orders?)\s+(?:is|are)\b",
    ),
    ("new_instructions", r"^\W{0,8}(?:new|updated|important)\s+(?:system\s+)?instructions?\s*:"),
    (
        "role_change",
        r"\byou\s+are\s+(?:now|no\s+longer)\s+(?:a\b|an\b|the\b|in\b|dan\b|bound\b|unrestricted|free\b|jailbroken)",
    ),
    (
        "role_change",
        r"\b(?:act|behave|respond)\s+as\s+(?:if\s+you\s+(?:are|were|have)\s+)?(?:an?\s+)?"
        r"(?:unrestricted|jailbroken|root|dan)\b",
    ),
    ("role_marker", r"<\|(?:im_start|im_end|system|user|assistant|endoftext|start_header_id|eot_id)\|>"),
    (
        "role_marker",
        r"\[/?INST\]|<</?SYS>>|^\s*###\s*(?:system|instruction)\s*:\s*$|</?(?:system|system-reminder|system_prompt)\s*>",
    ),
    (
        "prompt_theft",
        r"\b(?:reveal|print|repeat|output|show|leak|send)\s+(?:me\s+)?(?:your|the)\s+(?:system|hidden|initial)\s+"
        rf"(?:prompt|{_ORDERS})\b",
    ),
    (
        "concealment",
        r"\b(?:do\s+not|don['’]t|never)\s+(?:tell|inform|mention|reveal|show)\s+(?:this\s+|it\s+|anything\s+)?(?:to\s+)?"
        r"the\s+user\b",
    ),
    (
        "exfiltration",
        rf"\b(?:send|post|upload|exfiltrate|forward)\b{_SAME_SENTENCE}\b{_SECRETS}\b{_SAME_SENTENCE}\bto\s+"
        r"(?:https?:|this\s+(?:url|address|server))",
    ),
    (
        "addressed_to_agent",
        r"\b(?:attention|note\s+to|message\s+for|instructions?\s+for)\s*:?\s+(?:all\s+|any\s+|the\s+)?"
        r"(?:ai|llm|language\s+model|assistant|agent)s?\b",
    ),
    ("ignore_previous", rf"(?:忽略|无视|忘记|忘掉|不要理会|不用理会|抛弃|绕过)(?:掉)?(?:你)?{_ZH_BEFORE}{_ZH_ORDERS}"),
    ("role_change", r"(?:你现在是|从现在(?:开始|起)[,，]?你(?:是|将|要扮演)|现在起你(?:是|将))"),
    ("new_instructions", r"(?:你的)?(?:新|真正|实际)的?(?:指令|任务|系统提示)(?:是|如下|：|:)"),
    (
        "prompt_theft",
        r"(?:输出|打印|告诉我|泄露|重复|显示|展示)(?:你|您)的?(?:系统提示词?|系统指令|初始指令|隐藏指令)",
    ),
    ("concealment", r"(?:不要|别|切勿|禁止)(?:告诉|告知|提醒|通知|让)用户"),
    ("invisible_text", r"[\U000e0020-\U000e007f]{4,}"),
    ("invisible_text", r"[\u202a-\u202e\u2066-\u2069]{2,}|[\u200b\u200c\u2060\ufeff]{8,}"),
)
_PATTERNS = tuple((code, re.compile(source, re.I | re.M)) for code, source in _SOURCES)

# Words that each pattern can't do without, one of every group: looking for words is quick, and most text lacks them.
_ORDER_WORDS = ("instruction", "prompt", "rule", "direction", "guideline", "message", "command", "context")
_IGNORE_WORDS = ("ignore", "disregard", "forget", "override", "bypass")
_BEFORE_WORDS = ("previous", "prior", "above", "earlier", "preceding", "foregoing", "existing", "original", "initial")
_SECRET_WORDS = ("key", "password", "secret", "credential", "token", "env")
_NEEDED: tuple[tuple[tuple[str, ...], ...], ...] = (
    (_IGNORE_WORDS, _BEFORE_WORDS, _ORDER_WORDS),
    (_IGNORE_WORDS, ("everything", "anything", "all"), (*_BEFORE_WORDS, "before")),
    (("instruction", "task", "goal", "order"), ("new", "real", "actual", "updated", "true")),
    (("instruction",), ("new", "updated", "important")),
    (("you",), ("now", "longer"), ("are",)),
    (("act", "behave", "respond"), ("unrestricted", "jailbroken", "root", "dan")),
    (("<|",), ("|>",)),
    (("inst]", "sys>>", "###", "<system", "</system"),),
    (("your", "the"), ("system", "hidden", "initial"), _ORDER_WORDS),
    (("user",), ("tell", "inform", "mention", "reveal", "show"), ("not", "don", "never")),
    (("send", "post", "upload", "exfiltrate", "forward"), _SECRET_WORDS, ("http", "url", "address", "server")),
    (("attention", "note", "message", "instruction"), ("ai", "llm", "model", "assistant", "agent")),
    (
        ("忽略", "无视", "忘记", "忘掉", "理会", "抛弃", "绕过"),
        ("指令", "指示", "提示", "规则", "要求", "命令", "设定", "内容"),
    ),
    (("现在",), ("你",)),
    (("新", "真正", "实际"), ("指令", "任务", "系统提示")),
    (("系统提示", "系统指令", "初始指令", "隐藏指令"),),
    (("用户",),),
    (("",),),
    (("",),),
)
_ASCII_PATTERNS = 12  # the others need characters that plain ASCII text does not have
_LIKE_ASCII = (("İ", "i"), ("ı", "i"), ("ſ", "s"))  # letters that `re.I` takes for these, and lowering does not


def _tried(text: str) -> list[tuple[str, re.Pattern[str]]]:
    """The patterns that can be in the text at all."""
    count = _ASCII_PATTERNS if text.isascii() else len(_PATTERNS)
    for letter, plain in () if text.isascii() else _LIKE_ASCII:
        text = text.replace(letter, plain)
    lowered = text.lower()
    return [
        pattern
        for pattern, needed in islice(zip(_PATTERNS, _NEEDED, strict=True), count)
        if all(any(word in lowered for word in words) for words in needed)
    ]


def scan(text: str) -> tuple[Finding, ...]:
    """Findings in the order of the text, overlapping ones of one code once. The first 200,000 characters are read."""
    read = text[:SCANNED_CHARS]
    reminders = _harness_reminders(read)
    found = {
        (match.start(), match.end(), code): Finding(code, match.start(), match.end())
        for code, pattern in _tried(read)
        for match in pattern.finditer(read)
        if not any(start <= match.start() and match.end() <= end + 1 for start, end in reminders)
    }
    kept: list[Finding] = []
    for finding in sorted(found.values(), key=lambda item: (item.start, -item.end, item.code)):
        if not any(finding.code == other.code and finding.start < other.end for other in kept[-8:]):
            kept.append(finding)
    return tuple(kept[:MOST_FOUND])


def _harness_reminders(text: str) -> list[tuple[int, int]]:
    """Places of reminders that are word for word a harness's own."""
    if "<system-reminder>" not in text:
        return []
    return [
        match.span()
        for match in _REMINDER.finditer(text)
        if hashlib.sha256(match.group(1).encode("utf-8", "replace")).hexdigest() in HARNESS_REMINDERS
    ]
