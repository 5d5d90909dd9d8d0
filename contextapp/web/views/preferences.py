"""What one browser remembers about looks and keys, in cookies. Nothing about a person is stored on the server."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from contextapp.web.access import anyone

THEME_COOKIE = "theme"
KEYS_COOKIE = "keys"
THEMES = ("light", "dark")
YEAR_SECONDS = 365 * 24 * 3600


@require_POST
@anyone
def change(request: HttpRequest) -> HttpResponse:
    """Unknown values are ignored: the old preference stands."""
    response = HttpResponseRedirect(safe_next(request))
    theme, keys = request.POST.get("theme"), request.POST.get("keys")
    if theme == "auto":
        response.delete_cookie(THEME_COOKIE)
    elif theme in THEMES:
        response.set_cookie(THEME_COOKIE, theme, max_age=YEAR_SECONDS, samesite="Lax")
    if keys == "on":
        response.delete_cookie(KEYS_COOKIE)
    elif keys == "off":
        response.set_cookie(KEYS_COOKIE, keys, max_age=YEAR_SECONDS, samesite="Lax")
    return response


def safe_next(request: HttpRequest) -> str:
    """Where the form wants to go on, if that is a page of ours."""
    asked = request.POST.get("next") or request.GET.get("next") or ""
    if url_has_allowed_host_and_scheme(asked, allowed_hosts={request.get_host()}, require_https=request.is_secure()):
        return asked
    return reverse("home")
