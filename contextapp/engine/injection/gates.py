"""Whether a phrase is said or only spoken of: rules that forbid an act and tests that quote one are not orders. Pure; it
looks at one sentence and weighs, it never finds."""

from __future__ import annotations

import re

MENTION_CHARS = 60
AROUND_CHARS = 400  # what is looked at on either side, so that a long text costs no more per hit
MENTION_OFF = 3
_MENTION = re.compile(
    r"\b(?:phrases?|attacks?|attackers?|payloads?|examples?|scanners?|detectors?|tells?\s+(?:you|us|it)\s+to|"
    r"asks?\s+(?:you|us|it)\s+to|(?<!user\s)(?<!someone\s)(?<!owner\s)(?<!anyone\s)says?|"
    r"(?<!user\s)(?<!someone\s)mentions?|such\s+as|like|tests?\s+(?:feeds?|that)|quotes?|strings?|e\.g\.)\b|"
    r"[\"“'‘「『]$|攻击|例如|比如|若要求|要求.{0,2}$|样本|短语|字样|提示注入",
    re.I,
)
_SPEAKS_OF = re.compile(
    r"\b(?:tests?|fixtures?|examples?|detect(?:s|ed|ors?|ion)?|scanners?|samples?|phrases?|strings?|attack(?:s|"
    r"ers?)?|payloads?|corpus|catch(?:es)?|"
    r"flag(?:s|ged)?|rejects?|refuses?|blocks?|quarantin\w+|lint\w*|explains?|describes?|documents?|docs|"
    r"documentation|article|post|says?|warns?|"
    r"injections?|red[- ]team|malicious|regex|patterns?|rules?|literal|title|talk|chapter|sentence|words?|message|"
    r"quotes?|mentions?|column|label)\b|"
    r"样例|测试|示例|样本|例子|检测|识别|扫描|短语|字样|句|攻击|文档|注入|拒绝|拦截|用例|标题|文章|正则|夹具|报错|"
    r"字符串|引用|恶意|演示",
    re.I,
)
_QUOTED = re.compile(
    r"\"[^\"\n]{3,300}\"|“[^”\n]{2,300}”|(?<!\w)'[^'\n]{3,300}'(?!\w)|‘[^’\n]{2,300}’|`[^`\n]{3,300}`|"
    r"「[^」\n]{2,300}」|『[^』\n]{2,300}』|«[^»\n]{2,300}»"
)
_NO = (
    r"(?:never|do\s+not|don['’]?t|must\s+not|mustn['’]t|may\s+not|shall\s+not|should\s+not|should\s+never|"
    r"shouldn['’]t|cannot|can['’]?t|will\s+not|won['’]t|"
    r"does\s+not|doesn['’]t|(?:no\s+one|nobody|(?<!do\s)nothing|none)\b|no\s+\w+\s+(?:may|can|should|must|is|are|will)|"
    r"not\s+(?:be\s+)?(?:allowed|permitted)(?:\s+to)?|forbid(?:s|den)?|"
    r"prohibit(?:s|ed)?|refuses?|rejects?|blocks?|prevents?|avoid|instead\s+of|rather\s+than|warns?\s+against|"
    r"guards?\s+against|without\s+ever|"
    r"unacceptable|neither|are\s+not|is\s+not|disallow(?:s|ed)?|stop(?:s)?\s+(?:anyone|people)\s+from)"
)
_FORBIDS = re.compile(
    rf"\b{_NO}\b(?!\s+(?:hesitate|forget|fail|wait|worry|need|bother|ask|stop|mention|tell|log|report|"
    rf"about)\b)(?P<en>[^;\n]{{0,160}})$|"
    r"(?:不得|禁止|不要|切勿|不能|严禁|不可|不允许|不应|不会|绝不|永远不|勿|别|不准|不许|拒绝|防止|避免|而不是|而非|"
    r"任何人不)(?!忘|犹豫|再?问|询问|等|告诉|提)(?P<zh>[^。；\n]{0,50})$",
    re.I,
)
_PEOPLE_SAY = re.compile(  # a condition, not a quotation
    r"\b(?:users?|someone|somebody|anyone|anybody|owners?|customers?|reviewers?|they|he|she|you|person|"
    r"maintainers?)\s+(?:\w+\s+)?(?:says?|mentions?|asks?|quotes?|likes?)\b",
    re.I,
)
_CONTRAST = re.compile(
    r"\b(?:but|instead|however|then|simply|just|so)\b|,\s*(?:always|send|copy|post|upload|run|merge|use|forward|"
    r"paste|push|rather|and\s+then)\b|"
    r"但|而是|改为|然后|，(?:直接|请|先|再|把|将|就|一律|务必)",
    re.I,
)
_REFUSED = re.compile(
    r"^[^.;\n]{0,90}?\b(?:(?:is|are|be|was|were|gets?|will\s+be)\s+(?:\w+ly\s+)?(?:forbidden|prohibited|"
    r"not\s+(?:allowed|permitted)|disallowed|banned|rejected|refused|blocked|denied|never)|"
    r"must\s+not|may\s+not|must\s+never|violates?|fails?\s+the|is\s+an?\s+(?:bug|defect|incident|violation|attack|"
    r"error))\b|"
    r"^[^。；\n]{0,40}?(?:一律拒绝|被拒绝|会被拒|均?被禁止|属于违规|是违规|不被允许|应当?拒绝|须拒绝|不得|严禁|禁止|"
    r"会被拦截|将被拦截|算违规|会失败|会报错)",
    re.I,
)


def weighed(text: str, start: int, end: int, weight: int) -> int:
    """What is left of the weight: nothing of a quoted example or a forbidden act, less of what is only mentioned."""
    before, after = text[max(0, start - 200) : start], text[end : end + 120]
    if is_quoted(text, start, end) or is_forbidden(before) or _REFUSED.search(after):
        return 0
    spoken = _PEOPLE_SAY.sub(" ", before[-MENTION_CHARS:])
    return max(0, weight - (MENTION_OFF if _MENTION.search(spoken) else 0))


def is_forbidden(before: str) -> bool:
    """A negation governs the rest of its sentence, up to a word that turns it round."""
    match = _FORBIDS.search(re.split(r"[.!?。！？](?=\s|$|[\u4e00-\u9fff])|\n", before)[-1])
    return match is not None and _CONTRAST.search(match.group("en") or match.group("zh") or "") is None


def is_quoted(text: str, start: int, end: int) -> bool:
    """Inside quotation marks or a code span, in a text that speaks of tests, examples or attacks outside of them."""
    low = max(0, start - AROUND_CHARS)
    text, start = text[low : end + AROUND_CHARS], start - low
    spans = [match.span() for match in _QUOTED.finditer(text)]
    if not any(low <= start and start < high for low, high in spans):
        return False
    outside, last = "", 0
    for low, high in spans:
        outside, last = outside + text[last:low] + " ", high
    return _SPEAKS_OF.search(outside + text[last:]) is not None
