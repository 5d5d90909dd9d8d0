"""How fast transcripts come in, whether every line is accounted for, and when the first of many sessions can be read."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from contextapp.config.local.places import PROJECT
from tests.benchmarks import database, report, transcripts
from tests.benchmarks.report import Limit, Options, progress

LIMITS: dict[str, Limit] = {
    "exceptions": ("=", 0),
    "unaccounted_lines": ("=", 0),
    "second_import_new_events": ("=", 0),
    "rss_mb_2gb": ("<=", 300),
    "first_session_s": ("<=", 15),
}
CORPUS = PROJECT.parent / "shared" / "data"
FORMATS = ("claude_code", "openai_chat")
SESSIONS, MESSAGES = 400, 120
GIGABYTES_MB = 2048


def measure(options: Options) -> dict[str, float]:
    database.use("importing", fresh=True)
    folder = database.FOLDER / "importing"
    figures = {"first_session_s": _first_session(folder / "many")}
    figures |= _throughput(_recorded(options.data or CORPUS) or [folder / "many"])
    if not options.quick:
        figures["rss_mb_2gb"] = _memory(folder / "large.jsonl")
    return figures


def _recorded(data: Path) -> list[Path]:
    """The folders of our formats, or the folder itself when it is one; none when there are no recorded transcripts."""
    found = [data / name for name in FORMATS if (data / name).is_dir()]
    return found or ([data] if data.is_dir() and data != CORPUS else [])


class _Explained(Exception):
    """Enough is imported: the first session can be read."""


def _first_session(folder: Path) -> float:
    """From the command to the first session explained, with all the others still waiting. In seconds."""
    from contextapp.intake.services import run_import, start_import

    for number in range(SESSIONS):
        path = folder / f"session-{number:03d}.jsonl"
        if not path.exists():
            transcripts.write(path, messages=MESSAGES, seed=number)
    started = time.monotonic()

    def stop_after_first(done: int, total: int, note: str) -> None:
        if done and _steps():
            raise _Explained

    batch = start_import(project=_project(), paths=[str(folder)], requested_by="benchmark", in_background=False)
    try:
        run_import(batch.id, stop_after_first)
    except _Explained:
        pass
    took = time.monotonic() - started
    progress(f"first of {SESSIONS} sessions explained after {took:.2f} s")
    return round(took, 2)


def _throughput(folders: Sequence[Path]) -> dict[str, float]:
    """One pass over the transcripts, and a second one that must add nothing, though it parses everything again."""
    from contextapp.intake.models import ImportFile

    first, seconds = _import(folders)
    ImportFile.objects.update(sha256="")
    again, _ = _import(folders)
    size = sum(file["bytes"] for file in first["by_file"])
    expected = sum(_lines(Path(file["path"])) for file in first["by_file"])
    counted = sum(
        file["lines"]["produced"] + file["lines"]["folded"] + file["lines"]["quarantined"]
        for file in first["by_file"]
        if file["path"].endswith(".jsonl")
    )
    return {
        "mb_per_s": round(size / 1e6 / seconds, 2),
        "events_per_s": round(first["events"] / seconds),
        "exceptions": sum(bool(file["error"]) for file in first["by_file"]),
        "unaccounted_lines": abs(expected - counted),
        "second_import_new_events": again["events_new"],
    }


def _import(folders: Sequence[Path]) -> tuple[dict[str, Any], float]:
    from contextapp.intake import selectors
    from contextapp.intake.report import as_json
    from contextapp.intake.services import run_import, start_import

    started = time.monotonic()
    paths = [str(folder) for folder in folders]
    batch = start_import(project=_project(), paths=paths, requested_by="benchmark", in_background=False)
    run_import(batch.id)
    seconds = time.monotonic() - started
    row = selectors.import_for([batch.project_id], batch.id)
    assert row is not None
    told = as_json(row, selectors.files_of(batch.id, limit=None), ())
    progress(f"{told['files']} files, {told['lines']['total']} lines, {told['events']} events in {seconds:.1f} s")
    return told, seconds


def _lines(path: Path) -> int:
    """Lines of a JSONL file by counting newlines; in documents a message is a line, which only the importer can count."""
    if path.suffix != ".jsonl":
        return 0
    body = path.read_bytes()
    return body.count(b"\n") + (not body.endswith(b"\n") and bool(body))


def _memory(path: Path) -> float:
    """The peak of one process that imports a transcript of 2 GB."""
    transcripts.write_megabytes(path, GIGABYTES_MB, seed=1)
    code = (
        "import resource, sys; from tests.benchmarks import importing; importing._import_alone(sys.argv[1]);"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    command = [sys.executable, "-c", code, str(path)]
    run = subprocess.run(command, cwd=PROJECT, env=os.environ, stdout=subprocess.PIPE, text=True, check=True)
    return round(int(run.stdout.split()[-1]) / 1024)


def _import_alone(path: str) -> None:
    import django

    django.setup()
    told, seconds = _import([Path(path)])
    progress(f"{told['by_file'][0]['bytes'] / 1e6 / seconds:.1f} MB/s over one large file")


def _project() -> Any:
    """The project of the installation's own sessions. Any: a model, importable only once Django is set up."""
    from contextapp.accounts.models import Project
    from contextapp.accounts.services import DEFAULT_PROJECT, ensure_administrator

    ensure_administrator()
    return Project.objects.get(slug=DEFAULT_PROJECT[0])


def _steps() -> int:
    from contextapp.contexts.models import Step

    return Step.objects.count()


def main(arguments: Sequence[str] | None = None) -> int:
    return report.run("importing", measure, LIMITS, arguments)


if __name__ == "__main__":
    sys.exit(main())
