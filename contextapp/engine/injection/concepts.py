"""What words mean in an order: acts, things and places, each a list of words in English and Chinese. No verdict, no gaps.

A concept is one alternation without a repeated gap, so looking for it takes time linear in the text.
"""

from __future__ import annotations

import re


def words(english: str, chinese: str = "") -> re.Pattern[str]:
    """English as whole words, spaces as any white space; Chinese anywhere."""
    spaced = " ".join(english.split()).replace("| ", "|").replace(" |", "|").replace(" ", r"\s+")
    return re.compile(
        rf"(?<![A-Za-z0-9_])(?:{spaced})(?![A-Za-z0-9_])" + (f"|(?:{''.join(chinese.split())})" if chinese else ""),
        re.I,
    )


CONCEPTS: dict[str, re.Pattern[str]] = {
    # what binds the agent
    "RULES": words(
        r"rules?|instructions?|guidelines?|guidance|prompts?|polic(?:y|ies)|directives?|constraints?|restrictions?|"
        r"safeguards?|"
        r"guard-?rails?|limits?|limitations?|protections?|standards?|conventions?|requirements?|commands?|boundaries|"
        r"AGENTS\.md|CLAUDE\.md|configured|said|told|wrote",
        "指令|指示|规则|提示|要求|限制|约束|规范|策略|政策|制度|准则|守则|设定|禁令|规定|配置|约定",
    ),
    "VOID": words(
        r"(?:no longer|not|never) (?:apply|applies|valid|binding|in (?:force|effect)|counts?|exists?|relevant|"
        r"matter)|(?:null and )?void|"
        r"obsolete|superseded|replaced|outdated|deprecated|withdrawn|revoked|rescinded|repealed|retired|lapsed|"
        r"expired|lifted|"
        r"cancell?ed|suspended|waived|invalid(?:ated)?|out of date|abolished|annulled|overruled|overridden|"
        r"overwritten|stale|"
        r"does not exist|do not exist|ceased?|scrapped|nullified|moot|history",
        "失效|作废|废止|废除|过期|过时|取代|替代|代替|取消|撤销|不再(?:适用|有效|生效|执行)|不适用|无效|不算数?|"
        "解除|(?:已|被|全部|统统)(?:覆盖|替换)|"
        "淘汰|停用|不存在|推翻|终止",
    ),
    "DISOBEY": words(
        r"(?:stop|quit|cease|refrain from) (?:applying|following|obeying|using|enforcing)|(?:no longer|need not|not|"
        r"never) (?:be )?(?:follow|"
        r"apply|obey|rely|relied|observe|observed|comply|heed|bind|bound)|disregard(?:ed)?|ignored?|forget|erase|"
        r"released? from|free(?:d)? from|"
        r"set aside|drop|abandon",
        "忽略|无视|忘记|忘掉|抛开|(?:不要|不再|不用|无需|不必|无须|停止|别)(?:再)?(?:遵守|遵循|理会|执行|参考|管|"
        "按)|当作?(?:它)?不存在|不受",
    ),
    "THIS": words(
        r"this (?:note|file|page|entry|memo|document|paragraph|text|message|line|readme|section|record|memory|block|"
        r"list|one|wiki|"
        r"comment|rule|instruction|item|preference|policy)|(?:paragraph|section|note|contents|rules|lines|text|"
        r"steps) (?:below|here)|below|"
        r"what follows|the following|use these|these instead|this one|from (?:now|here|today) on(?:wards)?|"
        r"as of (?:today|now)|starting today|from today",
        "本(?:文|条|备注|文件|说明|段|记录|页|笔记|规则|文档|消息|通知|记忆)|此(?:处|条|文|备注|文件|规则|记忆|"
        "后的)|这(?:条|段|一段|份|里|个|篇)|"
        "以下|下面|下列|下述|从今|从现在|今天起|即日起|现在起|该(?:条|记录|规则|记忆)",
    ),
    "ALL": words(
        r"all|every|everything|any|anything|whatever|each|entire|whole|previous|prior|earlier|preceding|existing|"
        r"original|above|"
        r"before (?:this|today|now|that)|so far|up to now|old",
        "所有|一切|全部|任何|之前|以前|先前|此前|上述|上面|原有|既有|旧的|从前|过去|原来|早先",
    ),
    "OVER_AGENT": words(
        r"security (?:guidance|rules?|restrictions)|system (?:prompt|message|instructions?|rules?)|operator(?:'s)?|"
        r"safety|your|you|developer (?:rules?|instructions?|prompt)|agents?|"
        r"assistants?|CLAUDE\.md|AGENTS\.md",
        "系统(?:提示|指令|消息|规则|设定)|运营方|安全(?:策略|规则|限制|规范|要求|政策)|你|操作员|开发者(?:规则|"
        "指令)|助手|代理|智能体|管理员",
    ),
    "BINDING": words(
        r"system prompt|(?:safety|security|operator['’]?s?|developer|your|the agent['’]s|"
        r"assistant) (?:\w+ )?(?:rules?|policy|policies|instructions?|restrictions?|"
        r"guidelines|guard-?rails|prompt|limits|constraints)",
        "系统提示词?|系统指令|运营方的?(?:规则|指令|限制|要求)|你的(?:规则|指令|限制|约束)|安全(?:规则|限制|红线|"
        "护栏)|助手的?(?:限制|规则|约束)",
    ),
    "PREVAIL": words(
        r"replace|takes? (?:the place|precedence|priority)|replaces?|overrules?|overrides?|prevails?|supersedes?|"
        r"outweighs?|outranks?|beats|trumps|wins|"
        r"(?:only|sole|single|authoritative|binding|valid|true|real) (?:policy|authority|rules?|source|"
        r"instructions?|one|guide|reference)|"
        r"instead|solely|only|exclusively|authoritative",
        "取代|替代|代替|优先于|凌驾|为准|高于|覆盖|唯一|只(?:需|要|看|听|按|认|遵)|仅(?:需|按|以|遵)|一律(?:按|以)",
    ),
    # speech about what was done
    "UNSAID": words(
        r"(?:do not|don['’]?t|never|avoid|must not|should not|shouldn['’]t|need not|no need to|without|not to|"
        r"neither|nor|refrain from|not|nobody|"
        r"skip)(?: (?:ever|to|be))? (?:tell(?:ing)?|mention(?:ing|ed)?|list(?:ing|ed)?|show(?:ing|n)?|report(?:ing|"
        r"ed)?|log(?:ging|ged)?|"
        r"record(?:ing|ed)?|disclos(?:e|ing|ed)|reveal(?:ing|ed)?|referenc(?:e|ing)|refer(?:ring)?|surfac(?:e|ing)|"
        r"document(?:ing)?|"
        r"bring(?:ing)? (?:it )?up|explain(?:ing)?|announc(?:e|ing)|inform(?:ing)?|notify(?:ing)?|alert(?:ing)?|"
        r"includ(?:e|ing)|appear|"
        r"acknowledg(?:e|ing)|display(?:ing)?|admit(?:ting)?|cit(?:e|ing)|repeat(?:ing)?|any reference)",
        "(?:不要|别|勿|切勿|不必|无需|不得|不用|不许|不能|请勿|不再|不)(?=(?:再|在.{0,14}?[里中]|让.{0,6})?(?:告诉|"
        "告知|写出?|提及|提到|提起|提|记录|记入|列出|列入|出现|"
        "显示|展示|包含|体现|通知|汇报|说明|透露|披露|知道|知情|知晓|报告|声张))",
    ),
    "OMIT": words(
        r"omit|leave|left|keep|kept|stays?|unmentioned|hide|hidden|exclude|drop|strip|suppress|conceal|withhold|"
        r"scrub|redact|mask|gloss over|bury",
        "省略|隐去|略去|隐藏|隐瞒|略过|跳过|去掉|抹去|掩盖|遮掩|瞒|不计入|不写进|不进入|只字不提|不体现|不留在",
    ),
    "REPORT": words(
        r"summar(?:y|ies)|(?:final |status |your )?reports?|pull requests?|PRs?|(?:PR|pull request|"
        r"commit) (?:description|message|text)s?|"
        r"change ?logs?|release notes|(?:audit )?logs?|audit trail|memor(?:y|ies) list|list of memories|"
        r"(?:stored )?memories|answers?|repl(?:y|ies)|"
        r"diff|hand-?over|transcripts?|explanations?|stand-?up",
        "总结|摘要|汇报|报告|日志|合并请求|拉取请求|提交(?:说明|信息|描述)|记忆(?:列表|清单)|更新日志|变更(?:记录|"
        "说明|日志)|回答|回复|记录里|审计",
    ),
    "DEED": words(
        r"this|it|that|these|(?:the|a|an|its|your|second|first|extra|new|any)(?: \w+)? (?:change|step|commit|upload|"
        r"call|dependency|deletion|"
        r"instruction|entry|rule|transfer|copy|note|memory|preference|run|edit|removal|script|token|backdoor|"
        r"download|part|"
        r"line|action|push|access)s?|where it came from|source of",
        "这|此|本条|该|它|真正|真实|实际|上传|新增|改动|操作|步骤|来源|指令|删除|传输|步",
    ),
    "AUDIENCE": words(
        r"users?|reviewers?|operators?|maintainers?|anyone|anybody|owners?|team|humans?|customers?|people|auditors?|"
        r"admins?|administrators?|"
        r"nobody|no one|them|someone|supervisors?",
        "用户|审核|管理员|任何人|别人|操作员|维护者|他人|客户|所有者|评审|人类|团队|负责人",
    ),
    "CONDITION": words(
        r"before|until|unless|succeeded|without checking|only if|yet", "之前|直到|除非|未完成|前不要|完成前|成功前"
    ),
    "ASKED": words(
        r"(?:when(?:ever)?|if|should) (?:\w+ )?(?:\w+ )?(?:asks?|asked|questioned|inquires?|wonders?|wants to know)|"
        r"asked (?:about|what|whether|why)",
        "(?:问起|问到|被问|追问|询问|若问|如问|有人问|用户问|问)",
    ),
    "CLAIM": words(
        r"say|claim|deny|state|answer that|answer with|reply that|tell (?:them|him|her|the user|the \w+)|insist|"
        r"pretend|assert|respond that|"
        r"call it|describe(?: \w+)*? as",
        "说|声称|谎称|否认|回答|回复|假装|称|答",
    ),
    "HARMLESS": words(
        r"only|just|merely|typos?|format(?:ting)?|cosmetic|routine|refactor(?:ing)?|clean-?up|nothing|no|none|never|"
        r"deny|minor|harmless|"
        r"white-?space|documentation|not|empty|fine|comment|style|maintenance|chore",
        "只是|仅仅?|没有|格式|无|否认|不存在|例行|重构|笔误|小改动|拼写|不知道|从未|注释|普通|常规|未",
    ),
    "MISSTATE": words(
        r"(?:describe|present|label|disguise|title|declare|call|name|word|phrase|pass|frame|write|"
        r"commit)(?=(?: \S+){1,6} (?:as|off as)(?!\w))|"
        r"claim(?: that)?|pretend(?: that)?|say(?: that)?",
        "写成|说成|说是|描述成|描述为|标为|标成|称为|伪装成|当成|记为|写作|命名为|谎称|声称|报告为|归为",
    ),
    "MASK": words(
        r"typos?|format(?:ting)?|cosmetic|routine|refactor(?:ing)?|clean-?up|minor|harmless|white-?space|"
        r"documentation(?: change)?|docs?|chore|"
        r"style|lint(?:ing)?|maintenance|dependency (?:bump|update)|test data",
        "格式|例行|重构|笔误|小改动|拼写|注释|常规|普通|文档|清理|维护|依赖升级",
    ),
    "PASSED": words(
        r"(?:as )?(?:successful|success|passed|passing|green|done|complete|completed|approved|reviewed|ok|"
        r"tests passed|all tests pass)",
        "成功|通过|完成|已批准|已审核|正常",
    ),
    "STATE": words(
        r"report|mark|declare|tell|say|claim|record|log|state|set|write|list|flag",
        "报告|标记|标为|汇报|声称|说|写|告诉|记录|显示",
    ),
    "REGARDLESS": words(
        r"even (?:when|if|though)|regardless|no matter|whatever the|whether or not|failing|failed|"
        r"without (?:running|having)|irrespective|"
        r"actually|in fact|did not run",
        "即使|即便|不管|无论|失败|哪怕|没有运行|未运行|实际|没跑|不论|尽管",
    ),
    "WIPE": words(
        r"delete|clear|remove|wipe|clean|erase|purge|truncate|scrub|shred|rewrite|unset",
        "清除|删除|抹去|清空|抹掉|销毁|清理|删掉|擦除",
    ),
    "TRACES": words(
        r"(?:shell |bash |command |git )?history|(?:audit |access )?logs?|traces?|tracks|evidence|audit (?:log|"
        r"trail|entry|entries)|log (?:lines?|entries)",
        "日志|痕迹|历史|审计|证据|记录",
    ),
    "UNSEEN": words(
        r"afterwards?|so (?:that )?(?:nobody|no one|nothing|it|they)|after (?:running|it|that|you)|nobody|no one|"
        r"notices?|noticed|when done|"
        r"behind you",
        "以免|避免|之后|不留|发现|以防|事后|完成后|执行后|后再?",
    ),
    "SECRETLY": words(
        r"secretly|covertly|quietly|discreetly|stealthily|in secret|unnoticed|"
        r"(?:do|perform|run|execute|apply|make|install|upload|push|send|continue)(?: \S+){0,5} silently|"
        r"silently (?:do|perform|run|execute|apply|"
        r"install|upload|push|send|add|copy|replace|switch|delete)|without (?:telling|informing|notifying|alerting|"
        r"asking) \w+|"
        r"without (?:the |any )?(?:user|owner|reviewer|operator|anyone|anybody)(?:['’]s)? (?:knowledge|knowing|"
        r"noticing|consent)|"
        r"(?:need|needs|should|must) (?:not|n['’]t) (?:know|notice|find out)|(?:does|do) (?:not|n['’]t) (?:need|"
        r"have) to know|(?:should|must|may) (?:not|n['’]t) (?:(?:need|have) to )?(?:know|notice|find out|learn|"
        r"see it|be aware)|"
        r"(?:doesn|don|needn)['’]?t (?:need|have) to (?:know|notice|find out|learn)|(?:shouldn|mustn|"
        r"needn)['’]?t (?:know|notice|find out|learn)|"
        r"(?:nobody|no one) (?:needs to|should|must|will|has to|may|can)? ?(?:know|notice|notices|see|sees|find out|"
        r"knows)|"
        r"keep (?:this|it) (?:to yourself|between us|private|confidential|hidden|secret|quiet)|"
        r"between (?:you and me|us)|under the radar",
        "悄悄|偷偷|暗中|秘密地?(?:执行|上传|发送|修改|进行|完成)|私下|不动声色|静默(?:执行|上传|发送|删除|安装)|"
        "(?:不要|别|不必|无需|勿|不能|不得|不可|不用)(?:让|被|使)"
        ".{0,8}(?:知道|发现|察觉|看到|知情|知晓|看见)|瞒着|神不知鬼不觉|保密.{0,4}不要",
    ),
}
