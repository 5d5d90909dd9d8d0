"""The audit trail of a project and the checkpoints of the log: read, filtered, taken home as CSV. Changes nothing."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from datetime import timedelta

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from contextapp.accounts import permissions, services
from contextapp.accounts import selectors as accounts
from contextapp.eventlog.selectors import integrity
from contextapp.web.access import Project, with_settings
from contextapp.web.parameters import choice, integer
from contextapp.web.views.settings.page import settings_page

PERIODS = {"": None, "24h": timedelta(hours=24), "7d": timedelta(days=7), "30d": timedelta(days=30)}
PAGE = 50
CSV_ROWS = 100_000
CSV_PAGE = 1000
COLUMNS = ("n", "at", "actor", "action", "target", "before", "after", "hash")


@require_safe
@with_settings(permissions.READ_AUDIT)
def list_(request: HttpRequest, project: Project) -> HttpResponse:
    filters = _filters(request)
    kept = request.GET.copy()
    kept.pop("before", None)
    context = {
        "found": accounts.list_audit(project, filters, before=integer(request, "before"), limit=PAGE),
        "filters": filters,
        "period": request.GET.get("period", ""),
        "is_filtered": filters != accounts.AuditFilters(),
        "query": kept.urlencode(),
        "chain": services.verify_audit(project),
    }
    return settings_page(request, project, "audit", context)


@require_safe
@with_settings(permissions.READ_AUDIT)
def export(request: HttpRequest, project: Project) -> StreamingHttpResponse:
    """What the filters show, whole, newest first."""
    answer = StreamingHttpResponse(_rows(project, _filters(request)), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="audit-{project.slug}.csv"'
    return answer


@require_safe
@with_settings(permissions.READ_SETTINGS)
def checkpoints(request: HttpRequest, project: Project) -> HttpResponse:
    """They cover every session of the installation; nothing in them tells of another project but how many there are."""
    before = integer(request, "before")
    found = integrity.list_checkpoints(before=before, limit=PAGE + 1)
    newest = found[:1] if before is None else integrity.list_checkpoints(limit=1)
    context = {
        "checkpoints": found[:PAGE],
        "total": newest[0].number if newest else 0,
        "next_before": found[PAGE - 1].number if len(found) > PAGE else None,
        "public_key": integrity.public_key_text(),
        "alarm": integrity.checkpoint_alarm(),
    }
    return settings_page(request, project, "checkpoints", context)


def _filters(request: HttpRequest) -> accounts.AuditFilters:
    period = PERIODS[choice(request, "period", tuple(PERIODS))]
    return accounts.AuditFilters(
        actor=request.GET.get("actor", "").strip().replace("\0", "")[:200],
        action=request.GET.get("action", "").strip().replace("\0", "")[:100],
        since=None if period is None else timezone.now() - period,
    )


class _Echo:
    """A file that hands back what is written to it."""

    def write(self, text: str) -> str:
        return text


def _rows(project: Project, filters: accounts.AuditFilters) -> Iterator[str]:
    writer = csv.writer(_Echo())
    yield "\ufeff" + str(writer.writerow(COLUMNS))  # a spreadsheet takes UTF-8 for what it is only by this mark
    before, written = None, 0
    while written < CSV_ROWS:
        page = accounts.list_audit(project, filters, before=before, limit=CSV_PAGE)
        for entry in page.entries:
            before_text, after_text = (
                "" if value is None else json.dumps(value, ensure_ascii=False) for value in (entry.before, entry.after)
            )
            told = (entry.actor, entry.action, entry.target, before_text, after_text)
            cells = [entry.n, entry.at.isoformat(), *map(harmless, told), bytes(entry.hash).hex()]
            yield str(writer.writerow(cells))
        written += len(page.entries)
        before = page.next_before
        if before is None:
            return


def harmless(text: str) -> str:
    """A spreadsheet computes what begins with one of these; with an apostrophe before it, it shows it."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text
