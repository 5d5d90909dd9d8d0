"""`manage.py build SESSION --at N`: what our builder would have sent at that step, and why. Nothing enters the log."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _

from contextapp.contexts import services
from contextapp.contexts.errors import ContextsError
from contextapp.contexts.selectors import ledger_by_id
from contextapp.engine.policy import Policy
from contextapp.engine.values import Bucket
from contextapp.eventlog.models import Session
from contextapp.policy.selectors import policy_at

PREFIX_CHARS = 6  # of an id, at least


class Command(BaseCommand):
    help = "Simulate the input of a step and print its ledger. The same session, step and policy give the same bytes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("session", metavar="SESSION", help="a session's id, the start of one, or its external id")
        parser.add_argument("--at", type=int, metavar="N", help="the step; default: the last one")
        parser.add_argument("--policy", type=int, metavar="N", help="a policy version; default: the active one")
        parser.add_argument("--json", action="store_true", help="print the ledger as one JSON object and nothing else")

    def handle(self, *args: Any, **options: Any) -> None:  # as the command line gives them
        session = find_session(options["session"])
        try:
            services.index_session(session_id=session.id)
            session.refresh_from_db()
            number = session.step_count if options["at"] is None else options["at"]
            step_id = services.step_id_of(session_id=session.id, number=number)
            made = services.simulate_step(step_id=step_id, policy=_policy(session, options["policy"]))
        except ContextsError as error:
            raise CommandError(str(error)) from error
        if made.ledger_id is None:
            raise CommandError(made.message)
        document = ledger_by_id(made.ledger_id)
        if options["json"]:
            self.stdout.write(json.dumps(document, sort_keys=True, separators=(",", ":")))
        else:
            self._tell(document)

    def _tell(self, document: dict[str, Any]) -> None:
        self.stdout.write(
            _("step %(step)s of turn %(turn)s: %(tokens)s of %(window)s tokens, policy v%(policy)s, %(verdict)s")
            % {
                "step": document["step"],
                "turn": document["turn"],
                "tokens": f"{document['totalTokens']:,}",
                "window": f"{document['windowTokens']:,}",
                "policy": document["policyVersion"],
                "verdict": document["verdict"],
            }
        )
        for name in Bucket:
            figures = document["buckets"][name]
            self.stdout.write(f"  {name:14} {figures['used']:>9,} / {figures['allotted']:,}")
        for title, rows in ((_("included"), document["included"]), (_("excluded"), document["excluded"])):
            self.stdout.write(f"{title}: {len(rows)}")
            for row in rows:
                tokens = f"{row['beforeTokens']:>8,} -> {row['afterTokens']:>8,}"
                self.stdout.write(f"  {tokens}  {row['reason']:22} {row['title'] or row['sourceId']}")
        self.stdout.write(f"request sha256 {document['requestSha256'] or '-'}")


def find_session(name: str) -> Session:
    """By id, by the start of an id, or by the importer's key; CommandError says what else to give."""
    try:
        found = list(Session.objects.filter(id=UUID(name)))
    except ValueError:
        found = list(Session.objects.filter(external_id=name)[:2])
        if not found and len(name) >= PREFIX_CHARS:
            found = list(Session.objects.filter(id__startswith=name.lower())[:2])
    if len(found) != 1:
        which = _("no session") if not found else _("more than one session")
        raise CommandError(
            _("%(which)s fits %(name)r; give the whole id from the session's page") % {"which": which, "name": name}
        )
    return found[0]


def _policy(session: Session, number: int | None) -> Policy | None:
    if number is None:
        return None
    found = policy_at(session.project_id, number)
    if found is None:
        raise CommandError(_("this project has no policy version %(number)s") % {"number": number})
    return found
