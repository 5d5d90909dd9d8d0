"""`manage.py key NAME`: makes an API key and shows it once; lists and revokes them too. Never shows a secret again."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from contextapp.accounts.models import ApiKey, Project, Scope
from contextapp.accounts.selectors import api_keys_of
from contextapp.accounts.services import DEFAULT_PROJECT, create_api_key, ensure_administrator, revoke_api_key

ACTOR = "command:key"
DEFAULT_SCOPES = (Scope.INGEST, Scope.BUILD, Scope.READ)


class Command(BaseCommand):
    help = "Make an API key for an agent and print it, once; without NAME, list the keys of the project."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", nargs="?", metavar="NAME", help="who will hold the key")
        parser.add_argument("--project", default=DEFAULT_PROJECT[0], metavar="SLUG")
        parser.add_argument("--scopes", default=",".join(DEFAULT_SCOPES), help=f"of {', '.join(Scope.values)}")
        parser.add_argument(
            "--revoke", metavar="KEY_ID", help="the eight signs behind ctx_; the key opens nothing more"
        )

    def handle(self, *args: Any, **options: Any) -> None:  # as the command line gives them
        ensure_administrator()
        project = Project.objects.filter(slug=options["project"]).first()
        if project is None:
            there = ", ".join(Project.objects.order_by("slug").values_list("slug", flat=True))
            raise CommandError(f"There is no project {options['project']!r}; there are: {there}.")
        if options["revoke"]:
            self._revoke(project, options["revoke"])
        elif options["name"]:
            self._make(project, options["name"], options["scopes"])
        else:
            self._list(project)

    def _make(self, project: Project, name: str, scopes: str) -> None:
        try:
            wanted = [scope.strip() for scope in scopes.split(",") if scope.strip()]
            _, text = create_api_key(project=project, name=name, scopes=wanted, by=ACTOR)
        except ValueError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(text)

    def _list(self, project: Project) -> None:
        keys = list(api_keys_of(project))
        if not keys:
            self.stdout.write(f"Project {project.slug} has no keys; make one with `manage.py key NAME`.")
        for key in keys:
            used = f"last used {key.last_used_at:%Y-%m-%d %H:%M}" if key.last_used_at else "never used"
            state = f"revoked {key.revoked_at:%Y-%m-%d %H:%M}" if key.revoked_at else used
            self.stdout.write(f"{key.key_id}  {key.name}  {','.join(key.scopes)}  {state}")

    def _revoke(self, project: Project, key_id: str) -> None:
        key = ApiKey.objects.filter(project=project, key_id=key_id).first()
        if key is None:
            raise CommandError(f"Project {project.slug} has no key {key_id!r}; `manage.py key` lists them.")
        revoke_api_key(key=key, by=ACTOR)
        self.stdout.write(f"{key_id} is revoked.")
