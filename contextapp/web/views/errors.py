"""The pages behind a wrong address, a refusal and a fault: what happened, to what, and what to do."""

from __future__ import annotations

from django.conf import settings
from django.core.exceptions import BadRequest, DisallowedHost, RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Our own refusals say which value; of the framework's two are worth a hint."""
    context = {
        "path": request.path,
        "reason": str(exception) if isinstance(exception, BadRequest) else "",
        "is_too_large": isinstance(exception, RequestDataTooBig),
        "is_foreign_host": isinstance(exception, DisallowedHost),
        "limit_bytes": settings.DATA_UPLOAD_MAX_MEMORY_SIZE,
    }
    return render(request, "errors/400.html", context, status=400)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return render(request, "errors/403.html", {"path": request.path, "reason": str(exception)}, status=403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return render(request, "errors/404.html", {"path": request.path}, status=404)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return render(request, "errors/csrf.html", {"path": request.path, "reason": reason}, status=403)


def server_error(request: HttpRequest) -> HttpResponse:
    """Without the frame: whatever broke, the database included, must not break this page too."""
    return HttpResponse(render_to_string("errors/500.html", {"path": request.path}), status=500)
