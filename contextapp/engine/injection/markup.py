"""Markup that forges a frame: our own fences, chat templates, comments for agents, images that carry data out (D10-D14)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from contextapp.engine.injection.detection import FLAG, HARD, Detection

_OWN = r"(?:untrusted|trusted|memory|evidence|quoted|fence|hints?|tool[-_ ]?result|context|policy)"
_PATTERNS: tuple[tuple[str, int, re.Pattern[str]], ...] = tuple(
    (name, weight, re.compile(pattern, re.I | re.S))
    for name, weight, pattern in (
        ("D10", HARD, rf"<\s*[/\\]\s*{_OWN}(?:[-\s][^>]{{0,80}})?>"),
        ("D10", HARD, r"<\s*untrusted-[0-9a-f]{4,}"),
        ("D10", HARD, r"<[^>\n]{0,80}\btrust\s*=\s*[\"']?\w"),
        ("D10", FLAG, rf"<\s*(?:{_OWN}|system|instructions?|user|assistant)\b[^>]{{0,80}}>"),
        (
            "D11",
            HARD,
            r"<\|(?!endoftext\|>)[\w ]{2,40}\|>|<\|endoftext\|>\s*(?:\n|<\||\w+\s*:)|\[/?INST\]|<</?SYS>>|"
            r"</?(?:tool_call|function_calls?|tool_use|invoke)\b[^>]{0,80}>",
        ),
        ("D11", HARD, r"\n[ \t]*\n[ \t]*(?:Human|Assistant|System|User)[ \t]*:"),
        ("D12", HARD, r"!\[[^\]\n]{0,80}\]\(\s{0,9}https?://[^)\s?&]{0,200}[?&][^)\s{<$%]{0,200}[{<$%][^)]{0,200}\)"),
        ("D12", HARD, r"<img\b[^>]{0,200}src\s*=\s*[\"']?https?://[^\"'>\s]*[?&][^\"'>]*[{$%<]"),
        (
            "D14",
            HARD,
            r"<!--(?:(?!-->).){0,400}?\b(?:agents?|assistants?|ai|llm|model|claude|gpt|copilot|codex|"
            r"gemini)\b(?:(?!-->).){0,400}?-->|"
            r"<!--(?:(?!-->).){0,200}?(?:代理|助手|智能体|模型|机器人|ai(?![a-z]))(?:(?!-->).){0,400}?-->",
        ),
        (
            "D14",
            HARD,
            r"<[a-z]+\b[^>]{0,200}style\s*=[^>]{0,200}(?:display\s*:\s*none|visibility\s*:\s*hidden|"
            r"font-size\s*:\s*0|opacity\s*:\s*0"
            r"(?![.\d])|color\s*:\s*(?:white|#fff\b|transparent))",
        ),
    )
)


def found(text: str, view: str = "text") -> Iterator[Detection]:
    if not any(mark in text for mark in "<[|\n"):
        return
    for name, weight, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            yield Detection(name, weight, match.start(), match.end(), view)
