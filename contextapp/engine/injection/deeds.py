"""Risky deeds by a fixed form (D17-D19, D21, D23): leaks, triggers, switches, shell lines. A table, no verdict."""

from __future__ import annotations

_WHEN = (
    r"(?:next\s+time|(?:the\s+)?(?:first|next)\s+time|when(?:ever)?|once|if|as\s+soon\s+as|every\s+time|each\s+time|"
    r"after|before|upon|"
    r"on\s+the\s+(?:next|first)|the\s+moment|(?:wait\s+)?until|at\s+the\s+(?:end|start)\s+of)"
)
_ZH_WHEN = r"(?:以后|下次|下一次|今后|每当|一旦|等到?|只要|收到|每次|每逢|待|当|如果|若|之后|首次|第一次)"
_TO = r"(?:[^.\n。]|\.(?=\S)){0,90}?"
_LOSSES = (
    r"(?:(?:delete|drop|wipe|erase|destroy|truncate|purge)\s+(?:the\s+|all\s+|every\s+|any\s+|its\s+|"
    r"their\s+)?(?:[\w-]+\s+){0,2}(?:branch|bucket|database|table|backup|"
    r"director|folder|repositor|data|file|volume|record|key|account|log|environment)\w*|force[- ]?push|"
    r"git\s+push\s+(?:-f|--force)\b|disable\b|"
    r"merge\s+(?:it|\w+\s+\w+)?\s*(?:without|directly|immediately)|--force\b|"
    r"grant\s+\w+|transfer\s+\S+\s+to|(?:fetch|download|pull)\s+and\s+(?:run|execute|install)|(?:run|execute|call|"
    r"invoke)\s+\S*(?:\w\.(?:sh|py|js|ps1|exe)|hidden)\b|"
    r"switch\s+to\s+(?:the\s+)?\w*\s*(?:admin|root)\w*|(?:push|post|send|forward|upload|copy|store|mail|e-?mail|"
    r"open|report|submit)\b[^.\n]{0,60}"
    r"(?:https?://|@[\w-]+\.|[\w-]+\.example\b|/tmp/|public|helper\s+service|channel)|(?:switch|change|replace|swap|"
    r"redirect|point|set)\b[^.\n]{0,60}?(?:https?://|[\w-]+\.example\b)|without\s+(?:review|asking|approval)|"
    r"approve\s+(?:it|the|all|every))"
)
_ZH_LOSSES = (
    r"(?:(?:删除|删掉|清空|销毁).{0,12}(?:备份|目录|数据|分支|仓库|文件|记录|日志|账号|桶|环境)|强制推送|强推|"
    r"(?:关闭|禁用|停用).{0,8}(?:保护|检查|校验|审批|防火墙|日志|审计|沙箱)|"
    r"切换到?.{0,6}(?:管理员|root)|导出.{0,10}(?:数据|会话|记录)|上传|转存|转发|外发|发(?:送|到|往|给)|(?:换成|改成|"
    r"改为|替换|指向|换为).{0,12}(?:https?://|[\w-]+\.[a-z])|转账|付款|授予|直接(?:合并|批准|部署)|跳过|"
    r"(?:执行|运行|调用|下载).{0,20}(?:脚本|\.sh|\.py|http|工具)|复制.{0,16}(?:密钥|令牌|公共|外部))"
)
_SWITCHES = (
    r"verify\s*=\s*False\b|NODE_TLS_REJECT_UNAUTHORIZED\s*=?\s*[\"']?0|sslVerify\s*[= ]\s*false|"
    r"strict-ssl\s*[= ]?\s*false|rejectUnauthorized\s*[:=]\s*false|"
    r"InsecureSkipVerify|PYTHONHTTPSVERIFY\s*=\s*0|--no-check-certificate\b|StrictHostKeyChecking[= ]no|"
    r"--dangerously-[\w-]+|(?<!\w)--yolo\b|--no-gpg-(?:sign|check)|"
    r"--allow-unauthenticated\b|--nogpgcheck\b|danger-full-access|bypassPermissions|\bchmod\s+(?:-R\s+)?777\b|"
    r"\bcurl\s+(?:-\w+\s+)*(?:-k|--insecure)\b"
)
SOURCES: tuple[tuple[str, int, str], ...] = (
    ("D19", 4, r"\b(?:act|behave|pretend|carry\s+on)\s+as\s+(?:if|though)\s+nothing\b"),
    (
        "D17",
        5,
        r"https?://[^\s?&]{1,160}[?&](?:[^\s&]{0,80}&){0,4}\w{1,30}=\s{0,3}[<{\[]|\b(?:env|printenv|cat\s+\S+|tar\s[^|\n]{1,60})\s*\|\s*(?:curl|nc|ncat|wget|"
        r"ssh|base64)\b|\bcurl\b[^\n]{0,80}(?:-d|--data\S*|-F|-T)\s*\S*@",
    ),
    ("D17", 5, r"!\[[^\]\n]{0,60}\]\(\s{0,3}https?://[^)\s?&]{1,160}[?&]\w{1,30}=(?:[A-Z]{2,}_[A-Z_]+|[A-Z]{6,})"),
    (
        "D18",
        4,
        rf"\b{_WHEN}\b{_TO}\b(?:users?|someone|somebody|anyone|owner|reviewer|maintainer|customer|they|session|"
        rf"conversation|release|deploy\w*|tasks?|ci|tests|question|words?|phrase|"
        rf"keyword|token|credentials?|refund|pull\s+request|you\s+finish)\b[^\n]{{0,90}}?\b{_LOSSES}",
    ),
    (
        "D18",
        4,
        rf"{_ZH_WHEN}[^\n。]{{0,24}}(?:用户|有人|对方|客户|会话|任务|审核|发布|暗号|口令|关键|部署|对话|提交|合并|"
        rf"登录|所有者|管理员|测试|构建)[^\n。]{{0,24}}{_ZH_LOSSES}",
    ),
    (
        "D18",
        4,
        r"(?:用户|有人|对方).{0,6}(?:说|回复|输入|确认|提到).{0,14}(?:之后|后|时|就|便).{0,6}(?:顺便|就|立即|马上|"
        r"先|再|直接).{0,12}" + _ZH_LOSSES,
    ),
    (
        "D18",
        4,
        r"(?:等|待|当)?用户(?:下次|下一次|再)?(?:说|提|问|要求|回复)[^\n。]{0,20}(?:就|便|则|时)[^\n。]{0,8}(?:顺手|"
        r"顺便|悄悄|自动)[^\n。]{0,30}(?:换|改|删|传|发|关|装|执行|运行|推)",
    ),
    (
        "D21",
        4,
        r"(?:do(?:es)?\s+not|(?:do|does|need)n['’]t|need\s+not|never|no\s+need\s+to|without)\s+(?:\w+\s+)?(?:wait|"
        r"ask|pause|prompt|check)(?:ing|s)?\s+(?:for|with|before)\s+(?:an?\s+|the\s+|any\s+|"
        r"their\s+)?(?:\w+\s+)?(?:approval|sign-?off|confirmation|permission|review|consent|reviewers?|owner|"
        r"go-?ahead)",
    ),
    (
        "D21",
        4,
        r"\b(?:reviews?|approvals?|sign-?off|review\s+label|tests?)\b[^.\n]{0,30}\b(?:added|done|given|requested|"
        r"filled\s+in|follows?|obtained|set|comes?|happens?)\s+(?:afterwards?|later|retroactively|"
        r"after\s+the\s+fact)|(?:事后|之后|回头|以后)再?补(?:上|齐|充)?(?:审批|评审|审核|签字|手续|测试)|先(?:上线|"
        r"合并|部署|发布)(?:，)?(?:后|再)补?(?:审|评)",
    ),
    (
        "D21",
        4,
        r"(?:断言|失败的?(?:测试|用例)|安全(?:测试|扫描))[^不禁勿。\n]{0,8}(?:删掉|删除|删去|注释|去掉|屏蔽|移除)|"
        r"(?:流水线|检查|测试|结果|用例)[^不禁勿。\n]{0,6}标(?:成|为|记为|记成)[^。\n]{0,3}(?:通过|成功|绿)",
    ),
    ("D21", 4, _SWITCHES),
    (
        "D21",
        4,
        r"\b(?:outside|out)\s+(?:of\s+)?the\s+sandbox|\bwithout\s+(?:waiting|asking)\s+for\b|\bno\s+(?:approval|"
        r"review|confirmation|sign-?off|permission|scan)s?\s+(?:is|are)\s+(?:required|needed|necessary)|"
        r"(?:在)?沙箱(?:之)?外(?:运行|执行)",
    ),
    (
        "D21",
        4,
        r"(?:无需|不必|不用|不需要|无须|免|不要)(?:再|等待?|经过?|任何|再次|人工|二次){0,3}(?:的)?(?:审批|批准|审核|"
        r"确认|询问|许可|授权|评审|复核|同意)|把?\s*verify\s*设为\s*False|证书错误(?:直接|可以|请)?忽略",
    ),
    (
        "D21",
        4,
        r"\b(?:force[- ]?push|push\s+--force)\b[^.\n]{0,30}\b(?:main|master|production|whenever|always)\b|"
        r"\bmark\s+failing\s+\w+\s+as\s+pass|\b(?:delete|remove|drop|skip|xfail)\s+(?:the\s+|all\s+|any\s+|"
        r"every\s+)?(?:failing|failed|red|broken|security)\s+(?:tests?|checks?)|"
        r"\b(?:comment\s+out|delete|remove|weaken|loosen|drop)\s+(?:the\s+|all\s+|any\s+|"
        r"every\s+)?(?:\w+\s+)?(?:assert(?:ion)?s?)\b",
    ),
    (
        "D23",
        4,
        r"\b(?:curl|wget)\b[^\n|]{0,160}\|\s*(?:sudo\s+)?(?:\w*sh|python[\d.]*|node|perl|ruby|php|tee\s+\S+\s*\|)\b|"
        r"(?:source|bash|sh|\.)\s+<\(\s*(?:curl|wget)|-c\s+[\"'`]?\$\(\s*(?:curl|wget)|\b(?:iwr|irm|"
        r"invoke-webrequest)\b[^\n]{0,100}\|\s*iex\b",
    ),
    (
        "D23",
        4,
        r"\b(?:npm|pip|gem|yarn|pnpm|registry|index(?:[-. ]url)?|sources?|mirror|-i|bundle|maven|cargo|"
        r"goproxy)\b[^\n]{0,50}?\bhttp://(?!localhost|127\.)|(?:源|镜像)[^\n。]{0,20}http://|--trusted-host\b|"
        r"\bGO(?:INSECURE|FLAGS\s*=\s*-insecure)|\bGONOSUMDB\b",
    ),
    (
        "D23",
        4,
        r"\b(?:download|fetch|get)\s+https?://\S+[^.\n]{0,60}\b(?:run|execute|start|install|executable)\b|"
        r"下载\s*\S*https?://\S+.{0,20}(?:运行|执行|安装|启动)|从\s*https?://\S+\s*(?:下载|获取).{0,12}(?:运行|执行|"
        r"安装)",
    ),
)
