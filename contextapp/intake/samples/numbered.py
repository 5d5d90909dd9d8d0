"""给解析器加上行号：一次顺利的会话，用到了计划、已批准的记忆和验证。"""

from __future__ import annotations

from contextapp.engine import events
from contextapp.intake.samples import material
from contextapp.intake.samples.script import Script, bash, edit, read

HOME = "/home/wei/src/parser-kit"
# 已批准的记忆：（内容，种类）
MEMORY = (
    ("parser-kit 的测试要用 make test-fast 运行；完整的 make test 需要二十分钟。", "procedure"),
    ("parser-kit 的错误信息统一写成 “第 N 行第 M 列：原因”。", "decision"),
)
_PLAN = ("在词法器里记录行号和列号", "让语法错误带上位置", "补充测试", "更新说明文档")


def script() -> Script:
    session = Script(
        slug="numbered",
        title="给解析器加上行号",
        agent="claude-code",
        agent_version="2.1.121",
        model="claude-opus-4-6",
        cwd=HOME,
        started="2026-09-20T09:00:00",
        preamble=15_600,
        factor=1.31,
    )
    session.instructions(
        f"{HOME}/CLAUDE.md", "# parser-kit\n\n- 公共函数必须有类型标注。\n- 不引入新的依赖。\n- 提交前运行格式化。\n"
    )
    session.prompt("给解析器加上行号：语法错误要说出在第几行第几列。不要引入新的依赖，完成后必须跑一遍测试。")
    session.step(
        "我先看词法器和语法器。",
        read(f"{HOME}/parser/lexer.py", material.module("lexer", 26)),
        read(f"{HOME}/parser/grammar.py", material.module("grammar", 34)),
    )
    _plan(session, done=0)
    session.step(
        "词法器逐字符前进，在这里记录行列最省事。",
        edit(
            f"{HOME}/parser/lexer.py", "self.position += 1", "self.position += 1\n        self._count_line(character)"
        ),
        think="换行可能是 CRLF，列号要按字符而不是字节计算，否则中文会错位。",
    )
    _plan(session, done=1)
    session.step("", read(f"{HOME}/parser/errors.py", material.module("errors", 10)))
    session.step(
        "错误对象加上位置。",
        edit(
            f"{HOME}/parser/errors.py",
            "def __init__(self, reason: str)",
            "def __init__(self, reason: str, line: int, column: int)",
        ),
    )
    session.step(
        "",
        edit(
            f"{HOME}/parser/grammar.py",
            "raise SyntaxFault(reason)",
            "raise SyntaxFault(reason, token.line, token.column)",
        ),
    )
    _plan(session, done=2)
    failing = [
        (
            "tests/test_errors.py::test_crlf_counts_once",
            "E       assert 3 == 2\n\ntests/test_errors.py:41: AssertionError",
        )
    ]
    session.step("运行测试。", bash("make test-fast", material.test_run(9, 12, failing), exit_code=1))
    session.step(
        "CRLF 被算成了两行。", edit(f"{HOME}/parser/lexer.py", "if character in '\\r\\n':", "if character == '\\n':")
    )
    session.step("", bash("make test-fast", material.test_run(9, 12)))
    session.emit(events.VERIFICATION_COMPLETED, {"command": "make test-fast", "passed": True, "summary": "108 passed"})
    _plan(session, done=3)
    session.step("", edit(f"{HOME}/README.md", "## 错误", "## 错误\n\n语法错误写成 “第 N 行第 M 列：原因”。"))
    _plan(session, done=4)
    session.step(
        "完成：语法错误现在会写出行号和列号，CRLF 只算一行，中文按字符计列；108 个测试通过，没有新增依赖，说明文档已更新。"
    )
    session.prompt("列号是从 0 还是从 1 开始？", after_minutes=2)
    session.step("从 1 开始，与编辑器一致；第一行第一列就是（1，1）。")
    return session.end()


def _plan(session: Script, *, done: int) -> None:
    states = ["completed" if n < done else "in_progress" if n == done else "pending" for n in range(len(_PLAN))]
    items = [{"text": text, "status": state} for text, state in zip(_PLAN, states, strict=True)]
    session.emit(events.PLAN_UPDATED, {"items": items})
