"""The pages behind a wrong address, a refusal and a fault: what happened, to what, and what to do."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return render(request, "errors/400.html", {"path": request.path}, status=400)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return render(request, "errors/403.html", {"path": request.path, "reason": str(exception)}, status=403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return render(request, "errors/404.html", {"path": request.path}, status=404)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return render(request, "errors/csrf.html", {"path": request.path, "reason": reason}, status=403)


def server_error(request: HttpRequest) -> HttpResponse:
    """Without the frame: whatever broke, the database included, must not break this page too."""
    return HttpResponse(render_to_string("errors/500.html", {"path": request.path}), status=500)
