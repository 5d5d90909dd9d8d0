"""What every page needs for its frame. Computed when the template asks, so that a partial costs nothing."""

from __future__ import annotations

from functools import cached_property

from django.http import HttpRequest
from django.utils.translation import gettext_noop

from contextapp.accounts import permissions
from contextapp.accounts import selectors as accounts
from contextapp.jobs import selectors as jobs
from contextapp.memory import selectors as memory
from contextapp.web.views.preferences import KEYS_COOKIE, THEME_COOKIE, THEMES

# The names of the projects that the product makes itself; pages show them in the reader's language.
MADE_BY_US = (gettext_noop("My sessions"), gettext_noop("Samples"))


class Frame:
    def __init__(self, request: HttpRequest) -> None:
        self._request = request

    @property
    def theme(self) -> str:
        """light, dark, or nothing: as the system says."""
        theme = self._request.COOKIES.get(THEME_COOKIE, "")
        return theme if theme in THEMES else ""

    @property
    def keys_on(self) -> bool:
        return self._request.COOKIES.get(KEYS_COOKIE) != "off"

    @property
    def section(self) -> str:
        return self._request.path.split("/")[1]

    @cached_property
    def projects(self) -> tuple:
        return tuple(accounts.projects_of(self._request.user))

    @cached_property
    def may_see_settings(self) -> bool:
        """In any project: the page itself offers those where it is so."""
        return self._may_somewhere(permissions.READ_SETTINGS)

    @cached_property
    def may_see_policies(self) -> bool:
        """In any project, as above."""
        return self._may_somewhere(permissions.READ_POLICY)

    def _may_somewhere(self, action: str) -> bool:
        here = getattr(self._request, "permitted", None)  # known where the page stands in a project
        if here is not None and permissions.may(here.role, action):
            return True
        return bool(accounts.projects_permitting(self._request.user, action))

    @cached_property
    def may_see_jobs(self) -> bool:
        """In any project, as above."""
        here = getattr(self._request, "permitted", None)
        if here is not None and permissions.may(here.role, permissions.READ_JOBS):
            return True
        return bool(accounts.projects_permitting(self._request.user, permissions.READ_JOBS))

    @cached_property
    def running_jobs(self) -> int:
        return jobs.open_job_count([project.id for project in self.projects])

    @cached_property
    def waiting_memory(self) -> int:
        """Records that wait for a reviewer, in the projects where the visitor may be one."""
        return memory.waiting_count(accounts.projects_where(self._request.user, permissions.REVIEW_MEMORY))


def frame(request: HttpRequest) -> dict[str, object]:
    return {"frame": Frame(request)}
