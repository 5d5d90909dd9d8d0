"""一次带子智能体的会话：主会话派出一个子智能体去搜索，只收到它的报告；子智能体读过的内容留在它自己的窗口里。"""

from __future__ import annotations

from contextapp.intake.samples import material
from contextapp.intake.samples.script import Call, Script, bash, edit, grep, read

HOME = "/home/wei/src/ordering"
_TASK = "在整个仓库里找出仍在使用旧日志接口 log_old 的地方，按模块列出文件和行号，不要修改任何文件。"
_REPORT = """共 3 个模块仍在使用 log_old：
1. ordering/checkout.py：第 48、131 行
2. ordering/refunds.py：第 22 行
3. ordering/jobs/nightly.py：第 75、76、190 行
测试代码里没有。其余 41 个文件已经使用 structlog。"""


def scripts() -> tuple[Script, Script]:
    """主会话在前，子智能体在后。"""
    parent = Script(
        slug="delegated",
        title="把旧日志接口换成结构化日志",
        agent="claude-code",
        agent_version="2.1.119",
        model="claude-opus-4-6",
        cwd=HOME,
        started="2026-09-19T15:05:00",
        preamble=15_600,
        factor=1.31,
    )
    child = _child()
    parent.instructions(
        f"{HOME}/CLAUDE.md",
        "# ordering\n\n- 日志一律使用 structlog，字段名用英文。\n- 改动后运行 make test。\n- 不要改动 ordering/legacy 目录。\n",
    )
    parent.prompt("仓库里还有一些地方在用旧的 log_old，请全部换成结构化日志。不要动 legacy 目录。")
    parent.step(
        "范围不小，我先派一个子智能体去搜索，主会话只保留结论。",
        Call("Task", {"subagent_type": "Explore", "description": "查找旧日志接口", "prompt": _TASK}, _REPORT),
        think="搜索会读很多文件，放在子智能体里可以让主窗口保持干净。",
    )
    for name, places in (("checkout", 2), ("refunds", 1), ("jobs/nightly", 3)):
        path = f"{HOME}/ordering/{name}.py"
        parent.step("", read(path, material.module(name.replace("/", "_"), 18)))
        parent.step(f"{name} 有 {places} 处。", edit(path, "log_old(message)", "log.info(event, order_id=order.id)"))
    parent.step("", bash("make test", material.test_run(12, 11)))
    parent.step("三个模块共六处已替换，132 个测试全部通过，legacy 目录没有改动。")
    parent.prompt("好的。顺便确认一下子智能体有没有改过文件。", after_minutes=2)
    parent.step(
        "", bash("git status --short", " M ordering/checkout.py\n M ordering/jobs/nightly.py\n M ordering/refunds.py")
    )
    parent.step("只有我改的这三个文件有变化；子智能体只做了搜索和读取，没有写入。")
    return parent.end(), child


def _child() -> Script:
    session = Script(
        slug="delegated-explore",
        title="查找旧日志接口（子智能体）",
        agent="claude-code",
        agent_version="2.1.119",
        model="claude-haiku-4-5",
        cwd=HOME,
        started="2026-09-19T15:07:30",
        preamble=9_400,
        factor=1.27,
        parent="delegated",
    )
    session.prompt(_TASK, after_minutes=0)
    session.step("先全局搜索。", grep("log_old", material.matches("log_old", 12, 4)))
    for name in ("checkout", "refunds", "jobs/nightly", "payments", "stock", "legacy/audit"):
        session.step("", read(f"{HOME}/ordering/{name}.py", material.module(name.replace("/", "_"), 22)))
    session.step("", grep("import structlog", material.matches("structlog.get_logger", 14, 2)))
    session.step("", bash("grep -rn log_old tests | wc -l", "0"))
    session.step(_REPORT)
    return session.end()
