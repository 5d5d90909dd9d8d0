"""Is a file made by a tool rather than by people: by its place and its name. Never looks into it."""

from __future__ import annotations

import re

_FOLDERS = frozenset(
    (
        "node_modules", "dist", "build", "out", "target", "vendor", "__pycache__", ".next", ".nuxt", ".venv", "venv",
        "site-packages", "coverage", "htmlcov", ".git", ".tox", ".mypy_cache", ".ruff_cache", "__generated__", "generated",
    )
)  # fmt: skip
_LOCKS = frozenset(
    (
        "package-lock.json", "pnpm-lock.yaml", "yarn.lock", "poetry.lock", "uv.lock", "pipfile.lock", "cargo.lock",
        "composer.lock", "gemfile.lock", "go.sum", "npm-shrinkwrap.json", "bun.lockb",
    )
)  # fmt: skip
_NAME = re.compile(
    r"(?:\.min\.(?:js|css)|\.(?:js|css)\.map|\.bundle\.js|\.chunk\.js|_pb2(?:_grpc)?\.pyi?|\.pb\.(?:go|cc|h)"
    r"|[._](?:generated|gen|g)\.[a-z]{1,5}|\.designer\.cs|\.snap|\.pyc|\.class|\.o)$"
)


def is_generated(path: str) -> bool:
    """Whether the path reads like a tool's output: bundles, locks, build folders, stubs of a schema."""
    *folders, name = path.replace("\\", "/").casefold().split("/")
    return name in _LOCKS or bool(_NAME.search(name)) or not _FOLDERS.isdisjoint(folders)
