"""Untrusted text is escaped wherever it is shown: nothing in code or templates switches that off."""

from __future__ import annotations

import ast
import re

from tests.conventions import tracked

BANNED = {"mark_safe", "SafeString", "SafeText", "html_safe", "safe"}
SWITCHED_OFF = re.compile(r"\|\s*safe(seq)?\b|\{%\s*autoescape\s+off")
INLINE = re.compile(r"<script(?![^>]*\bsrc=)[^>]*>|<style\b|\sstyle=|\son[a-z]+=\"|javascript:", re.IGNORECASE)
SAFE_BLOCKS = re.compile(r"\{#.*?#\}|\{%\s*comment.*?endcomment\s*%\}|<script type=\"application/json\"", re.DOTALL)


def test_no_code_marks_text_as_safe() -> None:
    found = []
    for path in tracked.sources("contextapp/"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.ImportFrom) else []
            called = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
            if "mark_safe" in (*names, called) or (BANNED & set(names) and "safestring" in ast.unparse(node)):
                found.append(f"{tracked.name(path)}:{getattr(node, 'lineno', 0)}")

    assert found == []


def test_no_template_switches_escaping_off() -> None:
    found = [tracked.name(path) for path in tracked.with_suffix(".html") if SWITCHED_OFF.search(path.read_text())]

    assert found == []


def test_no_template_has_script_or_style_that_the_content_security_policy_refuses() -> None:
    found = {
        tracked.name(path): hits
        for path in tracked.with_suffix(".html")
        if (hits := INLINE.findall(SAFE_BLOCKS.sub("", path.read_text())))
    }

    assert found == {}
