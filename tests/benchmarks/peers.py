"""Figures of peers, measured beside ours in the same run. They live in an environment of their own, `.venv-peers`, made by
`make peers`; where it is absent their figures are absent too, and standard error says so.
"""

from __future__ import annotations

import json
import subprocess

from contextapp.config.local.places import PROJECT
from tests.benchmarks.report import progress

PYTHON = PROJECT / ".venv-peers" / "bin" / "python"


def langchain_ms(messages: int) -> dict[str, float]:
    """Milliseconds of one trim of that many messages: `cached` counts and `approx` ones. Empty where there are no peers."""
    if not PYTHON.exists():
        progress("no .venv-peers: the ratios to LangChain are not measured; `make peers` installs it")
        return {}
    command = [str(PYTHON), "-m", "tests.benchmarks.peer_langchain", str(messages)]
    run = subprocess.run(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True)
    if run.returncode:
        progress(f"LangChain's trim failed with exit code {run.returncode}: its ratios are not measured")
        return {}
    taken: dict[str, float] = json.loads(run.stdout)
    for name, milliseconds in taken.items():
        progress(f"LangChain trim_messages, {name} counts, {messages:,} messages: {milliseconds:.1f} ms")
    return taken
