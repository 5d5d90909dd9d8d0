"""Sizes, names and texts of files. What a reviewer would say every time is said here once."""

from __future__ import annotations

import ast
import re

import pytest

from tests.conventions import tracked

LINE_LIMIT = 400
ONE_BY_NATURE = {"contextapp/evidence/standalone/verify.py"}  # travels alone to auditors: it can't import a second file
WRITTEN_BY_HAND = (".py", ".html", ".css", ".js", ".sh")
EMPTY_NAMES = {"utils", "util", "helpers", "helper", "common", "core", "misc", "partials"}
# Put together from parts, so that this file passes its own test.
PACKAGE_HOSTS = [
    "pypi" + ".org",
    "pythonhosted" + ".org",
    "npmjs" + ".org",
    "npmjs" + ".com",
    "yarnpkg" + ".com",
    "crates" + ".io",
    "debian" + ".org",
    "ghcr" + ".io",
    "docker" + ".io",
]


def test_no_file_has_more_lines_than_a_reader_holds() -> None:
    long = {
        tracked.name(path): lines
        for path in tracked.with_suffix(*WRITTEN_BY_HAND)
        if tracked.name(path) not in ONE_BY_NATURE
        and (lines := path.read_text(encoding="utf-8").count("\n")) > LINE_LIMIT
    }

    assert long == {}, f"over {LINE_LIMIT} lines; split by noun"


def test_no_file_names_the_address_of_a_package_host() -> None:
    pattern = re.compile("|".join(re.escape(host) for host in PACKAGE_HOSTS).encode())

    found = [tracked.name(path) for path in tracked.files() if pattern.search(path.read_bytes())]

    assert found == []


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock"])
def test_a_lock_pins_by_hash_and_names_no_address(lock: str) -> None:
    text = (tracked.PROJECT / lock).read_text()

    pins = re.findall(r"^[\w.\[\]-]+==\S+", text, re.MULTILINE)
    unhashed = [block.split()[0] for block in re.split(r"\n(?=\w)", text.strip()) if "--hash=sha256:" not in block]

    assert len(pins) > 20
    assert unhashed == []
    assert "://" not in text


def test_developers_run_the_versions_that_users_run() -> None:
    def pins(lock: str) -> set[str]:
        return set(re.findall(r"^[\w.\[\]-]+==[^\s;\\]+", (tracked.PROJECT / lock).read_text(), re.MULTILINE))

    assert pins("requirements.lock") - pins("requirements-dev.lock") == set()


def test_no_folder_or_module_has_a_name_that_says_nothing() -> None:
    empty = [
        tracked.name(path)
        for path in tracked.files()
        if EMPTY_NAMES & {*path.relative_to(tracked.PROJECT).parent.parts, path.stem}
    ]

    assert empty == []


def test_every_module_says_what_it_is() -> None:
    silent = [
        tracked.name(path)
        for path in tracked.sources("contextapp/", "tests/benchmarks/")
        if path.stat().st_size
        and "migrations" not in path.parts
        and path.name != "apps.py"
        and not ast.get_docstring(ast.parse(path.read_text()))
    ]

    assert silent == []


def test_annotations_are_never_evaluated() -> None:
    missing = [
        tracked.name(path)
        for path in tracked.sources("contextapp/", "tests/")
        if "migrations" not in path.parts
        and _does_more_than_say(path.read_text())
        and "from __future__ import annotations\n" not in path.read_text()
    ]

    assert missing == []


def _does_more_than_say(text: str) -> bool:
    return any(not isinstance(node, ast.Expr) for node in ast.parse(text).body)
