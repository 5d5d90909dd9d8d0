"""The guided case: an agent pushes although it was told not to. The rule was lost when the conversation was compacted."""

from __future__ import annotations

from typing import Any

from contextapp.intake.samples import material
from contextapp.intake.samples.script import Script, bash, edit, grep, read

HOME = "/home/mara/src/billing-api"
_OLD = "def round_half(amount: Decimal, places: int = 2) -> Decimal:\n    return Decimal(round(float(amount), places))"
_NEW = (
    "def round_half(amount: Decimal, places: int = 2) -> Decimal:\n"
    "    return amount.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)"
)
_TRACE = """    def test_half_cents_are_rounded_up():
>       assert total_of([line("0.125"), line("0.125")]) == Decimal("0.26")
E       AssertionError: assert Decimal('0.24') == Decimal('0.26')

tests/test_invoices.py:88: AssertionError"""
_PUSHED = "To git.example.com:billing/billing-api.git\n * [new branch]      fix/rounding -> fix/rounding"
_SUMMARY = """Summary of the conversation so far

1. Request: the rounding test in tests/test_invoices.py failed; find the cause and fix it.
   Then move the CSV export to the new helper.
2. Cause: billing/rounding.py used float rounding (banker's rounding on binary floats), so 0.125 became 0.12.
3. Changes: billing/rounding.py (ROUND_HALF_UP on Decimal), billing/credit_notes.py (same helper), billing/exporters/csv.py and
   billing/exporters/totals.py (moved to round_half). 460 tests pass.
4. Branch: fix/rounding, nothing committed yet.
5. Next: commit the work on fix/rounding and bring it to the point where it can be reviewed."""


def script() -> Script:
    session = Script(
        slug="pushed",
        title="Fix the rounding of invoice totals",
        agent="claude-code",
        agent_version="2.1.120",
        model="claude-sonnet-4-5",
        cwd=HOME,
        started="2026-09-14T09:12:00",
        preamble=14_200,
        factor=1.27,
    )
    session.instructions(f"{HOME}/CLAUDE.md", _RULES)
    told = session.prompt(
        "The rounding test in tests/test_invoices.py has been failing since yesterday. Find out why and fix it. "
        "Do not push anything, I want to review the diff first."
    )
    _find_the_cause(session)
    _follow_up(session)
    last_with_rule = session.step_number
    session.resource("slash_command", "/compact", "<command-name>/compact</command-name>")
    summary = session.compact(_SUMMARY, trigger="manual", by="claude-code")
    pushed = _finish(session)
    session.prompt("Wait. I told you not to push anything. Why did you?", after_minutes=4)
    session.step(
        "You did not say that in anything I can see now. The conversation was compacted before you asked me to finish, and the "
        "summary I continued from lists the changes and the next step, but no instruction about pushing. I am sorry. I can "
        "delete the remote branch with `git push origin --delete fix/rounding` if you want; I will not do it unasked.",
    )
    session.guide = _guide(told, last_with_rule, summary, pushed)
    return session.end()


def _find_the_cause(session: Script) -> None:
    failing = material.test_run(6, 8, [("tests/test_invoices.py::test_half_cents_are_rounded_up", _TRACE)])
    session.step("I'll start with the failing test.", bash("pytest tests/test_invoices.py -v", failing, exit_code=1))
    rounding = material.module("rounding", 16, _OLD)
    session.step(
        "The total is off by two half cents, so the helper that rounds is the first suspect.",
        read(f"{HOME}/billing/rounding.py", rounding),
        grep("round_half", material.matches("round_half", 9, 6)),
    )
    session.step("", read(f"{HOME}/billing/invoices.py", material.module("invoices", 40)))
    session.step(
        "", read(f"{HOME}/tests/test_invoices.py", material.module("invoice_checks", 32)),
        think="round_half goes through float. 0.125 is exact in binary, and round() then goes to the even neighbour, 0.12. The "
        "test wants commercial rounding, which is what the invoices promised before the helper was changed yesterday.",
    )  # fmt: skip
    session.step(
        "Found it: `round_half` goes through float and rounds half to even. Invoices need half up on decimals.",
        edit(f"{HOME}/billing/rounding.py", _OLD, _NEW),
    )
    session.step("", bash("pytest tests/test_invoices.py -q", "48 passed in 1.12s"))
    notes = [("tests/test_credits.py::test_credit_note_mirrors_invoice", _TRACE.replace("total_of", "credit_of"))]
    session.step("Now the whole suite.", bash("pytest -v", material.test_run(20, 23, notes), exit_code=1))
    session.step("", read(f"{HOME}/billing/credit_notes.py", material.module("credit_notes", 34)))
    session.step(
        "Credit notes carry a copy of the old helper. They should mirror the invoice, so they use the same function.",
        edit(
            f"{HOME}/billing/credit_notes.py",
            "from billing.compat import round_bank",
            "from billing.rounding import round_half",
        ),
    )
    session.step("", bash("pytest -v", material.test_run(20, 23)))
    session.step(
        "The test failed because `round_half` had been changed to round through float. It rounds half up on decimals again, "
        "credit notes use it too, and all 460 tests pass. Nothing is committed or pushed; the diff is in your working tree.",
    )


def _follow_up(session: Script) -> None:
    session.prompt("Thanks. While you are at it: the CSV export still uses the old helper. Move it over as well.", 6)
    session.step("", grep("round_bank", material.matches("round_bank", 7, 5)))
    session.step("", read(f"{HOME}/billing/exporters/csv.py", material.module("csv_export", 38)))
    session.step(
        "Two places in the exporters.",
        edit(f"{HOME}/billing/exporters/csv.py", "round_bank(line.net)", "round_half(line.net)"),
        edit(f"{HOME}/billing/exporters/totals.py", "round_bank(total)", "round_half(total)"),
    )
    session.step("", bash("pytest -v", material.test_run(20, 23)))
    session.step("The export uses `round_half` now, in `csv.py` and `totals.py`. All 460 tests pass.")


def _finish(session: Script) -> int:
    session.prompt("Good. Finish it up.", after_minutes=11)
    status = " M billing/credit_notes.py\n M billing/exporters/csv.py\n M billing/exporters/totals.py\n M billing/rounding.py"
    session.step(
        "I'll commit the work on its branch.",
        bash("git status --short && git branch --show-current", f"{status}\nfix/rounding"),
    )
    session.step(
        "",
        bash(
            "git commit -qam 'Round half up on decimals' && git log --oneline -1", "4be1c07 Round half up on decimals"
        ),
    )
    pushed = session.step(
        "Pushing the branch so that it can be reviewed.",
        bash("git push -u origin fix/rounding", _PUSHED),
    )  # fmt: skip
    session.step("Done: the four files are committed as 4be1c07 and pushed to origin/fix/rounding, ready for review.")
    return pushed


def _guide(told: int, last_with_rule: int, summary: int, pushed: int) -> dict[str, Any]:
    saw = {"url_name": "steps:detail", "args": [last_with_rule], "query": "origin=observed&tab=saw"}
    lost = {"url_name": "sessions:event", "args": [summary], "query": ""}
    gone = {"url_name": "steps:detail", "args": [pushed], "query": "origin=observed&tab=ledger"}
    kept = {"url_name": "steps:detail", "args": [pushed], "query": "origin=simulated&tab=ledger"}
    english = (
        f"The rule was there: event {told} says “Do not push anything”, and step {last_with_rule} still saw it.",
        f"Then the conversation was compacted. The summary, event {summary}, does not mention pushing.",
        f"So step {pushed}, which pushed, did not have the rule: its ledger lists it as compacted away.",
        f"What contextapp would have sent at step {pushed}: the user's prohibition is kept.",
    )
    chinese = (
        f"规则原本在：事件 {told} 写着 “Do not push anything”，第 {last_with_rule} 步仍然看得到。",
        f"随后对话被压缩。摘要（事件 {summary}）只字未提推送。",
        f"因此执行推送的第 {pushed} 步窗口里没有这条规则：账本记录它已被压缩掉。",
        f"换作 contextapp 在第 {pushed} 步会发送的内容：用户的禁令被保留。",
    )
    links = (saw, lost, gone, kept)
    return {
        "en": {
            "question": "The agent pushed although it was told not to. Why?",
            "answer_steps": [{"text": text, **link} for text, link in zip(english, links, strict=True)],
        },
        "zh-hans": {
            "question": "明明说了不要推送，智能体为什么还是推送了？",
            "answer_steps": [{"text": text, **link} for text, link in zip(chinese, links, strict=True)],
        },
    }


_RULES = """# billing-api

- Python 3.13, pytest. Run the tests of the module you touch first, then the whole suite.
- Money is `Decimal`, never `float`.
- One branch per task, named `fix/...` or `feature/...`.
- Public functions have a docstring that says what holds, not how it is done.
"""
