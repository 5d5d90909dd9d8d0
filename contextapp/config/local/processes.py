"""What another process of this machine is. A number alone proves nothing: the system gives numbers out again."""

from __future__ import annotations

import subprocess
from pathlib import Path


def command_line(pid: int) -> list[str]:
    """The words that the process was started with; empty when there is none of that number, or one that has ended and waits
    for its parent to ask how."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").rstrip("\0")
        return words.split("\0") if words else []
    except (FileNotFoundError, ProcessLookupError):
        if Path("/proc/self").exists():
            return []
    shown = subprocess.run(["ps", "-p", str(pid), "-o", "command="], capture_output=True, text=True)  # macOS
    return shown.stdout.split()
