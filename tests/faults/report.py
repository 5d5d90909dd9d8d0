"""`python -m tests.faults.report` writes docs/faults.md: each fault, what is right then, and the tests that bring it about.

Reads the marks in the sources and runs nothing: whether the tests pass is said by the test run.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from pathlib import Path

from contextapp.config.local.places import PROJECT
from tests.conventions import tracked
from tests.faults.catalogue import ELSEWHERE, FAULTS, OPEN, PARTLY

DOCUMENT = PROJECT / "docs" / "faults.md"
HEAD = """# Faults

What can go wrong, what is right then, and the tests that bring it about. Written by `python -m tests.faults.report` from the
marks in the tests and `tests/faults/catalogue.py`; a test holds it against them. Each of these tests fails when the product
does not do what stands in the third column; "partly" and "open" say what nobody has tried.

{summary}

| # | fault | right | status | tests |
|---|---|---|---|---|
"""


def marked() -> dict[str, list[str]]:
    """Test ids by the faults that they name themselves."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in tracked.sources("tests/"):
        if not path.name.startswith("test_"):
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                for fault in _faults_of(node):
                    found[fault].append(f"{tracked.name(path)}::{node.name}")
    return found


def _faults_of(function: ast.FunctionDef) -> list[str]:
    return [
        str(argument.value)
        for mark in function.decorator_list
        if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.fault"
        for argument in mark.args
        if isinstance(argument, ast.Constant)
    ]


def tests_by_fault() -> dict[str, list[str]]:
    own = marked()
    return {fault: [*own.get(fault, ()), *ELSEWHERE.get(fault, ())] for fault in FAULTS}


def document() -> str:
    rows, counted = [], {"tested": 0, "partly": 0, "open": 0}
    for fault, tests in tests_by_fault().items():
        status = "open" if not tests else "partly" if fault in PARTLY else "tested"
        counted[status] += 1
        remark = {"open": OPEN.get(fault, "not tried"), "partly": PARTLY.get(fault, ""), "tested": ""}[status]
        named = "<br>".join(f"`{_short(test)}`" for test in tests)
        what, right = FAULTS[fault]
        rows.append(f"| {fault} | {what} | {right} | {status}{': ' if remark else ''}{remark} | {named} |")
    summary = f"{counted['tested']} tested, {counted['partly']} partly, {counted['open']} open."
    return HEAD.format(summary=summary) + "\n".join(rows) + "\n"


def _short(test: str) -> str:
    return test.removeprefix("tests/")


def missing() -> list[str]:
    """Named in the catalogue and not there."""
    there: dict[Path, set[str]] = {}
    lost = []
    for test in sorted({test for tests in ELSEWHERE.values() for test in tests}):
        name, _, function = test.partition("::")
        path = PROJECT / name
        if path not in there:
            nodes = ast.parse(path.read_text(encoding="utf-8")).body if path.exists() else []
            there[path] = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
        if function not in there[path]:
            lost.append(test)
    return lost


def main() -> int:
    if lost := missing():
        sys.stderr.write("these tests are gone; mend tests/faults/catalogue.py: " + ", ".join(lost) + "\n")
        return 1
    DOCUMENT.write_text(document(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
