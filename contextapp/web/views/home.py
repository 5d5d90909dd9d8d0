"""The address without a path: the sessions list is the first page."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from contextapp.web.access import anyone


@require_safe
@anyone
def home(request: HttpRequest) -> HttpResponse:
    return redirect("sessions:list")
