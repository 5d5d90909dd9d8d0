"""Which environment variables the product reads, found in its source. Knows the two ways in use: env_*() and os.environ."""

from __future__ import annotations

import ast

from tests.conventions import tracked

NOT_OURS = {"DJANGO_SETTINGS_MODULE", "XDG_RUNTIME_DIR", "PATH", "HOME", "CI"}


def variables() -> set[str]:
    found: set[str] = set()
    for path in tracked.sources("contextapp/"):
        for node in ast.walk(ast.parse(path.read_text())):
            if (
                isinstance(node, ast.Call)
                and _reads(node.func)
                and node.args
                and isinstance(node.args[0], ast.Constant)
            ):
                found.add(str(node.args[0].value))
            if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "os.environ":
                found.add(ast.unparse(node.slice).strip("'\""))
    return found - NOT_OURS


def _reads(function: ast.expr) -> bool:
    name = ast.unparse(function)
    return name.split(".")[-1].startswith("env_") or name in ("os.environ.get", "os.getenv")
