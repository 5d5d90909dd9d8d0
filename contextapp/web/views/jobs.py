"""The list of work: what runs, what failed, what waits, what has ended; how far behind it is; again, or not any more."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from contextapp.accounts import permissions
from contextapp.accounts.services import actor_name
from contextapp.eventlog import selectors as eventlog
from contextapp.jobs import selectors as jobs
from contextapp.jobs import services
from contextapp.jobs.broker import broker_answers
from contextapp.web import words
from contextapp.web.access import Job, Project, may, with_job, with_project
from contextapp.web.parameters import choice
from contextapp.web.worklist import Worklist, back, worklist

PAGE = 50
LIVE = "jobs-live"  # the part of the page that asks for news by itself


@require_safe
@with_project(permissions.READ_JOBS, permitting=True)
def list_(request: HttpRequest, project: Project) -> HttpResponse:
    """The page; for htmx its live part, or 204 while nothing of it has changed."""
    found = _worklist(request, project)
    context = {
        "project": project,
        "list": found,
        "kind": request.GET.get("kind", ""),
        "state": request.GET.get("state", ""),
        "may_manage": may(request, project, permissions.MANAGE_JOBS),
    }
    if request.htmx.target != LIVE:
        return render(request, "jobs/list.html", context)
    if request.GET.get("seen") == found.seen:
        return HttpResponse(status=204)
    return render(request, "jobs/list.html#jobs-live", context)


@require_POST
@with_job(permissions.MANAGE_JOBS)
def retry(request: HttpRequest, job: Job) -> HttpResponse:
    if services.retry(job_id=job.pk, by=actor_name(request.user)) is None:
        messages.info(request, _("%(job)s waits or runs already.") % {"job": _name(job)})
    else:
        messages.success(request, _("%(job)s is on the list again, with all its attempts.") % {"job": _name(job)})
    return redirect(back(QueryDict(request.POST.get("back", "")[:1000]), job.pk))


@require_POST
@with_job(permissions.MANAGE_JOBS)
def cancel(request: HttpRequest, job: Job) -> HttpResponse:
    if services.cancel(job_id=job.pk, by=actor_name(request.user)) is None:
        messages.info(request, _("%(job)s had ended before.") % {"job": _name(job)})
    elif job.state == "running":
        messages.success(request, _("%(job)s is cancelled; its worker stops at its next step.") % {"job": _name(job)})
    else:
        messages.success(request, _("%(job)s is cancelled and will not begin.") % {"job": _name(job)})
    return redirect(back(QueryDict(request.POST.get("back", "")[:1000]), job.pk))


def _worklist(request: HttpRequest, project: Project) -> Worklist:
    filters = jobs.JobFilters(
        part=choice(request, "state", ("", *jobs.PARTS)), kind=request.GET.get("kind", "").replace("\0", "")[:60]
    )
    page = jobs.list_jobs(request.user, project, filters, request.GET.get("cursor", ""), limit=PAGE)
    named = [row.session_id for row in page.rows if row.session_id is not None]
    return worklist(
        page,
        filters,
        request.GET,
        lag=jobs.queue_lag(request.user, project),
        reading=eventlog.derive_lag([project.id]),
        broker_answers=broker_answers(),
        titles=eventlog.titles_of(request.user, named),
        now=timezone.now(),
    )


def _name(job: Job) -> str:
    return _("Job %(number)s (%(kind)s)") % {"number": job.pk, "kind": words.word(words.JOB_KINDS, job.kind)}
