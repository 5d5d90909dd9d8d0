"""docs/api.md names every operation and every problem that the code can answer, and no other."""

from __future__ import annotations

import json
import re

from contextapp.api import shortages
from contextapp.config.local.places import PROJECT
from tests.api.snapshot import SNAPSHOT

PAGE = (PROJECT / "docs" / "api.md").read_text(encoding="utf-8")


def cells(column: int) -> set[str]:
    rows = [line.split("|") for line in PAGE.splitlines() if line.startswith("|")]
    return {name for row in rows for name in re.findall(r"`(\w+)`", row[column])}


def test_every_operation_is_described() -> None:
    paths = json.loads(SNAPSHOT.read_text())["paths"].values()
    operations = {operation["operationId"] for methods in paths for operation in methods.values()}

    assert {name for name in cells(1) if "_" in name} == operations


def test_every_problem_is_described() -> None:
    sources = [path.read_text() for path in (PROJECT / "contextapp" / "api").glob("*.py")]
    codes = {code for source in sources for code in re.findall(r'Problem\(\s*\d{3}(?: if [^,]*)?,\s*"(\w+)"', source)}
    codes |= {code for source in sources for code in re.findall(r'400, "(\w+)"', source)}
    codes |= {shortage.code for shortage in (shortages.FULL, shortages.BUSY, shortages.AWAY)}
    codes |= {code for source in sources for code in re.findall(r'code(?:: str = |=)"(\w+)"', source)}

    described = {name for name in cells(2) if "_" in name or name in ("not_found", "busy")}
    operations = {name for name in described if name in ("external_id",)}
    assert described - operations == codes
