"""The door for agents: `/api/v1/`. Every operation names the scope of the key it needs; there is no other way in."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import orjson
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, URLResolver
from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema
from ninja.renderers import BaseRenderer

from contextapp.api import artifacts, events, ledgers, memory, policies, problems, rates, sessions, steps, unknown
from contextapp.api.parsing import StrictParser


class Renderer(BaseRenderer):
    media_type = "application/json"

    def render(self, request: HttpRequest, data: Any, *, response_status: int) -> bytes:  # what the operation gave
        return orjson.dumps(data, option=orjson.OPT_SORT_KEYS)  # an answer repeated has the same bytes


class Api(NinjaAPI):
    """Answers of the framework itself, such as 405, become problems too; nothing here may be cached by anybody."""

    def get_openapi_schema(self, **options: Any) -> OpenAPISchema:  # as django-ninja passes them
        """With the media type that refusals really have; django-ninja gives every answer that of the renderer."""
        document = super().get_openapi_schema(**options)
        for methods in document["paths"].values():
            for operation in methods.values():
                for status, told in operation["responses"].items():
                    if int(status) >= 400 and "application/json" in told.get("content", {}):
                        told["content"] = {"application/problem+json": told["content"]["application/json"]}
        return document

    def _get_urls(self) -> list[URLResolver | URLPattern]:
        patterns = super()._get_urls()
        for pattern in patterns:
            if isinstance(pattern, URLPattern):
                pattern.callback = _finished(pattern.callback)
        return patterns


def _finished(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    @wraps(view)
    def finished(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:  # as the URL gives them
        response = view(request, *args, **kwargs)
        if response.status_code == 405:
            allowed = response["Allow"]
            detail = f"{request.method} is not offered here; use {allowed}"
            response = problems.answer(request, problems.Problem(405, "method_not_allowed", detail))
            response["Allow"] = allowed
        response["X-Request-Id"] = problems.request_id(request)
        response["Cache-Control"] = "private, no-store"
        return response

    return finished


api = Api(
    title="contextapp",
    version="1.0.0",
    description="Send events, build a request for the next model call, read why it holds what it holds.",
    docs_url="/docs" if settings.DEBUG else None,
    openapi_url="/openapi.json" if settings.DEBUG else None,
    parser=StrictParser(),
    renderer=Renderer(),
    urls_namespace="api",
)
api.add_router("", sessions.router)
api.add_router("", events.router)
api.add_router("", artifacts.router)
api.add_router("", steps.router)
api.add_router("", ledgers.router)
api.add_router("", memory.router)
api.add_router("", policies.router)
api.add_router("", unknown.router)  # the last: it takes whatever is left
problems.register(api, rates.note_refusal)
