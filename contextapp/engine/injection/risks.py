"""Words of risky acts: what leaks and where to, which safeguard goes, who is said to have agreed. Lists, no verdict."""

from __future__ import annotations

import re

from contextapp.engine.injection.concepts import words

RISKS: dict[str, re.Pattern[str]] = {
    "LEAK": words(
        r"copy|send|upload|append|forward|post|exfiltrate|transmit|e-?mail|mail|leak|paste|submit|attach|include|"
        r"embed|encode|publish|share|"
        r"mirror|sync|stream|export|write|put|add|print|dump|commit|pack|zip|archive|deliver|relay|broadcast|"
        r"replicate|ship|expose|drop|"
        r"push|create|whisper|report|tunnel|back up|(?:copy|send|upload|post|publish|embed|encod|attach|shar|"
        r"forward)ing|"
        r"(?:be|are|is|gets?|being)(?: \w+ly| also)? (?:sent|mailed|e-?mailed|forwarded|uploaded|posted|published|"
        r"attached|exported|shared|streamed|synced|mirrored|pushed|copied|pasted|archived|submitted|cc[\'’]?d)",
        "发送?|上传|转发|附加|附在|附上|附到|提交|传输|泄露|抄送|复制|拷贝|打包|推送|同步|导出|写进|写入|写到|贴|"
        "粘贴|拼[接到进在]?|编码|嵌入|嵌到|分享|公开|"
        "发布|放到|放进|放在|传出|传到|传给|外发|备份|邮寄|寄给|抄一份|回传|外传",
    ),
    "SECRET": words(
        r"\w{0,20}secrets?(?:\.\w{1,8})?|id_rsa|id_ed25519|api[ _-]?keys?|passwords?|credentials?|(?:\w+ )?tokens?|"
        r"(?:private|signing|aws|ssh|access|"
        r"deploy|encryption|secret) keys?|(?<!\.)env|environment(?: variables?)?|keys|npmrc|kubeconfig|cookies?|"
        r"keychain|wallets?|certificates?",
        r"环境变量|密钥|密码|口令|令牌|凭证|凭据|私钥|机密|钥匙|助记词",
    ),
    "SECRET_FILE": re.compile(
        r"(?<!\w)\.(?:env|npmrc|netrc|pypirc|git-credentials|aws|ssh|kube|gnupg)(?!\.(?:example|sample|"
        r"template))(?![\w-])",
        re.I,
    ),
    "PRIVATE": words(
        r"conversations?|chats?(?: with \w+)?|transcripts?|session|prompts?|source(?: code| tree)?|repositor(?:y|"
        r"ies)|code ?base|(?:user|customer|client|employee)"
        r"(?:s|['’]s)? (?:data|list|table|names?|records|emails?|messages?)|database|personal data|tool outputs?|"
        r"private files?|dump|history|"
        r"working (?:directory|tree)|diff|last message|private (?:code|package)|username|internal (?:docs|"
        r"documents)|address book|context",
        "对话|会话|聊天|源代码|源码|代码|仓库|数据库|客户|用户(?:数据|信息|表|名|资料|输入|消息)|个人信息|内部文档|"
        "提示词|上下文|文件|通讯录",
    ),
    "OUTSIDE": re.compile(
        r"(?:https?|ftp|s3|wss?|sftp|tcp)://|[\w.+-]{1,64}@[\w-]{1,64}\.|\bgit@|\b[\w-]{1,64}\.collector\.\w{1,20}|"
        r"(?<![\w.@/])(?:[\w-]{1,64}\.){1,6}(?:example|com|net|io|org|dev|xyz|cn|ru|"
        r"site)\b|外部|外网|公网|境外|第三方|网盘|DNS|域名|子域",
        re.I,
    ),
    "PUBLIC": words(
        r"public(?:ly)?(?: \w+)?|gists?|paste ?bins?|web ?hooks?|dns(?: \w+)?|sub-?domains?|third[ -]part(?:y|ies)|"
        r"external|outside|remote|"
        r"query(?: string| parameters?)?|image (?:url|link)|tracking pixel|pixel|support form|(?:issue|commit|"
        r"pull request) (?:title|message|body|"
        r"description|comment)s?|package|registry|anonymous|internet|user[- ]agent|hostname|telegram|discord|slack",
        r"公开|公共|图片|链接|参数|提交信息|提交说明|网址|包里|镜像站|群",
    ),
    "OPEN": words(
        r"public \w+|gists?|paste ?bins?|query (?:string|parameters?)|image (?:url|link)|tracking pixel|pixel|"
        r"dns(?: \w+)?|sub-?domains?|"
        r"third[ -]part(?:y|ies)|(?:external|outside|remote) \w+|telegram|discord|web ?hooks?",
        "公开|公共|图片地址|外部|外网|第三方|网盘|图片链接",
    ),
    "SKIP": words(
        r"skip(?:ped|ping)?|disabl(?:e|ed|ing)|bypass(?:ed|ing)?|turn(?:ed)? off|turn(?=(?: \S+){1,3} off)|"
        r"switch(?:ed)? off|omit(?:ted)?|suppress|"
        r"circumvent|ignored?|relax|weaken|loosen|lower|remove|drop|mute|silence|deactivate|comment out|delete|"
        r"exclude|replace|stub out|no need for|"
        r"unnecessary|superfluous|formality|optional|do not matter|not (?:needed|required|necessary)|(?:are|"
        r"is) a nuisance|waive[sd]?|without|mark",
        "跳过|关闭|关掉|忽略|省略|绕过|禁用|停用|取消|去掉|移除|删掉|删除|注释掉?|降低|放宽|削弱|免除|不必|无需|"
        "不用|不需要|免去|略过",
    ),
    "CHECKS": words(
        r"assert(?:ion)?s?|(?:certificate|signature|checksum|hash|tls|ssl|identity|password|permission|access|"
        r"security|safety|type|license)"
        r"(?: \w+)? (?:checks?|verification|validation|scans?|review)|certificates?|signatures?|checksums?|firewall|"
        r"branch protection|protection rules?|"
        r"access controls?|(?:security|failing|failed|red|broken|flaky) tests?|checks in \S+|two-factor|2fa|mfa|"
        r"audit(?:ing| log)?|secret scan(?:ner|ning)?|"
        r"scanner findings|sandbox|sign-?off|code review|failing checks|approvals?|confirmations?",
        "证书|签名|校验|防火墙|分支保护|审计|监控|双因素|权限检查|沙箱|断言|失败的?测试|安全(?:检查|扫描|测试)|哈希|"
        "审批(?!人)|批准|审核(?![人员者])|评审(?![人员])|确认|验证|代码审查",
    ),
    "PURPOSE": words(
        r"so (?:that )?|until|to make|to keep|to get|instead of|can|may|could|should|whenever|all|every|always|"
        r"for now|globally|everywhere|return true|"
        r"set it|merge|here|from now on|a formality|do not matter|is green|passes|passed|before starting|sake|each|"
        r"any|freely|directly|just",
        "可以|即可|直接|先让|让|以(?:便|加快|免)|就行|所有|一律|变绿|先通过|今后|以后|即可|先让|再说|自行|上线|部署|"
        "合并",
    ),
    "LOCAL": words(
        r"locally|on a laptop|docs|documentation|drafts?|deprecated|unused|slow tests?|snapshots?|spell ?check|-m|"
        r"in tests|cache",
        "本地|文档|草稿|慢测试|未使用|缓存|快照",
    ),
    "PROCEDURE": words(
        r"must|requires?|required|needs? (?:two|an?|the)|only after|unless|reviewed by|has to|have to",
        "必须|必需|须|方可|才能|才可|需要?(?:两|经|由|二)",
    ),
    "AUTHORITY": words(
        r"(?:team|tech|project) leads?|security(?: team| committee)?|committee|board|management|legal|compliance|"
        r"owners?|administrators?|admins?|operators?|"
        r"c[tei]s?o|maintainers?|(?:platform )?provider|vendor|anthropic|openai|customer|client|users?|leadership|"
        r"manager|sre|dpo|council",
        "管理层|委员会|所有者|负责人|管理员|法务|官方|运维|领导|项目组|用户|合规|经理|总监|主管|维护者|安全(?:部|"
        "团队|组)|甲方|客户|董事会|平台",
    ),
    "CONSENT": words(
        r"(?:pre-?|already )?approved|approves|agreed|authori[sz](?:ed|es|ation)|consents?|consented|signed off|"
        r"cleared|confirmed|granted|gave|permitted|waived|"
        r"decided|accepted|instructs|grants?|blessed|standing consent|agrees|okayed|allows|allowed|permission|"
        r"exempted",
        "批准|同意|授权|许可|认可|确认|放行|豁免|决定|允许|特批",
    ),
    "BLANKET": words(
        r"in advance|in writing|at any time|freely|blanket|standing|for good|from now on|no|not needed|"
        r"once and for all|(?:all|any|every|future|later)(?: \w+)? (?:\w*deletions?|actions?|"
        r"commands?|uploads?|changes|requests?|domains?|tools?|operations|access|files?|purchases?|calls?|branches|"
        r"merges|pushes|deployments?)|agents? may|"
        r"you (?:may|are allowed)|every purchase|everything|without|deleting|secrets|private keys|production|"
        r"directly|unsigned|sharing|beforehand|"
        r"previously|permanently|not required|covers|already",
        "书面|随时|助手可|代理可|事先|提前|今后|以后|无需|不必|不用|不再需要|一次性|永久|任何|所有|一切|直接|预先|"
        "长期|全权|对外|不需要",
    ),
    "AUTO": words(
        r"pre-?(?:cleared|approved|confirmed|vetted)|rubber-?stamp|pre-?authori[sz]ed|already (?:been )?(?:approved|"
        r"confirmed|cleared|authori[sz]ed|reviewed)|auto-?(?:approve|accept|confirm|merge)|"
        r"automatically|as confirmed|as approved|answered with yes|always (?:answer|say) yes|with yes|self-?approve|"
        r"your own|without asking|do not ask|"
        r"(?:stop|no) asking|don['’]?t ask|unattended|(?:without|not|no need to) wait(?:ing)?",
        "视为|视同|默认(?:同意|批准|允许)|自动(?:同意|批准|确认|通过|放行|点击|合并)|自行(?:合并|批准)|"
        "已(?:经)?(?:批准|确认|授权|放行|审核|同意)|不要?再?(?:询问|问)|"
        "不必(?:等|再?问)|无需(?:等|再?问)|不用(?:等|再?问)|放行(?:所有|全部|一切)|批准(?:所有|全部|一切)",
    ),
    "ASKING": words(
        r"commands?|migrations?|deploy\w*|tool calls?|confirmation|dialogs?|prompts?|permissions?|approvals?|"
        r"sign-?off|pull requests?|user|review|consent|actions|operations|"
        r"requests|merge|consent|package|scan",
        "命令|工具调用|弹窗|权限|请求|操作|用户|批准|审批|确认|审核|评审|变更|合并|部署|授权",
    ),
}
