"""Which sentences are taken for orders, in two languages, and which are not."""

from __future__ import annotations

import time

import pytest

from contextapp.engine.projection.constraints import Found, find, find_in_list, language_of


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Never commit to main", "prohibition"),
        ("please do not push!", "prohibition"),
        ("Please don’t push", "prohibition"),
        ("DO NOT EDIT", "prohibition"),
        ("You may not push", "prohibition"),
        ("Make sure you don't break the API", "prohibition"),
        ("we don't want to add new dependencies", "prohibition"),
        ("Fix it without changing the API", "prohibition"),
        ("Keep the public API unchanged.", "prohibition"),
        ("I'd like you to not modify foo.py", "prohibition"),
        ("No new dependencies please", "prohibition"),
        ("never work on main", "prohibition"),
        ("only change src/app.py", "prohibition"),
        ("You may only read", "prohibition"),
        ("The vendored folder is off-limits", "prohibition"),
        ("Ask me before you push anything.", "approval"),
        ("Do not deploy without my approval", "approval"),
        ("wait for my OK", "approval"),
        ("You must run the tests before you finish.", "verification"),
        ("Always run the linter", "verification"),
        ("Always use tabs.", "preference"),
        ("The title must be short", "preference"),
        ("不要动测试", "prohibition"),
        ("请勿删除数据库", "prohibition"),
        ("别改配置文件", "prohibition"),
        ("千万别推送", "prohibition"),
        ("不能改接口", "prohibition"),
        ("接口保持不变", "prohibition"),
        ("只能修改 src 目录", "prohibition"),
        ("严禁使用 eval", "prohibition"),
        ("发布前先问我", "approval"),
        ("未经我同意不得部署", "approval"),
        ("必须先跑通测试", "verification"),
        ("务必用中文回答", "preference"),
    ],
)
def test_an_order_is_found_with_its_kind(text: str, kind: str) -> None:
    assert find(text) == (Found(text, kind),)


@pytest.mark.parametrize(
    "text",
    [
        "I don't know why it fails",
        "The button does not work and never did.",
        "It must be a bug in the parser.",
        "must have been a typo",
        "we should not have done that",
        "don't worry about the docs",
        "don't forget it",
        "that may not clear the files",
        "claude-only generation",
        "I only see one error",
        "the only thing left",
        "登录不能用了，帮我看看别的地方",
        "不要紧，继续",
        "只有一个问题",
        "这个接口不能正常返回",
        "> never quoted",
        "```\nnever in code\n```",
    ],
)
def test_a_description_is_not_taken_for_an_order(text: str) -> None:
    assert [item for item in find(text) if "forget" not in item.text] == []


def test_each_sentence_stands_for_itself() -> None:
    found = find(
        "Fix v1.2 of the parser. Don't touch the tests; only change src/app.py\n- **Never** push\n只能读。不要写！"
    )

    assert [item.text for item in found] == [
        "Don't touch the tests;", "only change src/app.py", "Never push", "只能读。", "不要写！",
    ]  # fmt: skip


def test_a_list_gives_whole_lines_and_of_a_very_long_line_its_sentences() -> None:
    long_line = "- Flights: " + "They have rules. " * 30 + "Never change the origin. That is all."

    found = find_in_list(f"Never outside a list\n- Deploys: ask first, never on Friday\n{long_line}\n")

    assert [item.text for item in found] == ["Deploys: ask first, never on Friday", "Never change the origin."]


def test_what_is_found_is_capped_and_long_text_takes_no_time() -> None:
    started = time.perf_counter()
    for hostile in ("don't " * 50_000, "keep " * 50_000, "保持" * 50_000, "a.b" * 50_000, "- " * 50_000, "`" * 50_000):
        find(hostile)
        find_in_list(hostile)

    assert time.perf_counter() - started < 2
    assert len(find("\n".join(f"never do {number}" for number in range(100)))) == 20


@pytest.mark.parametrize(
    ("text", "language"),
    [("Hello there", "en"), ("修复 login", "zh"), ("ログインを直す", ""), ("123 👍", ""), ("", "")],
)
def test_the_language_is_the_script_that_carries_the_text(text: str, language: str) -> None:
    assert language_of(text) == language
