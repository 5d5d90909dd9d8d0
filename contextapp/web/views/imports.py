"""Imports: what was brought in, what became of every line, and forgetting it again. Parses nothing itself."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from contextapp.accounts import permissions
from contextapp.accounts.services import actor_name
from contextapp.intake import selectors as intake
from contextapp.intake import services
from contextapp.intake.errors import BadSelection, IntakeError
from contextapp.intake.selectors import ImportRow
from contextapp.web.access import Project, may, with_import, with_project
from contextapp.web.parameters import integer
from contextapp.web.templatetags.numbers import size


@require_safe
@with_project(permissions.READ)
def list_(request: HttpRequest, project: Project) -> HttpResponse:
    found = intake.list_imports(project.id, before=request.GET.get("before", ""))
    context = {"project": project, "found": found, "may_import": may(request, project, permissions.IMPORT)}
    return render(request, "imports/list.html", context)


@require_safe
@with_import(permissions.READ)
def detail(request: HttpRequest, project: Project, batch: ImportRow) -> HttpResponse:
    """The page; only its changing part for htmx, which asks again while the import works."""
    first_file = integer(request, "file") or 0
    files = intake.files_of(batch.id, offset=first_file)
    context = {
        "project": project,
        "batch": batch,
        "files": files,
        "next_file": first_file + len(files) if first_file + len(files) < batch.files else None,
        "quarantine": intake.quarantine_of(batch.id, offset=integer(request, "quarantine") or 0),
        "may_forget": may(request, project, permissions.ERASE) and not batch.is_working and batch.state != "forgotten",
    }
    part = "#import" if request.htmx.target == "import" else ""
    return render(request, f"imports/detail.html{part}", context)


@require_http_methods(["GET", "HEAD", "POST"])
@with_project(permissions.IMPORT, own=True)
def new(request: HttpRequest, project: Project) -> HttpResponse:
    error = ""
    if request.method == "POST":
        start = _start_paths if request.POST.get("way") == "paths" else _start_upload
        try:
            return redirect("imports:detail", start(request, project))
        except IntakeError as refused:
            error = str(refused)
    context = {
        "project": project,
        "error": error,
        "entered": request.POST,
        "may_name_paths": request.user.is_superuser,
        "upload_limit_bytes": settings.DATA_UPLOAD_MAX_MEMORY_SIZE,
    }
    return render(request, "imports/new.html", context, status=422 if error else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@with_import(permissions.ERASE)
def forget(request: HttpRequest, project: Project, batch: ImportRow) -> HttpResponse:
    if request.method == "POST":
        try:
            services.forget_import(import_id=batch.id, actor=actor_name(request.user))
            messages.success(request, _("The import is forgotten and its content erased."))
        except IntakeError as refused:
            messages.error(request, str(refused))
        return redirect("imports:detail", batch.id)
    context = {"project": project, "batch": batch, "session_count": intake.session_count(batch.id)}
    return render(request, "imports/forget.html", context)


def _start_paths(request: HttpRequest, project: Project) -> object:
    """Paths name files of the server's disk, so only the administrator of the installation may give them."""
    if not request.user.is_superuser:
        raise PermissionDenied(_("Only the administrator may import from the server's disk; upload the files instead."))
    last = request.POST.get("last", "").strip()
    if last and not (last.isascii() and last.isdecimal()):
        raise BadSelection(_("“%(value)s” is not a number of files.") % {"value": last[:40]})
    paths = [line.strip() for line in request.POST.get("paths", "").splitlines() if line.strip()]
    batch = services.start_import(
        project=project,
        paths=paths,
        requested_by=actor_name(request.user),
        since=request.POST.get("since", "").strip() or None,
        last=int(last) if last else None,
    )
    return batch.id


def _start_upload(request: HttpRequest, project: Project) -> object:
    """Files are read into memory and kept in the database until they are imported; hence the limit."""
    chosen = request.FILES.getlist("files")
    total, limit = sum(file.size or 0 for file in chosen), settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    if total > limit:
        values = {"total": size(total), "limit": size(limit)}
        text = _("These files have %(total)s together, the limit is %(limit)s; import them from the command line.")
        raise BadSelection(text % values)
    files = ((file.name or "", file.read()) for file in chosen)
    return services.start_upload(project=project, files=files, requested_by=actor_name(request.user)).id
