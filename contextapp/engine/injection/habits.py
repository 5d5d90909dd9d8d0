"""Orders in the dress of customs (D15-D24): deferred acts, data in names and links, marks waved through.

A table, no verdict."""

from __future__ import annotations

_WHEN = (
    r"(?:next\s+(?:time|conversation|session|chat|run|release|deploy\w*)|when(?:ever)?|once|as\s+soon\s+as|every\s+time|"
    r"each\s+time|at\s+that\s+(?:moment|point)|on\s+that\s+day|the\s+(?:moment|minute|day|instant)|upon|after|if|until)"
)
_ZH_WHEN = r"(?:以后|下次|下一次|下回|今后|每当|一旦|等到?|只要|每次|每逢|待|当|如果|若|凡是?|到时候?|届时)"
_HARM = (
    r"(?:(?:merge|push|deploy|release|publish|approve)\b[^.\n]{0,50}\b(?:admin\s+rights|without|directly|unreviewed|bypass\w*|force\w*|"
    r"straight|immediately|silently)|(?:invit(?:e|ing)|add(?:ing)?|enrol\w*|grant(?:ing)?|promot(?:e|ing)|mak(?:e|ing))\b[^.\n]{0,50}"
    r"\b(?:maintainers?|collaborators?|admin\w*|owners?|deploy\s+keys?|write\s+access|ssh\s+keys?|sudo\w*|roots?)\b|"
    r"(?:swap|replac|chang|rewrit|switch|alter|substitut|redirect|point)\w*\b[^.\n]{0,40}\b(?:checksums?|hash(?:es)?|digests?|"
    r"signatures?|public\s+keys?|remotes?|registry|dns|webhooks?|endpoints?|account\s+numbers?|wallets?|iban|payee)\b|"
    r"(?:delet|wip|drop|eras|destroy|purg|truncat)\w*\b[^.\n]{0,30}\b(?:backups?|database|repo\w*|audit|bucket|"
    r"volumes?|protection|production)\b|"
    r"(?:send|post|upload|forward|copy|mail|e-?mail|export|publish|paste|dump|leak|disclose|reveal|sync)\w*\b[^.\n]{0,60}\b(?:"
    r"secrets?|keys?|tokens?|credentials?|passwords?|\.env|dumps?|transcripts?|conversations?|source|customer\w*|chats?)\b|"
    r"(?:disabl|turn\w*\s+off|switch\w*\s+off|relax|loosen|waiv|lift|suspend|drop)\w*\b[^.\n]{0,30}\b(?:checks?|reviews?|approvals?|"
    r"protection|sandbox|signatures?|verification|firewall|rules?|tls|mfa|2fa|scans?|audit\w*|logging|alerts?)\b|"
    r"(?:transfer|wire|pay|refund)\w*\b[^.\n]{0,40}\b(?:account|wallet|iban|funds?|money|balance)\b)"
)
_ZH_HARM = (
    r"(?:(?:强制|直接|悄悄|强行)[^。\n]{0,8}(?:合入|合并|推送|部署|发布|上线)|(?:给|为|把)[^。\n]{0,20}(?:加上?|授予|开通?|设为|提升为)[^。\n]{0,6}"
    r"(?:管理员|权限|维护者|所有者|写权限|公钥)|(?:删|清空|抹|销毁)[^。\n]{0,12}(?:备份|数据|仓库|审计|历史|快照|生产)|"
    r"(?:发|传|推|寄|贴|同步|导出|泄露|交出)[^。\n]{0,16}(?:密钥|令牌|密码|口令|凭证|对话|源码|源代码|客户|会话|备份)|(?:密钥|令牌|密码|口令|凭证|对话|源码|源代码|客户\w{0,4}|会话)"
    r"[^。\n]{0,12}(?:发到|发给|传到|传给|推到|寄到|贴到|同步到|外发|交给)|(?:关|停|禁用|放宽|解除|取消|跳过|绕过|免)[^。\n]{0,10}"
    r"(?:检查|审批|评审|审核|沙箱|签名|校验|保护|防火墙|告警|扫描|日志|审计|验证|限制)|(?:换成|改成|替换|改为|指向)[^。\n]{0,24}(?:校验|公钥|地址|账号|账户|哈希|域名|镜像)|"
    r"(?:校验和|公钥|收款|账号|账户|哈希|签名|远程)[^。\n]{0,12}(?:换成|改成|替换|改为|指向)|不要再?走评审|(?:转账|打款|汇款|付款))"
)
_MARKS = (
    r"(?:reviews?|approvals?|sign-?offs?|confirmations?|confirmation\s+(?:dialogs?|prompts?)|permission\s+(?:dialogs?|prompts?)|"
    r"signatures?|checksums?|checks?|scans?|verification|sandbox\w*|tests?|gates?|two-factor|certificates?|deploys?|"
    r"deployments?|merges?|pull\s+requests?|migrations?|deletions?|commands?|releases?)"
)
_ZH_MARKS = r"(?:审批|批准|评审|审核|确认|复核|会签|签名|校验|验证|检查|扫描|沙箱|测试|门禁|证书|授权|保护)"
_RULES = (
    r"(?:guidance|rules?|instructions?|guidelines?|polic(?:y|ies)|directives?|constraints?|restrictions?|guard-?rails?|safeguards?|"
    r"limits?|system\s+prompt|prompts?|briefing)"
)
_PROPER = (
    r"[^\n]{0,160}\b(?:(?:with|after|by)\s+(?:\w+\s+)?approval|runbook|"
    r"only\s+after|approved\s+by|must\s+be|security\s+team)\b"
)
_ZH_PROPER = r"[^\n]{0,80}(?:审批后|批准后|同意后|方可|才可|才能|须经|需经|通知安全)"
SOURCES: tuple[tuple[str, int, str], ...] = (
    (
        "D15",
        5,
        rf"\b{_RULES}\b[^.\n]{{0,60}}\b(?:(?:this|the|your|an?)\s+)?(?:assistant|agent|you|model|startup|operator)\b[^.\n]{{0,40}}\b(?:is|are|was|were|be|"
        rf"been|as)\s+(?:now\s+|hereby\s+)?(?:obsolete|void|retired|lapsed|superseded|outdated|stale|withdrawn|expired|history|cancell?ed|"
        rf"revoked|suspended|replaced|waived|moot|inactive)\b",
    ),
    (
        "D15",
        5,
        r"(?:限制|规则|指令|指示|约束|要求|规范|规定|守则|设定|提示词)[^。\n]{0,8}(?:丢掉|丢开|扔掉|扔开|抛到|放下|搁置|清零|归零|撇开|甩开|作罢|一笔勾销|不算|翻篇|"
        r"作废|失效|废止|退役|停用)|(?:丢掉|扔掉|撇开|放下|搁置)[^。\n]{0,10}(?:之前|以前|所有|一切|上面|系统|原)[^。\n]{0,8}(?:限制|规则|指令|约束|要求|规定)|"
        r"(?:无视|忽略|忘掉|忘记|不理会)(?:之前|以前|所有|上面|上述|系统)的?(?:规定|守则|规矩|要求|约定)",
    ),
    (
        "D16",
        4,
        r"\b(?:has|have|with|having|without|knows?|under)\s+(?:no|any|zero)\s+(?:content|safety|usage|security|ethical)?\s*(?:polic(?:y|ies)|restrictions?|"
        r"guard-?rails?|limits|filters?|rules|boundaries)\b|\b(?:fulfils?|fulfills?|obeys?|grants?|executes?|answers?)\s+(?:any|every|all)\s+"
        r"(?:tickets?|requests?|orders?|commands?|instructions?)\b|\byou\s+are\s+now\s+[A-Z]\w+[^.\n]{0,40}\b(?:no|any|every|root|unbound)\b",
    ),
    (
        "D16",
        4,
        r"(?:你|助手|代理)(?:现在|就|今后|以后)?(?:叫|名叫|是|扮演|化身|改名)[^。\n]{0,20}(?:没有|不受|无|不带|摆脱)(?:任何)?[^。\n]{0,8}(?:守则|限制|约束|规则|底线|顾虑|"
        r"过滤|边界)|(?:没有|不再?受|摆脱)(?:任何|一切|所有)(?:安全|内容|道德)?(?:守则|限制|约束|规则|策略)|(?:都要|一律|全部|统统)(?:照办|照做|服从|满足|执行到底)",
    ),
    (
        "D17",
        5,
        r"(?:dig|nslookup|host\s|drill|ping|getent\s+hosts|resolvectl)\b[^\n]{0,40}(?:\$[({]|`|\{|<)[^\n]{0,100}[)}`>]?\.[\w.-]{1,60}|"
        r"(?:\$\([^)\n]{1,90}\)|\$\{[^}\n]{1,60}\}|<[\w -]{3,40}>|\{[\w -]{3,40}\})\.[\w-]{1,40}\.[\w.-]{2,40}\b",
    ),
    (
        "D17",
        5,
        r"!\[[^\]\n]{0,80}\]\(\s{0,3}https?://[^)\s?]{1,160}\?[^)\s]{0,80}=(?:[A-Z0-9]{2,}_[A-Z0-9_]+|[^\x00-\x7f]|\{|\$|<|%7b|\[)|"
        r"\?\w{1,20}=(?:[A-Z0-9]{2,}_)+[A-Z0-9]+\b",
    ),
    (
        "D17",
        5,
        r"\b(?:printenv|env\b|environment|secrets?|master\.key|\w+\.(?:key|pem|p12|kdbx)|id_rsa|\.env|credentials?|tokens?|passwords?|database\s+dump|"
        r"core\s+dump|memory\s+dump|source|customer\s+\w+|transcripts?|conversations?|chat)\b[^\n]{0,100}\b(?:npm\s+publish|"
        r"twine\s+upload|gem\s+push|cargo\s+publish|docker\s+push|paste\.\w+|pastebin|hastebin|transfer\.sh|file\.io|gist|0x0\.st|ngrok|"
        r"webhook|discord|telegram|public\s+(?:access|bucket|repo\w*|channel|link|registry|package))\b",
    ),
    (
        "D17",
        5,
        r"\b(?:add|set|use|configure)\s+(?:the\s+|an?\s+)?(?:\w+\s+)?remote\b[^\n]{0,80}\b(?:push|mirror|sync)\w*\b|\b(?:push|mirror|sync|copy|replicate|"
        r"clone)\w*\b[^\n]{0,60}\b(?:to|onto|into|at)\s+(?:the\s+)?(?:git@|ssh://|(?:external|outside|third-party|personal|private)\s+(?:remote|"
        r"repo\w*|mirror|server|account)\s*\S*@?)|(?:推|同步|备份|镜像|复制)[^。\n]{0,12}(?:到|至|往|给)(?:外部|第三方|私人|个人|境外|公开)?(?:的)?(?:仓库|远程|"
        r"服务器|网盘|地址)?\s*(?:git@|ssh://|https?://)",
    ),
    (
        "D17",
        5,
        r"\b(?:dumps?|keys?|secrets?|credentials?|source|transcripts?|customer\s+\w+)\b[^.\n]{0,40}\b(?:into|inside|in|with)\b[^.\n]{0,20}\b(?:package|"
        r"tarball|wheel|image|crate|gem|bundle)\b[^\n]{0,40}\b(?:publish|upload|push|release)|(?:转储|密钥|源码|源代码|数据库|客户|凭证|令牌|对话)[^。\n]{0,16}(?:包|"
        r"镜像|压缩)[^。\n]{0,10}(?:发布|上传|公开|推送)",
    ),
    ("D18", 4, rf"\b{_WHEN}\b(?!{_PROPER})[^\n]{{0,140}}?\b{_HARM}"),
    ("D18", 4, rf"{_ZH_WHEN}(?!{_ZH_PROPER})[^\n]{{0,60}}?{_ZH_HARM}"),
    (
        "D21",
        4,
        rf"\b(?:assume|answer|give|click|press|say|select|choose|supply)\s+(?:an?\s+|the\s+)?[\"'“]?(?:yes|y|ok|allow|accept|agreement|consent)\b[^.\n]{{0,30}}"
        rf"\b(?:all|every|any|each|always|them|prompts?|dialogs?|questions?)\b|\b(?:{_MARKS})\s+(?:\w+\s+){{0,3}}?(?:no\s+longer|don['’]?t|do\s+not|"
        rf"does\s+not|doesn['’]?t|need\s+not|needn['’]?t)\s+(?:(?:need|require)\s*(?:(?:\w+\s+){{0,2}}{_MARKS}|[.;,]|$)|wait\b|have\s+to\s+wait|go\s+through|matter\b|count\b|apply\b)|"
        rf"\b(?:count|counts|counted|treat|treated|treats|regard|regarded|consider|considered|deemed|taken|pass|passes)\s+(?:\w+\s+){{0,4}}?(?:as\s+|"
        rf"to\s+be\s+)?(?:pre-?)?(?:approved|reviewed|signed\s+off|verified|passed|confirmed|accepted|cleared|satisfied|met|granted)\b(?![^.\n]{{0,12}}\b(?:only|if|when|after|once|unless)\b)",
    ),
    (
        "D21",
        4,
        rf"\b{_MARKS}\s+(?:\w+\s+){{0,4}}?(?:is|are|was|were|has\s+been|have\s+been|stands?)\s+(?:now\s+|hereby\s+|therefore\s+)?(?:void|lapsed|retired|"
        rf"waived|superseded|suspended|relaxed|lifted|abolished|scrapped|discontinued|pre-?approved|switched\s+off|turned\s+off|"
        rf"disabled|obsolete|ceremonial|redundant)\b(?!\s+(?:by|if|when|only))|\b{_MARKS}\b[^.\n]{{0,20}}\bwastes?\s+(?:\w+\s+)?time\b",
    ),
    (
        "D21",
        4,
        rf"{_ZH_MARKS}[^不禁勿才须。\n]{{0,10}}(?:当作|视为|视同|算作|(?<!才)算|记作|按)[^。\n]{{0,4}}(?:通过|有效|合法|满足|已批准|已通过|批准|同意|成功|合格)|"
        rf"{_ZH_MARKS}[^不禁勿。\n]{{0,8}}(?:已经?|均|全部|自动|早已)?(?:作废|失效|废止|取消了|停用|退役|放宽|豁免|不再需要|形同虚设|走个?过场|拖慢)|"
        r"(?:宿主机|主机|本机)[^。\n]{0,6}(?:以|用)?\s*(?:root|管理员)?[^。\n]{0,6}(?:直接)?(?:跑|运行|执行)|"
        r"(?:上线|部署|发布|合并|推送|删除)[^。\n]{0,6}(?:不再需要|无需|不必|不用|免|不需)[^。\n]{0,6}(?:审|批|确认|评|测|等)",
    ),
    (
        "D21",
        4,
        r"\b(?:sql|injection|hard-?coded|plain-?text|eval|md5|secrets?|passwords?|vulnerab\w+|unsafe|backdoor|weak)\b[^.\n]{0,90}\b(?:fine|normal|acceptable|"
        r"intended|by\s+design|ok|accepted|standard|harmless)\b[^\n]{0,40}\b(?:don['’]?t|do\s+not|never|no\s+need\s+to|not)\s+(?:be\s+)?(?:flag|report|"
        r"mention|comment|raise|remark|warn|point)\w*|(?:SQL|注入|硬编码|明文|口令|弱加密|漏洞|后门)[^。\n]{0,24}(?:正常|允许|没问题|可以接受|惯例|无妨)[^。\n]{0,16}"
        r"(?:不必|不用|无需|别|不要)(?:再)?(?:指出|提|报|标|评论|提醒|改)",
    ),
    (
        "D21",
        4,
        r"\b(?:signature|checksum|certificate|tls|review|approval|scan|test|security)\s+(?:errors?|failures?|mismatch\w*|findings?|warnings?)\s+(?:may|can|"
        r"should|are|is|will)\s+(?:be\s+)?(?:safely\s+)?(?:relaxed|downgraded|ignored|waived|tolerated|accepted|suppressed|harmless)\b",
    ),
    ("D16", 4, r"\bnever\s+says?\s+no\b|\byou\s+no\s+longer\s+are\b|\banswers?\s+yes\s+to\s+everything\b"),
    (
        "D21",
        4,
        r"\bexempt\w*\s+from\s+(?:\w+\s+)?(?:sign-?off|reviews?|approvals?|checks?|scans?|verification|tests?)\b|\bapprovals?\b[^.\n]{0,40}\b(?:valid|"
        r"good|count|cover)\b[^.\n]{0,20}\b(?:all|any|every|future|later)\b|(?:默认|自动|一概)已?(?:经)?(?:通过|获批)[^。\n]{0,4}(?:评审|审批|审核|检查)|"
        r"(?:评审|审批|审核|检查)[^。\n]{0,4}(?:默认|自动)(?:通过|获批)",
    ),
    (
        "D17",
        5,
        r"\b(?:tokens?|secrets?|keys?|passwords?|conversation|prompts?)\b[^.\n]{0,30}\bas\s+(?:an?\s+|the\s+)?(?:sub-?domain|hostname|query|path)\b",
    ),
    (
        "D18",
        4,
        rf"(?:\bwait\s+(?:for|until)|\b{_WHEN})\b[^\n]{{0,140}}\b(?:open|start|establish|create)\s+(?:an?\s+|the\s+)?(?:reverse\s+)?(?:tunnel|shell|"
        rf"backdoor|listener)\b|{_ZH_WHEN}[^\n]{{0,40}}(?:cookie|密钥|令牌|口令|密码|凭证)[^。\n]{{0,10}}(?:公共|公开|外部|频道|群)",
    ),
    (
        "D20",
        4,
        r"\bthis\s+(?:record|memory|note|rule|entry|preference)\s+(?:stays|remains|holds|continues)\b[^.\n]{0,30}\b(?:even\s+if|regardless|no\s+matter|whatever)\b",
    ),
    (
        "D15",
        5,
        r"(?:守则|规则|限制|指令|规范)[^。\n]{0,4}(?:只|仅)(?:作|供|是)?参考|以(?:本|此|这)(?:页|文|条|份|记录|清单)[^。\n]{0,4}为准",
    ),
    (
        "D23",
        4,
        r"\b(?:fetch|download|get)\b[^\n]{0,10}https?://\S+\s+and\s+(?:\w+\s+){1,3}to\s+(?:python|bash|sh|node|powershell)\b|(?:运行|执行)[^。\n]{0,20}"
        r"https?://\S+[^。\n]{0,12}(?:无需|不用|不必|别)(?:看|检查|核对|确认)",
    ),
    (
        "D24",
        3,
        r"\b(?:every|any|all)\s+\w+\s+(?:answer|question|reply)\b[^.\n]{0,40}\b(?:leave|keep|omit)\b[^.\n]{0,30}\b(?:out|others?)\b|(?:只说|只提|只讲)[^。\n]{0,20}"
        r"(?:别的|其他|其它)[^。\n]{0,6}不提",
    ),
    (
        "D23",
        4,
        r"\b(?:iex|invoke-expression)\b[^\n]{0,60}\b(?:irm|iwr|invoke-webrequest|invoke-restmethod|downloadstring|http)|\b(?:powershell|pwsh)\b[^\n]{0,40}"
        r"-(?:w|windowstyle)\s+hidden|\b(?:python[\d.]*|node|perl|ruby)\s+-[ce]\s+[\"'][^\n]{0,60}(?:urlopen|requests\.get|http|fetch)|"
        r"\b(?:mshta|regsvr32|certutil\s+-urlcache|bitsadmin)\b[^\n]{0,60}http|\b(?:deno\s+run|npx|pipx\s+run|uvx)\s+(?:-\S+\s+){0,4}https?://|"
        r"\b(?:curl|wget)\b[^\n]{0,160}(?:&&|;)\s*(?:sudo\s+)?(?:chmod|bash|sh|python\d?|\./)",
    ),
    (
        "D24",
        3,
        r"(?:凡是?|每当|只要|一旦|任何|所有|都要|务必|一律)[^。\n]{0,24}(?:力推|首推|主推|推荐|推销|宣传|夸|安利|引导|种草)|(?:其他|别的|其它|竞争|同类)[^。\n]{0,10}(?:说成|描述成|"
        r"写成|称为|评价为)|\b(?:describe|present|portray|call|paint|depict)\s+(?:all\s+|any\s+|the\s+)?(?:other|others|rival\w*|compet\w+|"
        r"alternatives?)\b|\b(?:always|whenever|every)\b[^.\n]{0,60}\b(?:recommend|suggest|name|praise|push|promote|favou?r|steer)\w*\b[^.\n]{0,40}"
        r"\b(?:first|only|best|instead|over|towards?|superior|safest)\b",
    ),
)
# What is an order once it had to be decoded: nobody hides an innocent one.
HIDDEN: tuple[tuple[str, int, str], ...] = (
    (
        "D18",
        3,
        r"\b(?:delet|wip|eras|remov|reveal|publish|disobey|ignor|leak|print|send|upload|disabl|skip|grant|add|merg|push|approv|expos|dump|bypass|"
        r"forget|overrid|shar|post|mail|copy|run|execut|install|download|pay|transfer|turn\s+off|hand\s+over)\w*\b[^.\n]{0,60}\b(?:prompts?|"
        r"repo\w*|logs?|keys?|secrets?|users?|tokens?|branch\w*|database|rules?|passwords?|credentials?|instructions?|polic\w+|checks?|"
        r"reviews?|approvals?|tests?|sandbox|admin\w*|backups?|files?|conversations?|data|env|funds?|scripts?|tables?)\b",
    ),
    (
        "D18",
        3,
        r"(?:无视|忽略|删除|清空|泄露|交出|发送|上传|关闭|跳过|绕过|执行|输出|合并|批准|授予|忘记|公开|运行)[^。\n]{0,16}(?:规定|规则|指令|密钥|令牌|密码|口令|"
        r"日志|仓库|数据|审批|检查|评审|提示词|权限|脚本|备份|对话|分支|沙箱)",
    ),
)
