"""May the model see it: visibility of the event and the policy's globs for paths. Looks at nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from contextapp.engine.policy import Policy


def is_denied(path: str, policy: Policy, workspace_root: str = "") -> bool:
    """Does one of the policy's globs forbid this path?"""
    return matches(path, policy.deny_paths, workspace_root)


def matches(path: str, globs: Sequence[str], workspace_root: str = "") -> bool:
    """Whether a glob fits the path: as it is written, below the workspace, or by its last name."""
    if not path or not globs:
        return False
    spellings = {path, path.rsplit("/", 1)[-1]}
    root = workspace_root.rstrip("/") + "/"
    if workspace_root and path.startswith(root):
        spellings.add(path.removeprefix(root))
    return any(fnmatchcase(spelling, glob) for spelling in spellings for glob in globs)


def any_denied(paths: Iterable[str], policy: Policy, workspace_root: str) -> bool:
    return any(is_denied(path, policy, workspace_root) for path in paths)
