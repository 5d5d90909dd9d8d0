"""Ten thousand records of 250 services and 40 matters, half English and half Chinese, a third with an identifier or a path,
and questions that are each about one of them. From one seed; every question has 39 rivals of its service and 249 of its matter.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

SEED = 5
DOMAINS = {
    "billing": "计费", "payment": "支付", "search": "搜索", "invoice": "发票", "account": "账户", "catalog": "目录",
    "delivery": "配送", "warehouse": "仓库", "pricing": "定价", "refund": "退款", "coupon": "优惠券", "session": "会话",
    "report": "报表", "audit": "审计", "mailing": "邮件", "upload": "上传", "image": "图片", "video": "视频",
    "review": "评价", "chat": "聊天", "tax": "税务", "partner": "伙伴", "loyalty": "积分", "contract": "合同",
    "calendar": "日历",
}  # fmt: skip
ROLES = {
    "gateway": "网关", "worker": "工作器", "scheduler": "调度器", "proxy": "代理", "importer": "导入器", "cache": "缓存",
    "router": "路由", "monitor": "监控", "adapter": "适配器", "planner": "规划器",
}  # fmt: skip
_FIRST = {
    "request": "请求", "retry": "重试", "backup": "备份", "login": "登录", "queue": "队列", "memory": "内存",
    "disk": "磁盘", "batch": "批次",
}  # fmt: skip
_SECOND = {"timeout": "超时", "owner": "负责人", "limit": "上限", "schedule": "时间表", "password": "口令"}
MATTERS = {(one, two): zh + zh_two for one, zh in _FIRST.items() for two, zh_two in _SECOND.items()}


@dataclass(frozen=True, slots=True)
class Question:
    """`kind`: en, zh, zh_nospace, case, path, mixed, para or typo; `reference` names the one record it is about."""

    kind: str
    text: str
    reference: str


@dataclass(frozen=True, slots=True)
class _About:
    """One service and one of its matters. The number decides language, and whether a name or a path is told."""

    number: int
    domain: str
    role: str
    matter: tuple[str, str]

    @property
    def reference(self) -> str:
        return f"mem_{self.number:012x}@1"

    @property
    def is_chinese(self) -> bool:
        return self.number % 2 == 1

    @property
    def names(self) -> str:
        """name, path, or nothing"""
        return {0: "name", 1: "path"}.get(self.number // 2 % 6, "")

    @property
    def words(self) -> list[str]:
        return [self.domain, self.role, *self.matter]

    @property
    def chinese(self) -> tuple[str, str, str]:
        return DOMAINS[self.domain], ROLES[self.role], MATTERS[self.matter]

    @property
    def path(self) -> str:
        return f"src/{self.domain}/{self.role}/{'_'.join(self.matter)}.py"

    def claim(self) -> str:
        number = 3 + self.number * 7 % 90
        written = _camel(self.words) if self.number % 4 < 2 else "_".join(self.words)
        if self.is_chinese:
            domain, role, matter = self.chinese
            told = {"name": f"，见{written}", "path": f"，写在{self.path}里"}.get(self.names, "")
            return f"{domain}{role}的{matter}定为{number}，改之前先问值班同事{told}。"
        told = {"name": f", see {written}", "path": f", set in {self.path}"}.get(self.names, "")
        return f"The {self.domain} {self.role} has its {' '.join(self.matter)} at {number}; ask on call before changes{told}."


def records() -> list[tuple[str, str]]:
    """(reference, claim), in an order that tells nothing."""
    found = [(about.reference, about.claim()) for about in _abouts()]
    random.Random(SEED).shuffle(found)
    return found


def asked(each: int) -> list[Question]:
    """That many of every kind, each about a record that the kind fits."""
    chance = random.Random(SEED + 1)
    abouts = _abouts()
    found: list[Question] = []
    for kind, (fits, texts) in KINDS.items():
        for place, about in enumerate(chance.sample([one for one in abouts if fits(one)], each)):
            found.append(Question(kind, texts[place % len(texts)](about), about.reference))
    return found


def _abouts() -> list[_About]:
    services = [(domain, role) for domain in DOMAINS for role in ROLES]
    # 40 matters to a service: shifted by one for every second service, so that each matter is told in both languages
    return [
        _About(40 * service + (matter + service) % 40, domain, role, list(MATTERS)[matter])
        for service, (domain, role) in enumerate(services)
        for matter in range(40)
    ]


def _camel(words: list[str]) -> str:
    return "".join(map(str.capitalize, words))


def _slipped(word: str) -> str:
    """Two neighbouring letters exchanged."""
    middle = len(word) // 2
    return word[: middle - 1] + word[middle] + word[middle - 1] + word[middle + 1 :]


_OTHERWISE = {
    "timeout": "how long until {} gives up on a {}", "owner": "who answers for the {} and its {}",
    "limit": "how much may the {} take of a {} at most", "schedule": "when does the {} run its {}",
    "password": "the secret that opens the {} for a {}",
}  # fmt: skip


def _in_other_words(about: _About) -> str:
    return _OTHERWISE[about.matter[1]].format(f"{about.domain} {about.role}", about.matter[0])


Text = Callable[[_About], str]
Fits = Callable[[_About], bool]
_EN: tuple[Text, ...] = (
    lambda one: f"Why does the {' '.join(one.matter)} of our {one.domain} {one.role} matter here?",
    lambda one: f"Please raise the {one.domain} {one.role}'s {' '.join(one.matter)} and run the tests again",
    lambda one: f"{' '.join(one.matter)}s of {one.domain} {one.role}s: are they documented somewhere?",
)
_ZH: tuple[Text, ...] = (
    lambda one: f"请 看 一下 {' '.join(one.chinese)} 现在 是 多少",
    lambda one: f"{one.chinese[0]}{one.chinese[1]} 的 {one.chinese[2]} 为什么 不对",
)
_ZH_NOSPACE: tuple[Text, ...] = (
    lambda one: f"帮我把{one.chinese[0]}{one.chinese[1]}的{one.chinese[2]}调大一点然后重新跑测试",
    lambda one: f"{one.chinese[2]}出错了是不是{one.chinese[0]}{one.chinese[1]}配置的问题",
    lambda one: f"用Docker部署后{one.chinese[0]}{one.chinese[1]}报KeyError，查{one.chinese[2]}",
)
_CASE: tuple[Text, ...] = (
    lambda one: f"where is {''.join(one.words).upper()} read",
    lambda one: f"rename {'_'.join(one.words)} please",
    lambda one: f"{'_'.join(one.words).upper()} is not defined",
    lambda one: f"请修复{_camel(one.words)}的错误",
    lambda one: f"{one.domain}{_camel(one.words[1:])} is undefined",
    lambda one: f"看看{''.join(one.words)}为什么是空的",
)
_PATH: tuple[Text, ...] = (
    lambda one: f"{one.path}:42: error: incompatible type",
    lambda one: f"open {one.path.replace('/', chr(92))} and fix it",
    lambda one: f'File "C:\\work\\{one.path.replace("/", chr(92))}", line 7, in main',
    lambda one: f"在{one.path}:17:3报错了，请看一下",
    lambda one: f"fails at {one.path.removeprefix('src/')}:9",
    lambda one: f"edit /home/me/shop/{one.path}",
)
_TYPO: tuple[Text, ...] = (
    lambda one: f"what is the {' '.join(one.matter)} of the {_slipped(one.domain)} {one.role}",
    lambda one: f"{one.domain} {_slipped(one.role)} {' '.join(one.matter)}",
)
_MIXED: tuple[Text, ...] = (
    lambda one: f"帮我看下{one.domain} {one.role}的{' '.join(one.matter)}是多少",
    lambda one: f"{one.domain}的{one.role}报错，跟{one.matter[0]}的{one.matter[1]}有关吗",
)
KINDS: dict[str, tuple[Fits, tuple[Text, ...]]] = {
    "en": (lambda one: not one.is_chinese, _EN),
    "zh": (lambda one: one.is_chinese, _ZH),
    "zh_nospace": (lambda one: one.is_chinese, _ZH_NOSPACE),
    "case": (lambda one: one.names == "name", _CASE),
    "path": (lambda one: one.names == "path", _PATH),
    "mixed": (lambda one: not one.is_chinese, _MIXED),
    "para": (lambda one: not one.is_chinese, (_in_other_words,)),
    "typo": (lambda one: not one.is_chinese and min(len(one.domain), len(one.role)) > 4, _TYPO),
}
