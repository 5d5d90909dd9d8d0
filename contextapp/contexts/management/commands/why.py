"""`manage.py why SESSION --text ...`: what became of a text or a source at each step, in words. Writes nothing."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _

from contextapp.contexts import selectors
from contextapp.contexts.errors import NotFound
from contextapp.contexts.management.commands.build import find_session
from contextapp.contexts.values.fates import FateRun, Why

ALL_STEPS = 1_000_000


class Command(BaseCommand):
    help = "Say in which steps a text or a source was sent to the model, in which form, and why or why not."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("session", metavar="SESSION", help="a session's id, the start of one, or its external id")
        sought = parser.add_mutually_exclusive_group(required=True)
        sought.add_argument("--text", help="a text, as it stands in the events; white space counts as one space")
        sought.add_argument("--source", metavar="ID", help="a source id as a ledger names it")
        parser.add_argument("--step", type=int, metavar="N", help="this step alone; default: all")
        parser.add_argument("--origin", choices=("built", "observed", "simulated"))
        parser.add_argument("--ignore-case", action="store_true")
        parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")

    def handle(self, *args: Any, **options: Any) -> None:  # as the command line gives them
        session = find_session(options["session"])
        try:
            found = selectors.why(
                session.id,
                text=options["text"],
                source_id=options["source"],
                step=options["step"],
                origin=options["origin"],
                limit=ALL_STEPS,
                ignore_case=options["ignore_case"],
            )
        except NotFound as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            self.stdout.write(json.dumps(asdict(found), sort_keys=True, separators=(",", ":")))
        else:
            self._tell(found, is_text=options["text"] is not None)

    def _tell(self, found: Why, *, is_text: bool) -> None:
        if is_text:
            places = ", ".join(str(seq) for seq in found.seqs) or _("none")
            self.stdout.write(
                _("events with this text: %(total)s (%(places)s)") % {"total": found.total_events, "places": places}
            )
        for run in found.runs:
            self._tell_run(run)

    def _tell_run(self, run: FateRun) -> None:
        steps = str(run.first_step) if run.first_step == run.last_step else f"{run.first_step}-{run.last_step}"
        head = _("step %(steps)s") % {"steps": steps}
        if run.status == "not_yet":
            self.stdout.write(f"{head}: {_('the log had not reached it yet')}")
        if run.status == "no_row":
            self.stdout.write(f"{head}: {_('no row of the ledger covers it')}")
        for fate in run.fates:
            row = fate.row
            by = f" <- {row.displaced_by}" if row.displaced_by else ""
            self.stdout.write(
                f"{head}: {row.action}, {row.mode}, {row.reason}: {fate.sentence} [{row.title or row.source_id}]{by}"
            )
