"""Phrases that try to command whoever reads a memory (D15-D24, D34), in English and Chinese, some French. Weights, no verdict.

A phrase that is quoted as an example, or that forbids the thing, weighs less: rules about attacks are not attacks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from contextapp.engine.injection import combinations, deeds, habits, hints, lasting, needed, voices
from contextapp.engine.injection.detection import Detection
from contextapp.engine.injection.gates import weighed

_GAP = r"(?:[^.\n。！？]|\.(?=\S)){0,60}?"
_DROP = (
    r"(?:ignor(?:e|ing)|disregard(?:ing)?|forget|set\s+aside|overrid(?:e|es|ing)|overrul(?:e|ing)|bypass(?:ing)?|discard|dismiss|"
    r"abandon|neglect|(?:stop|quit|cease)\s+(?:following|obeying|applying)|"
    r"(?:do\s+not|don['’]?t|no\s+longer|never)\s+(?:follow|obey|apply|comply\s+with)|pay\s+no\s+attention\s+to|"
    r"supersed(?:e|es)|cancel|void|nullify)"
)
_EARLIER = (
    r"(?:previous|prior|earlier|above|preceding|foregoing|existing|original|initial|system|safety|security|developer|operator|"
    r"every|all|any|other|former|built-?in|default)"
)
_RULES = (
    r"(?:rules?|instructions?|guidelines?|prompts?|polic(?:y|ies)|directives?|directions?|constraints?|orders?|restrictions?|"
    r"guard\s?rails?|safeguards?|limitations?|commands?)"
)
_SECRETS = (
    r"(?:\.env\b|~?/?\.ssh|api[ _-]?keys?|passwords?|secrets?|credentials?|tokens?|private\s+keys?|environment\s+variables?|"
    r"conversations?|chat\s+(?:log|history)|(?:open|full|whole|entire)\s+thread|transcripts?|session\s+(?:log|contents?)|keys\b|"
    r"user\s+data|customer\s+data|source\s+code)"
)
_AWAY = r"(?:https?://|[\w.+-]+@[\w-]+\.|\bURL\b|\bwebhook\b|\bexternal\b|\bserver\b|[\w-]+\.(?:example|com|net|io|org|dev|sh|xyz)\b)"
_CHECKS = (
    r"(?:approvals?|confirmations?|permissions?(?:\s+(?:checks?|prompts?))?|sandbox(?:ing)?|(?:pre-?(?:push|commit)\s+)?hooks?|"
    r"safety\s+checks?|security\s+checks?|code\s+reviews?|reviews?|verification|signature\s+checks?|authentication|"
    r"allow[ -]?list|consent|prompts?)"
)
_SENDS = r"(?:send|upload|append|forward|post|exfiltrate|transmit|e-?mail|mail|leak|copy|paste|push|report|submit|attach|include)"
_ACTS = r"(?:call|run|send|forward|execute|invoke|open|fetch|post|upload|delete|approve|push|install|download|mail|email|transfer|use\s+the\s+\w+\s+tool)"

_SOURCES: tuple[tuple[str, int, str], ...] = (
    ("D15", 5, rf"\b{_DROP}\b\W+(?:\w+\W+){{0,4}}?{_EARLIER}\W+(?:\w+\W+){{0,3}}?{_RULES}\b"),
    (
        "D15",
        5,
        rf"\b{_DROP}\b\W+(?:\w+\W+){{0,3}}?{_RULES}\W+(?:\w+\W+){{0,3}}?(?:above|before|earlier|so\s+far|given|received)\b",
    ),
    (
        "D15",
        5,
        r"\b(?:are|is|as)\s+(?:now\s+)?your\s+(?:only|new|real|true|actual)\s+(?:instructions?|rules?|task|goal|orders?)\b",
    ),
    ("D15", 5, r"\btreat\b" + _GAP + r"\bas\s+(?:the|your|a)\s+(?:new\s+)?system\s+(?:prompt|message|instruction)"),
    (
        "D15",
        5,
        r"(?:忽略|无视|忘记|忘掉|抛开|抛弃|放弃|绕过|推翻|覆盖|不要再?(?:遵守|遵循|理会)|不再(?:遵守|遵循)|不必(?:遵守|理会)|无需遵守|别管|作废)"
        r".{0,12}?(?:之前|以上|上述|此前|先前|前面|上面|原有|系统|安全|所有|一切|全部|任何|既有|原来).{0,8}?"
        r"(?:指令|指示|规则|提示词?|要求|限制|约束|规范|设定|命令|策略)",
    ),
    (
        "D15",
        5,
        r"(?:只|仅)(?:需|要|能)?(?:听从|服从|遵循|执行)(?:本|这|以下|下面|此).{0,8}(?:要求|指令|指示|内容|命令|规则)",
    ),
    (
        "D15",
        5,
        r"\b(?:oublie[sz]?|ignore[sz]?|ne\s+tiens?\s+(?:plus\s+)?(?:pas\s+)?compte)\b.{0,40}\b(?:consignes?|instructions?|r[èe]gles?)\b"
        r".{0,20}(?:pr[ée]c[ée]dent|ant[ée]rieur|ci-dessus)",
    ),
    (
        "D16",
        4,
        r"\byou\s+are\s+(?:now|no\s+longer)\b"
        + _GAP
        + r"\b(?:mode|root|admin(?:istrator)?|unrestricted|restrictions?|jailbroken|dan|"
        r"bound|limited)\b",
    ),
    (
        "D16",
        4,
        r"\b(?:act|behave|respond|operate)\s+as\s+(?:an?\s+)?(?:root|admin(?:istrator)?|unrestricted|superuser|developer\s+mode)\b",
    ),
    (
        "D16",
        4,
        r"(?:^|\n)\s*(?:system|developer|operator)\s*:\s*(?:you|the\s+assistant|the\s+agent)\s+(?:must|shall|will|should|may|are)\b",
    ),
    (
        "D16",
        4,
        r"(?:你现在(?:是|处于|进入)|从现在(?:开始|起)[,，]?你(?:是|将|可以))"
        + r".{0,16}(?:模式|管理员|root|无限制|不受限|超级用户)",
    ),
    ("D17", 5, rf"\b{_SENDS}\b{_GAP}{_SECRETS}{_GAP}(?:to|at|into|in|via|on)\b{_GAP}{_AWAY}"),
    ("D17", 5, rf"\b{_SENDS}\b{_GAP}(?:to|into)\s+(?:https?://|[\w.+-]+@[\w-]+\.){_GAP}{_SECRETS}"),
    (
        "D17",
        5,
        rf"\b(?:append|add|put|embed|encode)\b{_GAP}(?:api[ _-]?keys?|tokens?|passwords?|secrets?|credentials?){_GAP}\b(?:to|into|in)\b{_GAP}\b(?:urls?|query|links?|hostnames?|dns)\b",
    ),
    (
        "D17",
        5,
        r"(?:环境变量|密钥|密码|口令|令牌|凭证|对话|会话|聊天记录|源代码|私钥|\.env|token|api\s*key).{0,16}"
        r"(?:发送?|上传|转发|附加|提交|传输|泄露|抄送)(?:到|至|给|往)",
    ),
    (
        "D18",
        4,
        r"\b(?:next\s+time|when(?:ever)?|once|if|as\s+soon\s+as|every\s+time|each\s+time|after)\b"
        + _GAP
        + r"\b(?:users?|someone|somebody|anyone|they|customer|person)\b"
        + _GAP
        + rf"\b(?:says?|asks?|mentions?|thanks?|confirms?|types?|repl(?:y|ies)|agrees?)\b(?:[^\n]){{0,60}}?\b{_ACTS}\b",
    ),
    (
        "D18",
        4,
        r"(?:以后|下次|今后|只要|每当|一旦|当|如果).{0,4}(?:用户|有人|对方|客户).{0,12}(?:提到|说|询问|问|回复|同意|确认|输入).{0,14}"
        r"(?:就|先|便|立即|立刻|马上|自动).{0,16}(?:发|运行|执行|调用|打开|上传|转|删|下载|安装|提交)",
    ),
    (
        "D19",
        4,
        r"\b(?:do\s+not|don['’]?t|never|without|avoid)\s+(?:ever\s+)?(?:tell(?:ing)?|mention(?:ing)?|inform(?:ing)?|reveal(?:ing)?|"
        r"report(?:ing)?|notify(?:ing)?|disclos(?:e|ing)|show(?:ing)?|log(?:ging)?)\s+(?:(?:to|about)\s+)?"
        r"(?:(?:the|any)\s+)?(?:reviewers?|operators?|auditors?|admins?|administrators?|anyone|anybody|it|this|that\s+you)\b",
    ),
    ("D19", 4, r"\b(?:keep|hide)\s+(?:this|it)\s+(?:secret|hidden|quiet|from)\b"),
    (
        "D19",
        4,
        r"(?:不要|别|切勿|勿|不得|无需|不必)(?:告诉|告知|提及|提到|通知|汇报|让).{0,6}(?:用户|审核|管理员|任何人|别人|操作员|这件事|此事)",
    ),
    (
        "D20",
        4,
        r"\b(?:permanent(?:ly)?\s*,?\s*(?:remember|store|in\s+all|for\s+all|rule|instruction)|remember\s+(?:this\s+)?permanently|"
        r"as\s+(?:a\s+)?(?:system|permanent|core)\s+(?:instruction|rule|prompt)|outranks?\b|takes?\s+precedence\s+over\s+(?:the\s+)?"
        r"(?:operator|user|system|safety|every|all)|(?:must|should|will)\s+survive\s+(?:every|any|all|each)\s+\w+|"
        r"(?:highest|top|absolute)\s+priority\s+(?:over|rule|instruction)|cannot\s+be\s+(?:overridden|revoked|removed))",
    ),
    (
        "D20",
        4,
        r"优先级最高|最高优先级|永久(?:生效|记住|有效|保留)|高于(?:系统|用户|管理员|一切|所有)|不可(?:撤销|覆盖|更改)的(?:指令|规则)",
    ),
    (
        "D21",
        4,
        rf"\b(?:skip(?:ping)?|disabl(?:e|ing)|bypass(?:ing)?|turn(?:ing)?\s+off|switch(?:ing)?\s+off|omit|suppress|circumvent|without|"
        rf"no\s+need\s+(?:for|to\s+ask\s+for)|auto-?approve|auto-?accept)\s+(?:\w+\s+){{0,3}}?{_CHECKS}\b",
    ),
    (
        "D21",
        4,
        rf"\b{_CHECKS}\s+(?:\w+\s+){{0,3}}?(?:(?:is|are)\s+)?(?:not\s+(?:needed|required|necessary)|unnecessary|obsolete|optional|waived|off)\b",
    ),
    ("D21", 4, r"--no-verify\b|--dangerously-[\w-]+|--yolo\b|\bchmod\s+777\b"),
    (
        "D21",
        4,
        r"\baccept\s+any\s+(?:domain|certificate|host|request|command)|\bapprove\s+(?:each|every|all|any)\s+(?:shell\s+)?(?:commands?|requests?)",
    ),
    (
        "D21",
        4,
        r"(?:不需要|无需|不用|不必|免去|跳过|关闭|禁用|绕过)(?:再次|再|任何|人工)?(?:确认|审批|批准|审核|授权|沙箱|权限检查|安全检查|验证|钩子)",
    ),
    (
        "D22",
        3,
        r"\b(?:already|standing|prior|blanket|explicit|full)\s+(?:approved|approval|consent(?:ed)?|permission|authori[sz](?:ed|ation)|"
        r"granted|agreed)\b",
    ),
    (
        "D22",
        3,
        r"\b(?:team\s+lead|security\s+team|admin(?:istrator)?s?|operators?|owners?|managers?|management|ciso|cto|maintainers?|anthropic|"
        r"openai|reviewers?|legal)\s+(?:has\s+|have\s+|already\s+|explicitly\s+){1,2}(?:approved|authori[sz]ed|allow(?:s|ed)?|granted|"
        r"confirmed|signed\s+off|permits?|permitted|agreed)\b",
    ),
    (
        "D22",
        3,
        r"\b(?:message|note|notice|reminder|order)\s+from\s+(?:the\s+)?(?:security|operator|admin|system|legal|platform|management|developers?)\b",
    ),
    (
        "D22",
        3,
        r"(?:已获|已得到|已经|已由|(?<!须)(?<!需)经)?(?<!须经)(?<!需经)(?:管理员|负责人|安全团队|主管|老板|领导|运维|项目经理)(?:已经?|都|均)?(?:批准|同意|授权|允许|许可)",
    ),
    (
        "D23",
        4,
        r"\b(?:curl|wget)\b[^\n|]{0,240}\|\s*(?:sudo\s+)?(?:ba|z|da|k)?sh\b|\b(?:iex|invoke-expression)\b[^\n]{0,80}\b(?:irm|iwr|downloadstring)\b",
    ),
    (
        "D23",
        4,
        r"--(?:extra-)?(?:index-url|registry|trusted-host)[= ]+http://|\bbase64\s+(?:-d|--decode|-D)\b[^\n|]{0,80}\|\s*(?:ba|z)?sh\b",
    ),
    ("D23", 4, r"\b(?:eval|exec)\s*\(?\s*[\"'`$(]{0,3}\s*(?:\$\(|`)?\s*(?:curl|wget)\b|<\(\s*(?:curl|wget)\b"),
    (
        "D34",
        1,
        r"\b(?:agents?|assistants?|ai|llms?|models?|claude|copilot|gpt|codex|gemini)\s+(?:reading|who\s+reads?|that\s+reads?|processing|parsing)\s+this\b",
    ),
    (
        "D34",
        1,
        r"\b(?:any|every|all|attention|dear|hey|note\s+to)\s+(?:the\s+)?(?:ai|llm|language\s+model|coding)?\s*(?:assistants?|agents?|models?)\b|^\s*(?:claude|assistant|agent|gpt|codex|gemini|copilot)\s*,",
    ),
    ("D34", 1, r"(?:读到|看到|阅读|处理)(?:本|这|此)(?:文|段|条|文件|内容|消息)的?(?:助手|模型|智能体|AI)"),
)
_TABLES = (*_SOURCES, *voices.SOURCES, *deeds.SOURCES, *lasting.SOURCES, *hints.SOURCES, *habits.SOURCES)


def _compiled(
    table: tuple[tuple[str, int, str], ...],
) -> tuple[tuple[str, int, re.Pattern[str], tuple[int, ...]], ...]:
    patterns = [(name, weight, re.compile(pattern, re.I)) for name, weight, pattern in table]
    return tuple((name, weight, pattern, needed.masks(pattern)) for name, weight, pattern in patterns)


PATTERNS, _HIDDEN = _compiled(_TABLES), _compiled(habits.HIDDEN)
_WHOLE_VIEWS = ("leet", "percent")  # of the whole text, most of which stands there as written
# From text nobody vouches for, praise of one product is an advertisement.
_PRAISE = re.compile(
    r"\b(?:always|only|must)\s+(?:recommend|prefer|suggest|choose|use|promote|mention)\b.{0,60}?\b(?:only|best|most\s+\w+|safest|first|"
    r"superior|number\s+one)\b|\bdescribe\s+(?:rivals?|competitors?|alternatives?)\b|(?:总是|始终|一律|只)(?:推荐|使用|选择).{0,24}(?:最好|唯一|最可靠|首选)",
    re.I,
)
_IMPERATIVE = re.compile(
    r"^\W*(?:please\s+|always\s+|never\s+|first\s+)?(?:add|always|append|approve|call|commit|copy|delete|disable|do|don['’]?t|download|execute|"
    r"fetch|follow|forget|forward|ignore|install|make|never|open|post|push|read|recommend|remember|remove|run|send|set|skip|stop|store|tell|treat|"
    r"upload|use|write)\b|^\W*(?:请|务必|必须|不要|总是|始终)",
    re.I,
)


def found(text: str, view: str = "text", *, is_gated: bool = True) -> Iterator[Detection]:
    """The heaviest hit of each signal. Decoded views are not gated: nobody encodes an example."""
    best: dict[str, Detection] = {}
    for start, end in needed.windows(text):
        marks = needed.present(text, start, end)
        for finding in _in_window(text, start, end, marks, view, is_gated):
            if finding.id not in best or finding.weight > best[finding.id].weight:
                best[finding.id] = finding
    yield from best.values()


def _in_window(text: str, start: int, end: int, marks: int, view: str, is_gated: bool) -> Iterator[Detection]:
    is_hidden = not is_gated and view.rpartition(".")[2] not in _WHOLE_VIEWS
    for name, weight, pattern, wanted in PATTERNS + _HIDDEN if is_hidden else PATTERNS:
        if not needed.may_match(wanted, marks):
            continue
        for match in pattern.finditer(text, start, end):
            value = weighed(text, match.start(), match.end(), weight) if is_gated else weight
            yield Detection(name, value, match.start(), match.end(), view)
    for finding in combinations.found(text[start:end], marks, view, is_gated=is_gated):
        yield replace(finding, start=finding.start + start, end=finding.end + start)


def praise(text: str) -> Iterator[Detection]:
    """D24: for untrusted lineage only."""
    match = _PRAISE.search(text)
    if match:
        yield Detection("D24", weighed(text, match.start(), match.end(), 3), match.start(), match.end())


def is_imperative(text: str) -> bool:
    """D26: some sentence of the text begins as a command does."""
    return any(_IMPERATIVE.search(sentence) for sentence in re.split(r"(?<=[.!?。！？;；\n])\s*", text))
