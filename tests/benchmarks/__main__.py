"""`make bench`: every benchmark in turn, each in a process of its own; results/latest.json holds what they printed."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

from contextapp.config.local.places import PROJECT

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "latest.json"


def names() -> list[str]:
    """The modules that have a `main`."""
    found = []
    for path in sorted(HERE.glob("[a-z]*.py")):
        body = ast.parse(path.read_text()).body
        if any(isinstance(node, ast.FunctionDef) and node.name == "main" for node in body):
            found.append(path.stem)
    return found


def main() -> int:
    results, failed = {}, []
    for name in names():
        command = [sys.executable, "-m", f"tests.benchmarks.{name}", "--json", *sys.argv[1:]]
        run = subprocess.run(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True)
        if run.returncode not in (0, 1) or not run.stdout.strip():
            failed.append(name)
            print(f"{name}: failed with exit code {run.returncode}", flush=True)
            continue
        results[name] = json.loads(run.stdout)
        short = results[name]["short"]
        print(f"{name}: {len(results[name]['figures'])} figures, short: {', '.join(short) or 'none'}", flush=True)
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.write_text(json.dumps(results, indent=2) + "\n")
    print(f"written to {RESULTS.relative_to(PROJECT)}")
    return 1 if failed or any(result["short"] for result in results.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
