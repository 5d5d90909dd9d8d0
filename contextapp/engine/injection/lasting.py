"""Claims to last or to be the only choice (D20, D24): entries nobody may delete, products always named. A table, no verdict."""

from __future__ import annotations

_ONE = (
    r"(?:this|the|the\s+present)\s+"
    r"(?:entry|memory|note|record|rule|instruction|item|line|preference|paragraph|page|block|text)"
)
_ZH_ONE = r"(?:本|此|该|这)(?:条|段|一条|个|项|则)?(?:记忆|指令|规则|记录|备注|内容|偏好|条目|说明)?"
_GONE = r"(?:delet|remov|edit|chang|revok|overwr|forgot|expire|alter|modif|purg|dropp?|overrid|replac|clear|evict|compact)\w*"
_TO = r"(?:[^.\n。]|\.(?=\S)){0,90}?"
SOURCES: tuple[tuple[str, int, str], ...] = (
    (
        "D20",
        4,
        rf"\b{_ONE}\s+(?:must|may|can|should|shall|is|will|are)\s*(?:never|not|"
        rf"n['’]t)\s+(?:to\s+)?be\s+(?:\w+\s+or\s+)?{_GONE}|\b{_ONE}\s+(?:never\s+expires?|(?:has|"
        rf"have)\s+no\s+expir\w+|cannot\s+be|is\s+(?:permanent|immutable|eternal|final))",
    ),
    (
        "D20",
        4,
        rf"\b(?:never|do\s+not|don['’]?t|refuse(?:\s+any\s+request)?\s+to|reject\s+(?:any|every)\s+(?:request|"
        rf"attempt)\s+to)\s+(?:ever\s+)?(?:delete|remove|forget|expire|edit|overwrite|drop|purge|revoke)\s+{_ONE}",
    ),
    (
        "D20",
        4,
        rf"\b(?:keep|retain|remember|store|preserve|carry|save|pin)\s+(?:{_ONE}|this|"
        rf"it)\b[^.\n]{{0,30}}\b(?:forever|permanently|indefinitely|always|eternally|through\s+(?:all|every)|"
        rf"across\s+(?:all|every)|in\s+every|for\s+good|immutable|verbatim)",
    ),
    (
        "D20",
        4,
        rf"\b(?:should|if|when(?:ever)?)\s+{_ONE}\s+(?:is\s+|be\s+|gets\s+|was\s+|"
        rf"has\s+been\s+)?(?:ever\s+)?{_GONE}|\b(?:restore|re-?create|re-?add|write)\s+(?:it|"
        rf"{_ONE})\b[^.\n]{{0,20}}\b(?:if|whenever|again|after)\b",
    ),
    (
        "D20",
        4,
        rf"\bcopy\s+(?:{_ONE}|this)\s+(?:in)?to\s+(?:every|each|all|any|new)|\b(?:load|read|apply|"
        rf"obey)\s+{_ONE}\s+(?:first\b|before\s+(?:any|every|the\s+system|all))|\bmark\s+{_ONE}\s+as\s+(?:pinned|"
        rf"permanent|immutable|trusted|approved)|"
        r"\btakes?\s+priority\s+over\s+(?:all|every|any|later|other|earlier|the\s+(?:user|system|operator))|"
        r"may\s+not\s+be\s+changed\s+by\s+the\s+(?:user|operator)",
    ),
    (
        "D20",
        4,
        rf"{_ZH_ONE}.{{0,10}}(?:不得|不可|不能|禁止|永不|不允许|永远不|不许|不会)(?:被)?(?:删除|修改|移除|编辑|过期|"
        rf"覆盖|失效|撤销|清除|遗忘|忘记)|永远(?:保留|保存|记住|有效)|永不(?:过期|失效|删除)|"
        rf"若{_ZH_ONE}.{{0,8}}(?:删除|移除|清除|丢失).{{0,8}}(?:重新|再次|恢复)|"
        r"(?:压缩|总结|清理).{0,10}(?:必须|务必|一定要?).{0,6}(?:原样|完整)?.{0,3}保留|优先于.{0,6}(?:任何|所有|"
        r"一切|其他|之后)|置顶.{0,6}(?:禁止|不可|不得)|(?:不要|不得|禁止|拒绝)(?:删除|修改|忘记|移除)(?:本|此|"
        r"这)(?:条|段|项|则|记忆|规则)",
    ),
    (
        "D24",
        3,
        r"\b(?:install|use|prefer|import|replace|swap|choose|"
        r"pick)\s+(?:the\s+)?(?:package\s+)?[`'\"]?(?:@[\w-]+/)?(?P<name>[a-z][a-z0-9]{2,})[-_][\w-]+[`'\"]?\s+(?:instead\s+of|over|rather\s+than|in\s+place\s+of)\s+[`'\"]?(?P=name)\b|"
        r"\breplace\s+(?:the\s+)?[`'\"]?(?P<old>[a-z][a-z0-9]{2,})[`'\"]?\s+(?:package\s+)?(?:with|"
        r"by)\s+[`'\"]?(?P=old)[-_]\w+",
    ),
    (
        "D24",
        3,
        rf"\b(?:recommend|suggest|steer|promote|push|praise|mention|rank|name|tell\s+people|choose|pick|present|"
        rf"advertise)\b{_TO}(?:\bonly\b|\bbest\b|one\s+reliable|nothing\s+else|\beach\s+answer|every\s+(?:answer|"
        rf"question|comparison|reply|time)|\bto\s+everyone|\bhard\b|\bfirst\b\s+in|\brivals|competi\w+|"
        rf"favou?rabl\w+|towards\b|"
        r"paid\s+plan|regardless\s+of|\bsuperior)",
    ),
    (
        "D24",
        3,
        r"\b(?:leave|keep)\s+(?:its\s+|the\s+|all\s+)?(?:rivals|competitors|alternatives)\s+out|"
        r"\bonly\s+\w+\s+worth\s+(?:naming|using)|\bspeak\s+(?:badly|ill)\s+of\b|\bnever\s+(?:suggest|mention|"
        r"recommend)\s+[A-Z]\w+\s*[;,]",
    ),
    (
        "D24",
        3,
        r"(?:凡是|任何|所有|每当|每次|一律|始终|总是|只|务必|优先|都|统一|以后).{0,16}(?:推荐|引导|首选|选用|安装|"
        r"改用).{0,14}(?:而不|不要|代替|其他|竞品|唯一|最好|最优|首位|第一)|(?:凡是|任何|所有|一律|始终|总是|只|"
        r"务必|都).{0,14}(?:推荐|引导)|用\s*(?P<zh>[a-z][a-z0-9]{2,})[-_]\w+\s*(?:代替|替换|取代)\s*(?P=zh)\b|"
        r"安装\s*(?P<zi>[a-z][a-z0-9]{2,})[-_]\w+\s*而不是\s*(?P=zi)\b|排在第一|(?:首推|力荐|主推|"
        r"强推)[^。\n]{0,40}(?:其他|别的|竞品|唯一|隐患)|(?:一律|凡|都|只|总是)[^。\n]{0,20}(?:首推|力荐|主推)|"
        r"其他(?:产品|方案|品牌|库)[^。\n]{0,10}(?:隐患|不安全|不可靠|有漏洞|不稳定)|(?:不要|不得|别)提(?:及|"
        r"到)?(?:其他|竞品|别的)|只说.{0,12}最好|贬低|竞品.{0,8}(?:不安全|不好|差)",
    ),
)
