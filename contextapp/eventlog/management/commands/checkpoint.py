"""Takes a checkpoint of the log and publishes it; prints one to keep, or the public keys; changes the signing key."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from contextapp.eventlog.errors import CheckpointRefused, PublicationFailed
from contextapp.eventlog.models import Checkpoint
from contextapp.eventlog.selectors import list_checkpoints, public_key_text
from contextapp.eventlog.services import publish_checkpoints, rotate_checkpoint_key, take_checkpoint
from contextapp.eventlog.verify.anchors import heads_at
from contextapp.evidence import saved


class Command(BaseCommand):
    help = "Take a signed checkpoint over the heads of all sessions, unless nothing changed, and publish it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        parser.add_argument("--show", action="store_true", help="print the newest checkpoint and its heads, to be kept")
        parser.add_argument("--keys", action="store_true", help="print the public keys, the present one last")
        parser.add_argument(
            "--rotate-key", action="store_true", help="sign with a new key, or the one put into the file"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["rotate_key"]:
                self.stdout.write(rotate_checkpoint_key(actor="system").text())
            elif options["keys"]:
                self.stdout.write(public_key_text(), ending="")
            elif options["show"]:
                self._show()
            else:
                self._take(as_json=options["json"])
        except CheckpointRefused as error:
            raise CommandError(f"checkpoint refused: {error}") from error

    def _take(self, *, as_json: bool) -> None:
        taken = take_checkpoint()
        try:
            publish_checkpoints()
        except PublicationFailed as error:
            self.stderr.write(str(error))
        newest = list_checkpoints(limit=1)
        if as_json:
            self.stdout.write(json.dumps(_summary(newest[0] if newest else None, is_new=taken is not None)))
        elif taken is None:
            self.stdout.write("nothing changed since the last checkpoint")
        else:
            self.stdout.write(f"checkpoint {taken.number}: {taken.sessions} sessions, {taken.events} events")
            self.stdout.write(taken.note, ending="")

    def _show(self) -> None:
        newest = list_checkpoints(limit=1)
        if not newest:
            raise CommandError("there is no checkpoint yet; take one with `manage.py checkpoint`")
        self.stdout.write(saved.write([newest[0].note], heads_at(newest[0].number)), ending="")


def _summary(checkpoint: Checkpoint | None, *, is_new: bool) -> dict[str, Any]:
    if checkpoint is None:
        return {"taken": False, "number": None}
    return {
        "taken": is_new,
        "number": checkpoint.number,
        "taken_at": checkpoint.taken_at.isoformat(),
        "sessions": checkpoint.sessions,
        "events": checkpoint.events,
        "changed": checkpoint.changed,
        "root": bytes(checkpoint.root).hex(),
        "note": checkpoint.note,
        "published_to": checkpoint.published_to,
    }
