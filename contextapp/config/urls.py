"""The two doors, `/api/` for agents and everything beside it for people, and what a load balancer asks."""

from __future__ import annotations

from django.urls import include, path

from contextapp.api import otlp
from contextapp.api.api import api
from contextapp.config import health

urlpatterns = [
    path("healthz", health.live, name="healthz"),
    path("readyz", health.ready, name="readyz"),
    path("api/v1/", api.urls),
    path("v1/", include((otlp.urlpatterns, "otlp"))),
    path("", include("contextapp.web.urls")),
]

handler400 = "contextapp.web.views.errors.bad_request"
handler403 = "contextapp.web.views.errors.forbidden"
handler404 = "contextapp.web.views.errors.not_found"
handler500 = "contextapp.web.views.errors.server_error"
