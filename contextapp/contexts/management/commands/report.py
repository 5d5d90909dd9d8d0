"""`manage.py report savings`: what the engine saves, by project, session and tool family. Reads ledgers, writes nothing."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _

from contextapp.accounts.models import Project
from contextapp.contexts import selectors
from contextapp.contexts.management.commands.build import find_session
from contextapp.contexts.values.savings import FamilySavings, Savings, SessionSavings

SHOWN_SESSIONS = 20


class Command(BaseCommand):
    help = "Report what the engine saves under the active policy, from the ledgers that are kept."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("report", choices=("savings",))
        parser.add_argument("--project", metavar="SLUG", help="this project alone; default: every project")
        parser.add_argument("--session", metavar="SESSION", help="a session's id, the start of one, or its external id")
        parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")

    def handle(self, *args: Any, **options: Any) -> None:  # as the command line gives them
        found = self._found(options["project"], options["session"])
        if options["json"]:
            document = {"projects": [_document(one) for one in found]}
            self.stdout.write(json.dumps(document, sort_keys=True, separators=(",", ":")))
            return
        for one in found:
            self._tell(one)

    def _found(self, slug: str | None, session_name: str | None) -> list[Savings]:
        if session_name is not None:
            session = find_session(session_name)
            return [selectors.savings_of(session.project, session.id)]
        projects = Project.objects.order_by("slug")
        if slug is not None:
            projects = projects.filter(slug=slug)
            if not projects:
                known = ", ".join(Project.objects.order_by("slug").values_list("slug", flat=True))
                raise CommandError(
                    _("there is no project “%(slug)s”; known are %(known)s") % {"slug": slug, "known": known}
                )
        return [selectors.savings_of(project) for project in projects]

    def _tell(self, savings: Savings) -> None:
        steps = sum(session.steps for session in savings.sessions)
        counted = sum(session.counted_steps for session in savings.sessions)
        self.stdout.write(
            _("%(project)s, policy v%(policy)s, engine %(engine)s: %(counted)s of %(steps)s steps have a ledger")
            % {
                "project": savings.project,
                "policy": savings.policy_number,
                "engine": savings.engine_version,
                "counted": f"{counted:,}",
                "steps": f"{steps:,}",
            }
        )
        for family in (*savings.families, savings.results):
            self.stdout.write(
                _(
                    "  %(family)s: %(calls)s results, %(triggered)s shortened, %(before)s -> %(after)s tokens (-%(saved)s %%)"
                )
                % {
                    "family": family.family,
                    "calls": f"{family.calls:,}",
                    "triggered": f"{family.triggered:,}",
                    "before": f"{family.before_tokens:,}",
                    "after": f"{family.after_tokens:,}",
                    "saved": family.saved_percent,
                }
            )
        for session in savings.sessions[:SHOWN_SESSIONS]:
            self._tell_session(session)
        if len(savings.sessions) > SHOWN_SESSIONS:
            words = _("  %(shown)s of %(total)s sessions; --json gives them all")
            self.stdout.write(words % {"shown": SHOWN_SESSIONS, "total": len(savings.sessions)})

    def _tell_session(self, session: SessionSavings) -> None:
        self.stdout.write(
            _("  %(session)s %(title)s: %(identity)s tokens whole -> %(active)s over %(counted)s of %(steps)s steps")
            % {
                "session": str(session.session_id)[:8],
                "title": session.title[:40],
                "identity": f"{session.identity_tokens:,}",
                "active": f"{session.active_tokens:,}",
                "counted": session.counted_steps,
                "steps": session.steps,
            }
        )


def _document(savings: Savings) -> dict[str, Any]:  # JSON
    return {
        "project": savings.project,
        "policy": savings.policy_number,
        "engine": savings.engine_version,
        "identity_tokens": savings.identity_tokens,
        "active_tokens": savings.active_tokens,
        "results": _family(savings.results),
        "families": {one.family: _family(one) for one in savings.families},
        "sessions": [
            {
                "session": str(one.session_id),
                "title": one.title,
                "steps": one.steps,
                "counted_steps": one.counted_steps,
                "identity_tokens": one.identity_tokens,
                "active_tokens": one.active_tokens,
                "results": _family(one.results),
                "families": {part.family: _family(part) for part in one.families},
            }
            for one in savings.sessions
        ],
    }


def _family(family: FamilySavings) -> dict[str, Any]:  # JSON
    return {
        "tool_calls": family.calls,
        "triggered": family.triggered,
        "tokens_before": family.before_tokens,
        "tokens_after": family.after_tokens,
        "saved_percent": family.saved_percent,
    }
