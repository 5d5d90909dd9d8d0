"""Writes the evidence bundle of a session: one zip that anybody verifies with the verifier inside it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError, CommandParser

from contextapp.contexts.errors import NotFound
from contextapp.contexts.services import export_session, family_of


class Command(BaseCommand):
    help = "Export a session as an evidence bundle."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("session", help="the session's id")
        parser.add_argument(
            "-o", "--output", help="file, or folder with --with-children; default: session-<id>.zip here"
        )
        parser.add_argument("--with-children", action="store_true", help="a bundle for each sub-agent as well")
        parser.add_argument("--by", default="command", help="who, for the audit trail")
        parser.add_argument("--json", action="store_true", help="print one JSON object per bundle")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            session_id = UUID(options["session"])
        except ValueError as error:
            raise CommandError(f"{options['session']!r} is not a session id") from error
        chosen = family_of(session_id) if options["with_children"] else [session_id]
        for one in chosen:
            path = _path(options["output"], one, is_folder=options["with_children"])
            counts = _write(one, path, options["by"])
            if options["json"]:
                self.stdout.write(json.dumps({"session": str(one), "file": str(path), **counts}, sort_keys=True))
            else:
                self.stdout.write(
                    f"{path}: {counts['events']} events ({counts['erased']} erased), {counts['artifacts']} artifacts, "
                    f"{counts['ledgers']} ledgers, checkpoint {counts['checkpoint'] or 'none yet'}"
                )


def _write(session_id: UUID, path: Path, by: str) -> dict[str, Any]:
    """Under another name until it is whole: a bundle that was broken off is none."""
    draft = path.with_name(f"{path.name}.part")
    try:
        with draft.open("wb") as target:
            counts = export_session(session_id=session_id, target=target, actor=by)
        os.replace(draft, path)
    except NotFound as error:
        draft.unlink(missing_ok=True)
        raise CommandError(str(error)) from error
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise CommandError(f"{path} can't be written: {error.strerror}") from error
    return counts


def _path(given: str | None, session_id: UUID, *, is_folder: bool) -> Path:
    name = f"session-{session_id}.zip"
    if given is None:
        return Path(name)
    path = Path(given)
    if is_folder:
        path.mkdir(parents=True, exist_ok=True)
    return path / name if is_folder or path.is_dir() else path
