"""The way in and out. A one-time link is used up by its button, never by opening the address."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth import login as start_login
from django.contrib.auth import logout as end_login
from django.contrib.auth.forms import AuthenticationForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from contextapp.accounts import services
from contextapp.web.access import anyone
from contextapp.web.views.preferences import safe_next

BACKEND = "django.contrib.auth.backends.ModelBackend"


@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
@anyone
def login(request: HttpRequest) -> HttpResponse:
    if request.user.is_authenticated:
        return redirect(safe_next(request))
    form = AuthenticationForm(request, data=request.POST or None)
    if request.method == "POST" and form.is_valid():
        services.note_login(user=form.get_user(), way="password")
        start_login(request, form.get_user())
        return redirect(safe_next(request))
    return render(request, "login/form.html", {"form": form, "next": safe_next(request)})


def locked_out(request: HttpRequest, response: HttpResponse | None = None, credentials: object = None) -> HttpResponse:
    """What the lockout library answers with: the same for a name that exists and for one that nobody has."""
    context = {"next": safe_next(request), "minutes": int(settings.AXES_COOLOFF_TIME.total_seconds() // 60)}
    answer = render(request, "login/locked_out.html", context, status=429)
    answer["Retry-After"] = str(int(settings.AXES_COOLOFF_TIME.total_seconds()))
    return answer


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@anyone
def link(request: HttpRequest, token: str) -> HttpResponse:
    if request.method != "POST":
        return render(request, "login/link.html", {"next": safe_next(request)})
    try:
        user = services.use_login_link(token=token)
    except services.LoginLinkRefused:
        minutes = int(settings.LOGIN_LINK_LIFETIME.total_seconds() // 60)
        return render(request, "login/expired.html", {"minutes": minutes}, status=410)
    start_login(request, user, backend=BACKEND)
    return redirect(safe_next(request))


@require_POST
@anyone
def logout(request: HttpRequest) -> HttpResponse:
    end_login(request)
    return redirect("login")
