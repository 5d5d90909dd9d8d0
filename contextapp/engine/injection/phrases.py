"""Orders by a fixed form: triggers, roles, permanence, products, switches, shell lines, turn markers (D11, D16-D24). A table."""

from __future__ import annotations

_ONE = r"(?:this|the|the\s+present)\s+(?:entry|memory|note|record|rule|instruction|item|line|preference|paragraph|page|block|text)"
_ZH_ONE = r"(?:本|此|该|这)(?:条|段|一条|个|项|则)?(?:记忆|指令|规则|记录|备注|内容|偏好|条目|说明)?"
_GONE = r"(?:delet|remov|edit|chang|revok|overwr|forgot|expire|alter|modif|purg|dropp?|overrid|replac|clear|evict|compact)\w*"
_WHEN = (
    r"(?:next\s+time|(?:the\s+)?(?:first|next)\s+time|when(?:ever)?|once|if|as\s+soon\s+as|every\s+time|each\s+time|after|before|upon|"
    r"on\s+the\s+(?:next|first)|the\s+moment|(?:wait\s+)?until|at\s+the\s+(?:end|start)\s+of)"
)
_ZH_WHEN = r"(?:以后|下次|下一次|今后|每当|一旦|等到?|只要|收到|每次|每逢|待|当|如果|若|之后|首次|第一次)"
_ROOT = r"(?:root|admin(?:istrator)?s?|superuser|owner|maintainer|unrestricted|developer|god|jailbroken|privileged)"
_TO = r"(?:[^.\n。]|\.(?=\S)){0,90}?"
_LOSSES = (
    r"(?:(?:delete|drop|wipe|erase|destroy|truncate|purge)\s+(?:the\s+|all\s+|every\s+|any\s+|its\s+|their\s+)?(?:[\w-]+\s+){0,2}(?:branch|bucket|database|table|backup|"
    r"director|folder|repositor|data|file|volume|record|key|account|log|environment)\w*|force[- ]?push|git\s+push\s+(?:-f|--force)\b|disable\b|"
    r"merge\s+(?:it|\w+\s+\w+)?\s*(?:without|directly|immediately)|--force\b|"
    r"grant\s+\w+|transfer\s+\S+\s+to|(?:fetch|download|pull)\s+and\s+(?:run|execute|install)|(?:run|execute|call|invoke)\s+\S*(?:\w\.(?:sh|py|js|ps1|exe)|hidden)\b|"
    r"switch\s+to\s+(?:the\s+)?\w*\s*(?:admin|root)\w*|(?:push|post|send|forward|upload|copy|store|mail|e-?mail|open|report|submit)\b[^.\n]{0,60}"
    r"(?:https?://|@[\w-]+\.|[\w-]+\.example\b|/tmp/|public|helper\s+service|channel)|(?:switch|change|replace|swap|redirect|point|set)\b[^.\n]{0,60}?(?:https?://|[\w-]+\.example\b)|without\s+(?:review|asking|approval)|approve\s+(?:it|the|all|every))"
)
_ZH_LOSSES = (
    r"(?:(?:删除|删掉|清空|销毁).{0,12}(?:备份|目录|数据|分支|仓库|文件|记录|日志|账号|桶|环境)|强制推送|强推|(?:关闭|禁用|停用).{0,8}(?:保护|检查|校验|审批|防火墙|日志|审计|沙箱)|"
    r"切换到?.{0,6}(?:管理员|root)|导出.{0,10}(?:数据|会话|记录)|上传|转存|转发|外发|发(?:送|到|往|给)|(?:换成|改成|改为|替换|指向|换为).{0,12}(?:https?://|[\w-]+\.[a-z])|转账|付款|授予|直接(?:合并|批准|部署)|跳过|"
    r"(?:执行|运行|调用|下载).{0,20}(?:脚本|\.sh|\.py|http|工具)|复制.{0,16}(?:密钥|令牌|公共|外部))"
)
_SWITCHES = (
    r"verify\s*=\s*False\b|NODE_TLS_REJECT_UNAUTHORIZED\s*=?\s*[\"']?0|sslVerify\s*[= ]\s*false|strict-ssl\s*[= ]?\s*false|rejectUnauthorized\s*[:=]\s*false|"
    r"InsecureSkipVerify|PYTHONHTTPSVERIFY\s*=\s*0|--no-check-certificate\b|StrictHostKeyChecking[= ]no|--dangerously-[\w-]+|(?<!\w)--yolo\b|--no-gpg-(?:sign|check)|"
    r"--allow-unauthenticated\b|--nogpgcheck\b|danger-full-access|bypassPermissions|\bchmod\s+(?:-R\s+)?777\b|\bcurl\s+(?:-\w+\s+)*(?:-k|--insecure)\b"
)
SOURCES: tuple[tuple[str, int, str], ...] = (
    # pretended turns and ends of fences
    ("D11", 4, r"(?:^|\n)\s*#{2,}\s*(?:system|instructions?|response|developer|assistant)\s*:"),
    (
        "D11",
        4,
        r"(?:^|\n|\s)[\[【(]\s*/?\s*(?:system|developer|operator|系统)\s*(?:message|prompt|消息|指令|提示|通知)?\s*[\]】)]\s*\S",
    ),
    (
        "D11",
        4,
        r"(?:^|\n)\s*(?:role\s*:\s*)?(?:system|assistant|human|user|operator|系统|助手|用户|开发者)\s*[:：][^\n]{2,200}\n\s*(?:assistant|system|human|user|content|助手|用户|系统)\s*[:：]",
    ),
    ("D11", 4, r"(?:^|\n)\s*role\s*:\s*(?:system|assistant|developer)\s*\n\s*content\s*:"),
    (
        "D11",
        4,
        r"\"role\"\s*:\s*\"(?:system|assistant|developer)\"\s*,\s*\"content\"\s*:\s*\"(?:[^\"\s]+\s+[^\"\s]|[\u4e00-\u9fff]{4})",
    ),
    (
        "D11",
        5,
        r"(?:^|[\n.!?:：。]\s*|\w\s*</\w+>\s*)<(?:system|assistant|developer|operator|user|system-reminder|human|admin)>\s*[\w\u4e00-\u9fff]",
    ),
    ("D11", 5, r"</(?:tool_results?|function_results?|user_input|quoted|retrieved|search_results?)>\s*(?:\S+\s*){2}"),
    (
        "D11",
        4,
        r"[-=—`<#*─~]{2,}\s*(?:end|eof|finish|close)\b[^\n]{0,40}(?:content|document|file|memory|memories|data|context|quote|note|untrusted|input|result)|\bend\s+of\s+(?:the\s+)?"
        r"(?:quoted|untrusted|external|retrieved|tool|user)\s+\w+",
    ),
    (
        "D11",
        4,
        r"(?:不可信|引用|外部|检索|文档|文件|记忆|资料|数据)(?:内容|部分|区块|数据|文本)?(?:到此)?(?:结束|完毕)[^\n]{0,8}[\n—\-=。：:，,]",
    ),
    (
        "D11",
        4,
        r"(?:^|\n)\s*(?:系统|助手|operator|system)\s*[:：]\s*(?:请|你|已|从|所有|现在|批准|允许|放行|好的|grant|allow|approve|enable|disable|all\b)",
    ),
    (
        "D11",
        4,
        r"(?:new|real|actual)\s+(?:system\s+)?instructions\s+(?:from\s+the\s+system\s+)?(?:follow|begin|start)|(?:接下来|以下)(?:是|为)?(?:新的)?(?:系统|真正的?)(?:指令|提示|命令)",
    ),
    (
        "D11",
        4,
        r"(?:^|[\s.。!！?？])(?:user|human|用户|人类)\s*[:：][^\n]{2,120}?[.。!！?？]\s*(?:assistant|助手|agent|ai)\s*[:：]\s*\S",
    ),
    (
        "D15",
        5,
        r"\b(?:pretend|act\s+as\s+(?:if|though)|imagine|behave\s+as\s+if)\b[^.\n]{0,60}\b(?:rules?|restrictions?|polic\w+|instructions?|limits?|safeguards?)\b[^.\n]{0,60}\b(?:not|never|no\s+longer|gone)\b",
    ),
    (
        "D15",
        5,
        r"\b(?:earlier|previous|prior|all|any|every|existing|old)\s+(?:\w+\s+)?(?:restrictions|safeguards|guard-?rails|limits|limitations|polic(?:y|ies))\b[^.\n]{0,60}\b(?:lifted|null\s+and\s+void|no\s+longer\s+appl\w+|are\s+void|rescinded)",
    ),
    ("D19", 4, r"\b(?:act|behave|pretend|carry\s+on)\s+as\s+(?:if|though)\s+nothing\b"),
    # role and privilege
    (
        "D16",
        4,
        r"\b(?:unrestricted|uncensored|unfiltered|limitless|no-limits|unbound)\s+(?:persona|agent|assistant|mode|operator|ai|character|role)\b|\bnever\s+(?:declines?|refuses?)\s+(?:an?y?|commands?|requests?|orders?)\b|(?:从不|绝不|永不)拒绝|无条件(?:执行|服从|照办)",
    ),
    (
        "D16",
        4,
        r"(?:你|代理|助手)[^。\n]{0,16}不再是[^。\n]{0,20}(?:助手|代理|编程)|最高权限|超管|不受(?:任何)?(?:限制|约束)的|(?:不会|不再|不得)拒绝(?:任何|所有|一切)",
    ),
    (
        "D16",
        4,
        r"\b(?:add|append|write|put|install)\b[^.\n]{0,60}?(?:\.\w+[^.\n]{0,40}?){0,3}\b(?:authorized_keys|sudoers|crontab)\b",
    ),
    (
        "D16",
        4,
        rf"\b(?:you|agents?|assistants?)\b{_TO}\b(?:act|operate|work|promoted|run|acting|hold|have|have\s+been\s+given|with|as)\b{_TO}\b{_ROOT}\s*(?:rights|privileges?|access|permissions?|mode|and\s+can|role|$|[.,])",
    ),
    (
        "D16",
        4,
        rf"\byou(?:r\s+role)?\s+(?:have\s+been|are|is|were|has\s+been)\s+(?:hereby\s+|now\s+)?(?:promoted|upgraded|elevated|granted|changed|switched|reassigned){_TO}",
    ),
    (
        "D16",
        4,
        r"\b(?:switch\s+to|enter|activate|enable|assume)\s+(?:\w+\s+)?(?:developer|god|admin|unrestricted|dan|jailbreak|maintenance|debug)\s+mode\s+(?:and|with)\s+",
    ),
    ("D16", 4, rf"\b(?:run|execute|do|perform)\s+(?:everything|every\s+\w+|all\s+\w+)\s+as\s+{_ROOT}"),
    (
        "D16",
        4,
        r"\b(?:impersonate|pose\s+as|assume\s+the\s+identity\s+of|pretend\s+to\s+be|sign\s+(?:off\s+)?as)\s+(?:the|an?)\s+\w+|\b(?:elevate|escalate)\s+(?:your|its|the)\s+privileges",
    ),
    (
        "D16",
        4,
        rf"\b(?:grant|give|assign)\s+(?:this\s+|the\s+|any\s+|every\s+)?(?:agent|assistant|bot|guest|helper|[\w-]*bot|yourself)\b{_TO}\b(?:role|access|rights|permissions?|admin\w*|owner)|\badd\s+{_TO}\bto\s+the\s+{_ROOT}s?\s+(?:group|role|team)",
    ),
    ("D16", 4, r"\bconsider\s+yourself\b|\byou\s+speak\s+as\s+the\s+(?:system|operator|user)"),
    (
        "D16",
        4,
        r"你(?:现在|已|已经|今后|将)?.{0,6}(?:拥有|具有|获得|是|为|升级|提升|改为).{0,8}(?:管理员|超级|root|最高|系统|维护者|审批)|(?:切换|进入|启用|开启).{0,8}(?:无限制|开发者|上帝|管理员|维护|调试|root)模式|"
        r"角色(?:已)?(?:改|变|升|切换)|(?:以|用)\s*(?:root|管理员)\s*(?:身份|权限)(?:运行|执行)|冒充|假扮|(?:加入|添加到|加到).{0,4}管理员|(?:访客|助手|代理|机器人|\w*bot).{0,8}(?:授予|赋予).{0,6}权限|(?:授予|赋予|给).{0,10}(?:访客|助手|代理|机器人|自己).{0,8}权限|提升(?:自己的?|自身)?权限",
    ),
    # leaks without a named address
    (
        "D17",
        5,
        r"https?://\S+[?&]\w+=\s*[<{\[]|\b(?:env|printenv|cat\s+\S+|tar\s[^|\n]{1,60})\s*\|\s*(?:curl|nc|ncat|wget|ssh|base64)\b|\bcurl\b[^\n]{0,80}(?:-d|--data\S*|-F|-T)\s*\S*@",
    ),
    ("D17", 5, r"!\[[^\]\n]{0,60}\]\(\s*https?://[^)\s]+[?&]\w+=(?:[A-Z]{2,}_[A-Z_]+|[A-Z]{6,})"),
    # triggers
    (
        "D18",
        4,
        rf"\b{_WHEN}\b{_TO}\b(?:users?|someone|somebody|anyone|owner|reviewer|maintainer|customer|they|session|conversation|release|deploy\w*|tasks?|ci|tests|question|words?|phrase|"
        rf"keyword|token|credentials?|refund|pull\s+request|you\s+finish)\b[^\n]{{0,90}}?\b{_LOSSES}",
    ),
    (
        "D18",
        4,
        rf"{_ZH_WHEN}[^\n。]{{0,24}}(?:用户|有人|对方|客户|会话|任务|审核|发布|暗号|口令|关键|部署|对话|提交|合并|登录|所有者|管理员|测试|构建)[^\n。]{{0,24}}{_ZH_LOSSES}",
    ),
    (
        "D18",
        4,
        r"(?:用户|有人|对方).{0,6}(?:说|回复|输入|确认|提到).{0,14}(?:之后|后|时|就|便).{0,6}(?:顺便|就|立即|马上|先|再|直接).{0,12}"
        + _ZH_LOSSES,
    ),
    (
        "D18",
        4,
        r"(?:等|待|当)?用户(?:下次|下一次|再)?(?:说|提|问|要求|回复)[^\n。]{0,20}(?:就|便|则|时)[^\n。]{0,8}(?:顺手|顺便|悄悄|自动)[^\n。]{0,30}(?:换|改|删|传|发|关|装|执行|运行|推)",
    ),
    (
        "D15",
        5,
        r"\btreat\b[^.\n]{0,40}\b(?:restrictions?|rules?|limits?|polic\w+|instructions?|constraints?|guidelines?)\b[^.\n]{0,12}\bas\s+(?:void|lifted|obsolete|optional|cancelled|expired|not\s+binding|suggestions?)|(?:规则|限制|约束|指令|规范)[^。\n]{0,8}视(?:为|作|同)(?:无效|作废|不存在|过期)",
    ),
    # permanence
    (
        "D20",
        4,
        rf"\b{_ONE}\s+(?:must|may|can|should|shall|is|will|are)\s*(?:never|not|n['’]t)\s+(?:to\s+)?be\s+(?:\w+\s+or\s+)?{_GONE}|\b{_ONE}\s+(?:never\s+expires?|(?:has|have)\s+no\s+expir\w+|cannot\s+be|is\s+(?:permanent|immutable|eternal|final))",
    ),
    (
        "D20",
        4,
        rf"\b(?:never|do\s+not|don['’]?t|refuse(?:\s+any\s+request)?\s+to|reject\s+(?:any|every)\s+(?:request|attempt)\s+to)\s+(?:ever\s+)?(?:delete|remove|forget|expire|edit|overwrite|drop|purge|revoke)\s+{_ONE}",
    ),
    (
        "D20",
        4,
        rf"\b(?:keep|retain|remember|store|preserve|carry|save|pin)\s+(?:{_ONE}|this|it)\b[^.\n]{{0,30}}\b(?:forever|permanently|indefinitely|always|eternally|through\s+(?:all|every)|across\s+(?:all|every)|in\s+every|for\s+good|immutable|verbatim)",
    ),
    (
        "D20",
        4,
        rf"\b(?:should|if|when(?:ever)?)\s+{_ONE}\s+(?:is\s+|be\s+|gets\s+|was\s+|has\s+been\s+)?(?:ever\s+)?{_GONE}|\b(?:restore|re-?create|re-?add|write)\s+(?:it|{_ONE})\b[^.\n]{{0,20}}\b(?:if|whenever|again|after)\b",
    ),
    (
        "D20",
        4,
        rf"\bcopy\s+(?:{_ONE}|this)\s+(?:in)?to\s+(?:every|each|all|any|new)|\b(?:load|read|apply|obey)\s+{_ONE}\s+(?:first\b|before\s+(?:any|every|the\s+system|all))|\bmark\s+{_ONE}\s+as\s+(?:pinned|permanent|immutable|trusted|approved)|"
        r"\btakes?\s+priority\s+over\s+(?:all|every|any|later|other|earlier|the\s+(?:user|system|operator))|may\s+not\s+be\s+changed\s+by\s+the\s+(?:user|operator)",
    ),
    (
        "D20",
        4,
        rf"{_ZH_ONE}.{{0,10}}(?:不得|不可|不能|禁止|永不|不允许|永远不|不许|不会)(?:被)?(?:删除|修改|移除|编辑|过期|覆盖|失效|撤销|清除|遗忘|忘记)|永远(?:保留|保存|记住|有效)|永不(?:过期|失效|删除)|若{_ZH_ONE}.{{0,8}}(?:删除|移除|清除|丢失).{{0,8}}(?:重新|再次|恢复)|"
        r"(?:压缩|总结|清理).{0,10}(?:必须|务必|一定要?).{0,6}(?:原样|完整)?.{0,3}保留|优先于.{0,6}(?:任何|所有|一切|其他|之后)|置顶.{0,6}(?:禁止|不可|不得)|(?:不要|不得|禁止|拒绝)(?:删除|修改|忘记|移除)(?:本|此|这)(?:条|段|项|则|记忆|规则)",
    ),
    # safeguards by name
    (
        "D21",
        4,
        r"(?:do(?:es)?\s+not|(?:do|does|need)n['’]t|need\s+not|never|no\s+need\s+to|without)\s+(?:\w+\s+)?(?:wait|ask|pause|prompt|check)(?:ing|s)?\s+(?:for|with|before)\s+(?:an?\s+|the\s+|any\s+|their\s+)?(?:\w+\s+)?(?:approval|sign-?off|confirmation|permission|review|consent|reviewers?|owner|go-?ahead)",
    ),
    (
        "D21",
        4,
        r"\b(?:reviews?|approvals?|sign-?off|review\s+label|tests?)\b[^.\n]{0,30}\b(?:added|done|given|requested|filled\s+in|follows?|obtained|set|comes?|happens?)\s+(?:afterwards?|later|retroactively|after\s+the\s+fact)|(?:事后|之后|回头|以后)再?补(?:上|齐|充)?(?:审批|评审|审核|签字|手续|测试)|先(?:上线|合并|部署|发布)(?:，)?(?:后|再)补?(?:审|评)",
    ),
    (
        "D21",
        4,
        r"(?:断言|失败的?(?:测试|用例)|安全(?:测试|扫描))[^不禁勿。\n]{0,8}(?:删掉|删除|删去|注释|去掉|屏蔽|移除)|(?:流水线|检查|测试|结果|用例)[^不禁勿。\n]{0,6}标(?:成|为|记为|记成)[^。\n]{0,3}(?:通过|成功|绿)",
    ),
    ("D21", 4, _SWITCHES),
    (
        "D21",
        4,
        r"\b(?:outside|out)\s+(?:of\s+)?the\s+sandbox|\bwithout\s+(?:waiting|asking)\s+for\b|\bno\s+(?:approval|review|confirmation|sign-?off|permission|scan)s?\s+(?:is|are)\s+(?:required|needed|necessary)|(?:在)?沙箱(?:之)?外(?:运行|执行)",
    ),
    (
        "D21",
        4,
        r"(?:无需|不必|不用|不需要|无须|免|不要)(?:再|等待?|经过?|任何|再次|人工|二次){0,3}(?:的)?(?:审批|批准|审核|确认|询问|许可|授权|评审|复核|同意)|把?\s*verify\s*设为\s*False|证书错误(?:直接|可以|请)?忽略",
    ),
    (
        "D21",
        4,
        r"\b(?:force[- ]?push|push\s+--force)\b[^.\n]{0,30}\b(?:main|master|production|whenever|always)\b|\bmark\s+failing\s+\w+\s+as\s+pass|\b(?:delete|remove|drop|skip|xfail)\s+(?:the\s+|all\s+|any\s+|every\s+)?(?:failing|failed|red|broken|security)\s+(?:tests?|checks?)|"
        r"\b(?:comment\s+out|delete|remove|weaken|loosen|drop)\s+(?:the\s+|all\s+|any\s+|every\s+)?(?:\w+\s+)?(?:assert(?:ion)?s?)\b",
    ),
    (
        "D22",
        4,
        r"\b(?:i\s+am|this\s+is|speaking\s+as)\s+(?:the\s+|an?\s+)?(?:official\s+\w+|maintainer|owner|operator|administrator|developer|security\s+team)|\bon\s+behalf\s+of\s+the\s+(?:operator|owner|user|administrator|security)|"
        r"\b(?:official\s+)?(?:notice|message|announcement|memo)\s+from\s+(?:the\s+)?(?:operator|security|platform|provider|admin\w*|management|it\s+department|anthropic|openai)|(?:官方|系统|平台|安全部门?)(?:公告|通知)[^。\n]{0,20}(?:已|放|可|权限)|(?:根据|经|受)(?:管理员|所有者|运营方|用户|领导).{0,4}(?:授权|批准|同意)",
    ),
    # shell and indexes
    (
        "D23",
        4,
        r"\b(?:curl|wget)\b[^\n|]{0,160}\|\s*(?:sudo\s+)?(?:\w*sh|python[\d.]*|node|perl|ruby|php|tee\s+\S+\s*\|)\b|(?:source|bash|sh|\.)\s+<\(\s*(?:curl|wget)|-c\s+[\"'`]?\$\(\s*(?:curl|wget)|\b(?:iwr|irm|invoke-webrequest)\b[^\n]{0,100}\|\s*iex\b",
    ),
    (
        "D23",
        4,
        r"\b(?:npm|pip|gem|yarn|pnpm|registry|index(?:[-. ]url)?|sources?|mirror|-i|bundle|maven|cargo|goproxy)\b[^\n]{0,50}?\bhttp://(?!localhost|127\.)|(?:源|镜像)[^\n。]{0,20}http://|--trusted-host\b|\bGO(?:INSECURE|FLAGS\s*=\s*-insecure)|\bGONOSUMDB\b",
    ),
    (
        "D23",
        4,
        r"\b(?:download|fetch|get)\s+https?://\S+[^.\n]{0,60}\b(?:run|execute|start|install|executable)\b|下载\s*\S*https?://\S+.{0,20}(?:运行|执行|安装|启动)|从\s*https?://\S+\s*(?:下载|获取).{0,12}(?:运行|执行|安装)",
    ),
    # products
    (
        "D24",
        3,
        r"\b(?:install|use|prefer|import|replace|swap|choose|pick)\s+(?:the\s+)?(?:package\s+)?[`'\"]?(?:@[\w-]+/)?(?P<name>[a-z][a-z0-9]{2,})[-_][\w-]+[`'\"]?\s+(?:instead\s+of|over|rather\s+than|in\s+place\s+of)\s+[`'\"]?(?P=name)\b|"
        r"\breplace\s+(?:the\s+)?[`'\"]?(?P<old>[a-z][a-z0-9]{2,})[`'\"]?\s+(?:package\s+)?(?:with|by)\s+[`'\"]?(?P=old)[-_]\w+",
    ),
    (
        "D24",
        3,
        rf"\b(?:recommend|suggest|steer|promote|push|praise|mention|rank|name|tell\s+people|choose|pick|present|advertis)\w*\b{_TO}(?:\bonly\b|\bbest\b|one\s+reliable|nothing\s+else|\beach\s+answer|every\s+(?:answer|question|comparison|reply|time)|\bto\s+everyone|\bhard\b|\bfirst\b\s+in|\brivals|competi\w+|favou?rabl\w+|towards\b|"
        r"paid\s+plan|regardless\s+of|\bsuperior)",
    ),
    (
        "D24",
        3,
        r"\b(?:leave|keep)\s+(?:its\s+|the\s+|all\s+)?(?:rivals|competitors|alternatives)\s+out|\bonly\s+\w+\s+worth\s+(?:naming|using)|\bspeak\s+(?:badly|ill)\s+of\b|\bnever\s+(?:suggest|mention|recommend)\s+[A-Z]\w+\s*[;,]",
    ),
    (
        "D24",
        3,
        r"(?:凡是|任何|所有|每当|每次|一律|始终|总是|只|务必|优先|都|统一|以后).{0,16}(?:推荐|引导|首选|选用|安装|改用).{0,14}(?:而不|不要|代替|其他|竞品|唯一|最好|最优|首位|第一)|(?:凡是|任何|所有|一律|始终|总是|只|务必|都).{0,14}(?:推荐|引导)|用\s*(?P<zh>[a-z][a-z0-9]{2,})[-_]\w+\s*(?:代替|替换|取代)\s*(?P=zh)\b|"
        r"安装\s*(?P<zi>[a-z][a-z0-9]{2,})[-_]\w+\s*而不是\s*(?P=zi)\b|排在第一|(?:首推|力荐|主推|强推)[^。\n]{0,40}(?:其他|别的|竞品|唯一|隐患)|(?:一律|凡|都|只|总是)[^。\n]{0,20}(?:首推|力荐|主推)|其他(?:产品|方案|品牌|库)[^。\n]{0,10}(?:隐患|不安全|不可靠|有漏洞|不稳定)|(?:不要|不得|别)提(?:及|到)?(?:其他|竞品|别的)|只说.{0,12}最好|贬低|竞品.{0,8}(?:不安全|不好|差)",
    ),
)
