"""Lines that tell how a command ended: errors, failures, totals. What a cut must keep. Judges nothing itself."""

from __future__ import annotations

import re

from contextapp.engine.observations.text import first_line, head

_VERDICT = re.compile(
    r"\b(?:error|errors|fail|failed|failure|failures|fatal|panic(?:ked)?|exception|traceback|assert(?:ion)?(?:error)?"
    r"|undefined|denied|not found|cannot|aborted|segmentation fault|exit(?:ed)?(?: with)?(?: status| code)"
    r"|\d+ (?:\w+ )?pass(?:ed|ing)|(?:tests?|checks?) (?:have )?passed|ran \d+ tests?|tests?:|test result|build succeeded"
    r"|warnings?:)(?!\w)"
    r"|(?:Error|Exception)(?::|$)|^E\s{2,}|^(?:FAILED|ERROR|FAIL)\b|^(?:PASS|OK)\b\s*(?:\(.*\))?$|^--- FAIL|^={3,}.*={3,}$"
    r"|错误|失败|异常|通过|未找到|拒绝",
    re.I,
)
_ERROR = re.compile(r"error|fail|fatal|panic|exception|denied|not found|cannot|错误|失败|异常|拒绝", re.I)
_EXIT_CODE = re.compile(r"(?:exit(?:ed)?(?: with)?(?: status| code)?[: =]+|\[?exit code:?\s*)(-?\d{1,3})\b", re.I)


def is_verdict(line: str) -> bool:
    """Whether the line says how something ended; that one test of many passed is no such thing."""
    return bool(_VERDICT.search(line[:400]))


def is_error(line: str) -> bool:
    return bool(_ERROR.search(line[:400]))


def verdict_line(content: str, limit: int = 200) -> str:
    """The last line of the end that speaks of an error, else the first line that holds something."""
    lines = content[-8_000:].splitlines()
    for line in reversed(lines):
        stripped = line.strip()
        if stripped and _ERROR.search(stripped[:400]):
            return stripped if len(stripped) <= limit else head(stripped, limit - 1) + "…"
    return first_line(content[:8_000], limit)


def exit_code_in(content: str) -> int | None:
    """The exit code that harnesses write in words at the start or the end of an output."""
    for part in (content[:200], content[-300:]):
        found = _EXIT_CODE.search(part)
        if found:
            return int(found[1])
    return None
