"""Memory from the command line: import files as candidates, export records, read a session, rebuild, verify what is stored."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError, CommandParser

from contextapp.accounts.models import Project
from contextapp.engine.injection.verdict import DETECTOR_VERSION
from contextapp.memory.errors import MemoryRefused
from contextapp.memory.files import UnreadableFile
from contextapp.memory.models import MemoryScope, MemoryState
from contextapp.memory.services import (
    export_memory,
    extract_candidates,
    import_memory,
    rebuild,
    rescan,
    sweep,
    take_proposals,
)


class Command(BaseCommand):
    help = "Import, export, gather, age or rebuild governed memory. Nothing here approves anything."

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        bring = actions.add_parser("import", help="bullet lists (CLAUDE.md) or mem0's JSON, as candidates")
        bring.add_argument("files", nargs="+", help="files, or - for standard input")
        bring.add_argument("--scope", default=MemoryScope.WORKSPACE, choices=MemoryScope.values)
        bring.add_argument(
            "--key", default="", help="workspace root, directory, user or session; default: the file's folder"
        )
        bring.add_argument("--by", default="import:command")
        give = actions.add_parser("export", help="JSON lines of approved records, or of the states given")
        give.add_argument("--state", action="append", choices=MemoryState.values)
        gather = actions.add_parser("gather", help="read a session for candidates now")
        gather.add_argument("session")
        actions.add_parser("age", help="expire, lapse, and judge again what older detectors judged")
        actions.add_parser("rebuild", help="build the tables again from the governance stream")
        for one in (bring, give):
            one.add_argument("--json", action="store_true")
        for one in (bring, give, *(actions.choices[name] for name in ("rebuild",))):
            one.add_argument("--project", default="default", help="slug of the project")

    def handle(self, *args: Any, **options: Any) -> None:
        getattr(self, f"_{options['action']}")(options)

    def _import(self, options: dict[str, Any]) -> None:
        project = _project(options["project"])
        for name in options["files"]:
            text, folder = _text(name)
            try:
                done = import_memory(
                    project=project, text=text, name=Path(name).name, scope=options["scope"],
                    scope_key=options["key"] or ("" if options["scope"] == MemoryScope.GLOBAL else folder),
                    proposed_by=options["by"],
                )  # fmt: skip
            except (UnreadableFile, MemoryRefused) as error:
                raise CommandError(f"{name}: {error}") from error
            if options["json"]:
                self.stdout.write(
                    json.dumps({"file": name, "statements": done.statements, "created": done.created, "known": done.known,
                                "declined": done.declined, "refusals": done.refusals})
                )  # fmt: skip
                continue
            self.stdout.write(
                f"{name}: {done.statements} statements, {done.created} new candidates, {done.known} known, "
                f"{done.declined} declined before, {len(done.refusals)} refused"
            )
            for line, why in done.refusals:
                self.stdout.write(f"  line {line}: {why}")

    def _export(self, options: dict[str, Any]) -> None:
        states = tuple(options["state"] or (MemoryState.APPROVED,))
        for entry in export_memory(project_id=_project(options["project"]).id, states=states):
            self.stdout.write(json.dumps(entry, ensure_ascii=False, sort_keys=True))

    def _gather(self, options: dict[str, Any]) -> None:
        try:
            session_id = UUID(options["session"])
        except ValueError as error:
            raise CommandError(f"{options['session']!r} is not a session id") from error
        proposed, found = take_proposals(session_id=session_id), extract_candidates(session_id=session_id)
        self.stdout.write(f"{proposed} proposals taken, {found} claims read")

    def _age(self, options: dict[str, Any]) -> None:
        done = {**sweep(), **rescan(detector_version=DETECTOR_VERSION)}
        self.stdout.write(", ".join(f"{count} {name}" for name, count in done.items()))

    def _rebuild(self, options: dict[str, Any]) -> None:
        self.stdout.write(
            f"{rebuild(project_id=_project(options['project']).id)} revisions built from the governance stream"
        )


def _project(slug: str) -> Project:
    project = Project.objects.filter(slug=slug).first()
    if project is None:
        raise CommandError(f"there is no project {slug!r}")
    return project


def _text(name: str) -> tuple[str, str]:
    """(text, folder). Not UTF-8 is an error that names the file."""
    if name == "-":
        return sys.stdin.read(), ""
    path = Path(name)
    try:
        return path.read_text(encoding="utf-8-sig"), str(path.resolve().parent)
    except OSError as error:
        raise CommandError(f"{name} can't be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise CommandError(f"{name} is not UTF-8: {error.reason} at byte {error.start}") from error
