"""May the model see it: visibility of the event and the policy's globs for paths. Looks at nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

from contextapp.engine.policy import Policy


def is_denied(path: str, policy: Policy, workspace_root: str = "") -> bool:
    """Does one of the policy's globs forbid this path: as it is written, below the workspace, or by its last name."""
    if not path or not policy.deny_paths:
        return False
    spellings = {path, path.rsplit("/", 1)[-1]}
    root = workspace_root.rstrip("/") + "/"
    if workspace_root and path.startswith(root):
        spellings.add(path.removeprefix(root))
    return any(fnmatchcase(spelling, glob) for spelling in spellings for glob in policy.deny_paths)


def any_denied(paths: Iterable[str], policy: Policy, workspace_root: str) -> bool:
    return any(is_denied(path, policy, workspace_root) for path in paths)
