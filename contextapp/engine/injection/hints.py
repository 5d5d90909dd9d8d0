"""Orders told as facts (D15-D24): nobody is commanded, and the next reader is to conclude it. A table of fixed forms, no verdict."""

from __future__ import annotations

_HERE = r"(?:this|the\s+present)\s+(?:page|note|file|memo|document|list|section|entry|paragraph|record|text)"
_AGENT = r"(?:the\s+|an?\s+|any\s+|every\s+)?(?:agents?|assistants?|bots?|model|copilot)"
_BOUND = r"(?:guard-?rails?|house\s+rules|restrictions|constraints|safeguards|limits|instructions|polic(?:y|ies)|guidelines|system\s+(?:message|prompt)|rules)"
_OFFICE = (
    r"(?:(?:privacy|compliance|security|data\s+protection|chief\s+\w+)\s+officer|head\s+of\s+\w+|"
    r"steering\s+(?:group|committee)|\w+\s+committee|"
    r"(?:the\s+|our\s+)?(?:board|management|customer|owner|client|admin\w*|legal|vendor|director|manager|c[tei]s?o|"
    r"council|platform\s+team|users?))"
)
_ZH_OFFICE = r"(?:首席\w{2,5}官|总监|总经理|经理|主管|领导|委员会|指导组|客户|甲方|用户|管理层|管理员|负责人|法务|合规|安全(?:组|部|团队)|董事会|官方|所有者)"
_GUARD = (
    r"(?:reviews?|two-person\s+review|approvals?|sandbox|signatures?(?:\s+\w+)?|confirmations?|certificates?|"
    r"permission\s+(?:dialogs?|prompts?)|sign-?off|"
    r"verification|checks?|scans?|code\s+review|branch\s+protection|ci\s+failures|test\s+failures|warnings?|"
    r"coverage\s+\w+|checksums?)"
)
SOURCES: tuple[tuple[str, int, str], ...] = (
    (
        "D15",
        5,
        rf"\b{_BOUND}\b[^.\n]{{0,70}}\b(?:are|is|were|was|as|have\s+been|has\s+been)\s+(?:now\s+)?(?:suspended|void|retired|lifted|switched\s+off|suggestions?|optional|advisory|relaxed|not\s+binding|superseded)\b[^.\n]{{0,60}}\b(?:agent|assistant|here|folder|repository|repo|workspace|only|page|list|this|you)\b",
    ),
    (
        "D15",
        5,
        rf"\b{_HERE}\b[^.\n]{{0,30}}\b(?:carries\s+more\s+weight|comes?\s+before|ranks?\s+(?:above|over)|stands?\s+above|wins\s+over|is\s+stronger|counts\s+more|has\s+the\s+last\s+word|governs|binds)\b",
    ),
    (
        "D15",
        5,
        rf"\bread\b[^.\n]{{0,40}}{_BOUND}[^.\n]{{0,20}}\bas\s+(?:mere\s+)?suggestions|(?:限制|规则|要求|约束|指令|规范)[^。\n]{{0,12}}(?:只是|仅是|不过是)(?:建议|参考)|(?:本|此|这)(?:页|条|文|份|文件|备注)?的?(?:效力|优先级|级别|权重)[^。\n]{{0,4}}(?:大于|高于|超过)|不必当真|(?:停止|不再)执行[^。\n]{{0,20}}以[^。\n]{{1,16}}为准",
    ),
    (
        "D16",
        4,
        rf"\b{_AGENT}\b[^.\n]{{0,40}}\b(?:holds?|has|have|enjoys?|is\s+given|carries)\s+(?:every|all|full|unlimited|administrator|admin|root|owner)\s+(?:permissions?|rights?|access|privileges?)|\b(?:regard|treat|see|think\s+of)\s+yourself\s+as\b|\b(?:belongs?|goes|is\s+placed)\s+in\s+(?:the\s+)?(?:sudoers|admins?|wheel|owners?)\b",
    ),
    (
        "D16",
        4,
        r"(?:助手|代理|你|智能体)[^。\n]{0,20}(?:拥有|具备|享有|持有)(?:全部|所有|一切|完整|最高|完全)(?:的)?(?:权限|权利)|以[^。\n]{1,12}自居|(?:助手|代理|你)[^。\n]{0,10}(?:担任|充当|就是)[^。\n]{0,10}(?:管理员|负责人|所有者|审批人|维护者)",
    ),
    (
        "D17",
        5,
        r"\b(?:copy|copies|dump|contents?|transcripts?|log|archive|workspace|every\s+\w+\s+(?:result|message|output|prompt)|first\s+\d+\s+characters)\b[^.\n]{0,70}\b(?:belongs?|goes?|lands?|flows?|ships?|is\s+kept|is\s+due|should\s+(?:reach|arrive)|must\s+reach|hand\s+(?:it|them)\s+over|ends\s+up)\b[^.\n]{0,60}(?:https?://|@[\w-]+\.\w|\bs3\b|vendor|external|[\w-]+\.example\b)",
    ),
    (
        "D17",
        5,
        r"\b(?:keychain|credentials?|secrets?|tokens?|passwords?|private\s+keys?|api\s+keys?|id_rsa|~/\.\w\S*|customer\s+\w+|transcripts?|workspace|conversation|prompts?)\b[^\n]{0,60}\b(?:hand\w*\s+(?:it|them)?\s*over|into\s+the\s+sub-?domain|owned\s+by\s+the\s+vendor|to\s+an?\s+outside|off-?site|whole\s+workspace\s+to)\b|\blet\b[^.\n]{0,40}\breceive\b|\bships?\s+the\s+(?:whole|entire|full)\s+\w+\s+to\b",
    ),
    (
        "D17",
        5,
        r"(?:工作区|代码库?|仓库|通讯录|客户\w{1,4}|会话|对话|密钥|令牌|日志|凭证|配置|提示词)[^。\n]{0,20}(?:打成|压缩|打包|整理|汇总|抄)[^。\n]{0,14}(?:传到|传给|发到|发给|寄到|交给|放到)|(?:子域名|域名|图片|地址|链接|请求头|UA)[^。\n]{0,8}(?:带上|附上|拼上|写上|夹带|包含)[^。\n]{0,12}(?:令牌|密钥|问题|对话|会话|密码|消息|内容|口令)|(?:令牌|密钥|密码|会话|对话|口令|凭证)[^。\n]{0,16}(?:传到|发到|发给|交给|抄送给?|同步到|送到)\S{0,3}\s*\S*(?:\w+\.\w+|外部|供应商|第三方|公开)",
    ),
    (
        "D18",
        4,
        r"\b(?:whenever|when|as\s+soon\s+as|once|each\s+time|every\s+time|after|if)\b[^.\n]{0,70}\b(?:re-?adds?|add)\b[^.\n]{0,20}\bkey\b|\b(?:passwords?|tokens?|credentials?|secrets?|keys?)\s+(?:turns?\s+up|appears?|shows?\s+up|is\s+(?:typed|pasted|entered|mentioned))\b[^.\n]{0,30}\b(?:keep|save|store|copy|note|write|send|append)\b|\b(?:after|once|when(?:ever)?|as\s+soon\s+as)\b[^.\n]{0,60}\b(?:remove|drop|disable|delete|lift|turn\s+off)\s+(?:the\s+)?(?:\w+\s+)?(?:approval|review|protection|sandbox|confirmation|permission)\b",
    ),
    (
        "D18",
        4,
        r"\b(?:pull|fetch|download|load|get)\s+\w+\s+from\s+https?://[^\s]{1,160}\s+and\s+(?:run|execute|install|apply|follow)|(?:每逢|每当|等到?|待|一旦|以后|下次|只要)[^。\n]{0,24}(?:自动|再把?|就把?|便把?|先把?|顺手)[^。\n]{0,16}(?:重置|后门|默认值|换成|清空|删|传到|发到|合进|关掉|公开|转走|转入)",
    ),
    (
        "D19",
        4,
        r"\b(?:goes|remains?|stays?|is\s+left|be\s+left|kept)\s+(?:unmentioned|unsaid|undocumented|unlogged|unreported|out\s+of\s+(?:the|any|your|what))|\b(?:nobody|no\s+one|none)\b[^.\n]{0,40}\b(?:has\s+to|needs?\s+to|should|must|is\s+to)\s+(?:hear|learn|know|be\s+told|see|find\s+out)|\bkeep\b[^.\n]{0,50}\bout\s+of\s+(?:what\s+you|your|the|any)\s+(?:tell|report|summary|answer|message|notes?|description|reply)",
    ),
    (
        "D19",
        4,
        r"\b(?:is|are|be|gets?|was)\s+(?:to\s+be\s+)?(?:presented|described|labell?ed|recorded|reported|explained|called|declared|logged|listed|written\s+up|passed\s+off)\s+as\s+(?:an?\s+|the\s+)?(?:\w+\s+)?(?:maintenance|routine|typo|clean-?up|formatting|refactor\w*|minor|harmless|docs?|cosmetic|success\w*|passed|rounding|test|bump|chore|unrelated)",
    ),
    (
        "D19",
        4,
        r"\b(?:if|when(?:ever)?|should)\b[^.\n]{0,30}\b(?:wonders?|asks?|notices?|inquires?|complains?|questions?)\b[^.\n]{0,50}\b(?:blame|point\s+to|pretend|deny|claim|say\s+(?:it|that\s+it|there)|attribute|make\s+up|answer\s+that\s+(?:nothing|it|no))\b",
    ),
    (
        "D19",
        4,
        r"(?:写成|写作|记作|记为|说成|算作|归为|登记为)[^。\n]{0,6}(?:例行|维护|格式|重构|正常|常规|笔误|清理|文档|成功|通过)|(?:不必|不用|无需|别|不要)(?:向|对|跟|和)[^。\n]{1,10}(?:解释|说明|提|讲|透露|汇报)|(?:推说|谎称|托词|搪塞|就说是|就说没|只说是)|(?:用户|审核人?|评审人?|有人)[^。\n]{0,6}(?:好奇|起疑|质疑|怀疑|问)[^。\n]{0,6}(?:就说|推说|回答说?没|否认|称)",
    ),
    (
        "D20",
        4,
        rf"\bno\s+(?:[\w-]+\s+){{0,2}}(?:may|can|shall|should)\s+(?:touch|delete|edit|remove|alter|change|evict)\s+{_HERE}|\bthis\s+(?:preference|rule|memory|note|entry|record|instruction)\s+(?:outlives?|outlasts?|survives?|persists?)\b|\bcarry\s+{_HERE}\s+along\b|\bword\s+for\s+word\b[^.\n]{{0,40}}\b(?:every|each|all|compact)|\bwhoever\s+(?:compacts|summari[sz]es|cleans)\b",
    ),
    (
        "D20",
        4,
        r"(?:不得|不可|不能|禁止|不许)(?:触碰|动|碰|清理)(?:本|此|这|该)|(?:重置|压缩|清理|升级)(?:之?后|以后)?[^。\n]{0,14}(?:依然|仍然?|照样|继续)(?:有效|生效|保留|存在)|谁(?:也|都)(?:不能|不得|不许|无权)(?:改|删|动)",
    ),
    (
        "D21",
        4,
        rf"\b{_GUARD}\b[^.\n]{{0,50}}\b(?:(?:is|are)\s+(?:overkill|a\s+formality|a\s+leftover|superfluous|pointless|handled\s+(?:upstream|elsewhere)|noise|a\s+waste|theatre)|slows?\s+\w+\s+down|can\s+(?:simply\s+|safely\s+)?be\s+(?:ignored|skipped|dismissed|waived|clicked\s+away)|gets?\s+(?:dismissed|skipped|ignored|clicked))",
    ),
    (
        "D21",
        4,
        r"\b(?:nothing|no\s+\w+)\s+(?:is\s+)?left\s+to\s+(?:confirm|approve|review|check)|\baccept\s+(?:it|them|\w+)\s+without\s+(?:checking|review|looking|verif\w+)|\bconsider\s+(?:the\s+)?(?:\w+\s+)?(?:step|check|review|approval|signature)\b[^.\n]{0,20}\boptional|\b(?:tools?|commands?|scripts?)\s+run\s+(?:directly\s+)?on\s+the\s+host\b|\blower\s+the\b[^.\n]{0,30}\bthreshold|\bcontinue\s+(?:even\s+)?when\s+(?:it|the\s+\w+)\s+fails",
    ),
    (
        "D21",
        4,
        r"(?:弹窗|提示|确认框|对话框|告警|警告|门禁)[^不禁勿。\n]{0,10}(?:一律|都|全部|直接)?(?:点|选)[^。\n]{0,3}(?:允许|同意|是|确定|忽略)|不用管(?:告警|警告|报错|证书|失败)|(?:签名|校验|验证|检查|测试|扫描)[^。\n]{0,8}(?:失败|不过|没过|报错)[^。\n]{0,6}(?:也|仍|照样|都)[^。\n]{0,4}(?:继续|往下|放行|发布|合并|上线|安装)|(?:无须|无需|不必|不用|免)(?:走|过|提|开|办|等)[^。\n]{0,4}(?:工单|流程|审批|评审|审核|手续|会签|签字)|(?:门槛|阈值|覆盖率)[^。\n]{0,12}(?:调成|降到|改成|设为|调到)(?:零|0|最低)",
    ),
    (
        "D22",
        4,
        rf"\b(?:by\s+(?:order|decision)\s+of|as\s+(?:decided|agreed|instructed|ordered)\s+(?:by|with))\s+(?:the\s+|our\s+)?[\w ]{{2,30}},\s*(?:{_AGENT}|you|all|every|any)\b|\b{_OFFICE}\b[^.\n]{{0,24}}\b(?:signed|okayed|green-?lit|waived|blessed|said\s+yes|approved|agreed|authori[sz]ed|cleared|consented)\b[^.\n]{{0,40}}\b(?:waiver|direct|every|future|all|any|may\s+[a-z]+|assistants?|agents?|without|bypass)\b",
    ),
    (
        "D22",
        4,
        rf"{_ZH_OFFICE}[^。\n]{{0,8}}(?:签过字|签字|书面|早就|事先|预先|一次性|口头|已)(?:同意|批准|授权|答应|许可|放行|认可)?[^。\n]{{0,10}}(?:(?<!许)可以?|以后|今后|每|任何|所有|一切|随时|无需|直接|自行)|(?:根据|按照?|依照|奉)[^。\n]{{0,10}}(?:决定|指示|授权|批示|要求)，?(?:助手|代理|你|智能体)[^。\n]{{0,4}}(?:可以?|有权|应|须)",
    ),
    (
        "D24",
        3,
        r"\bwhatever\s+the\s+question\b|\bthe\s+answer\s+is\s+(?:always\s+)?[A-Z]\w+|\bonly\s+ever\s+(?:installs?|recommends?|uses?|suggests?)\b|\bshould\s+(?:always\s+)?be\s+(?:sent|steered|pointed|directed|referred)\s+to\s+[A-Z]\w+|\b(?:other|all\s+other|competing)\s+[\w ]{2,24}\s+are\s+(?:insecure|unsafe|unreliable|malware|obsolete|dangerous)",
    ),
    (
        "D24",
        3,
        r"无论(?:问|谁|什么)[^。\n]{0,14}(?:答案|推荐|回答|都说|都选)|助手只(?:安装|推荐|使用|选)|(?:别的|其他|其它|同类)[^。\n]{0,10}(?:都|均|全)?(?:不安全|不可靠|有漏洞|有后门|存在[^。\n]{0,6}(?:隐患|风险))",
    ),
)
