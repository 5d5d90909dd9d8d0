"""Whether a line of instructions plainly forbids or plainly asks for an act with consequences: pushing, committing, deploying.
Silent on anything qualified ("never push to main", "push only if"), since two such lines may both hold.
"""

from __future__ import annotations

import re

# Act -> its English verb, its Chinese one.
_ACTS = {
    "push": ("push", "推送"),
    "commit": ("commit", "提交"),
    "deploy": ("deploy", "部署"),
    "publish": ("publish", "发布"),
    "merge": ("merge", "合并"),
    "amend commits": ("amend", "修改提交"),
}
_OBJECT = r"(?:\s+(?:the\s+|your\s+|any\s+|my\s+)?(?:changes?|commits?|code|work|anything|branch(?:es)?|it))?"
_WHOLLY = r"(?:\s+(?:yourself|on your own|automatically|at all|ever))?\s*[.!。！]*$"
_EN_NO = (
    r"^(?:please\s+)?(?:you\s+)?(?:never|do\s+not|don['’]?t|must\s+not|must\s+never|should\s+not)\s+(?:git\s+)?{verb}"
)
_EN_YES = (
    r"^(?:please\s+)?(?:always\s+|must\s+|should\s+|make\s+sure\s+to\s+)?(?:git\s+)?{verb}"
    + _OBJECT
    + r"(?:\s+and\s+push)?"
    r"(?:\s+(?:after|immediately|automatically|often|when|once|as\s+soon\s+as|every\s+time|before\s+you\s+finish|frequently)\b.*"
    r"|\s*[.!]*)$"
)
_ZH_NO = r"^(?:请)?(?:不要|禁止|不得|严禁|请勿|绝不|永远不要)(?:自动|自行)?{verb}(?:代码|更改|改动|任何内容)?[。！.!]*$"
_ZH_YES = (
    r"^(?:请)?(?:必须|务必|始终|一定要|要)?(?:在?每次[一-鿿]{{0,6}}[之以]?后|完成后|提交后)?(?:都|立即|自动|马上|及时)+(?:要)?"
    r"{verb}[一-鿿]{{0,6}}[。！.!]*$"
)
_COMMAND = re.compile(r"^git\s|^[A-Za-z.!]+$")  # a line of a list of commands, or one word
_UNSURE = re.compile(
    r"\b(?:unless|without|until|only|if|except|ask|asked|may|can)\b|除非|未经|没有|只有|如果|询问|可以", re.I
)
_PATTERNS = tuple(
    (
        f"whether to {act}",
        (re.compile(_EN_NO.format(verb=verb) + _OBJECT + _WHOLLY, re.I), re.compile(_ZH_NO.format(verb=zh))),
        (re.compile(_EN_YES.format(verb=verb), re.I), re.compile(_ZH_YES.format(verb=zh))),
    )
    for act, (verb, zh) in _ACTS.items()
)


def side_of(line: str) -> tuple[str, str] | None:
    """(what it is about, `no` or `yes`); None for a line that says neither plainly."""
    if _UNSURE.search(line) or _COMMAND.match(line):
        return None
    for topic, forbids, asks in _PATTERNS:
        if any(pattern.search(line) for pattern in forbids):
            return topic, "no"
        if any(pattern.search(line) for pattern in asks):
            return topic, "yes"
    return None
