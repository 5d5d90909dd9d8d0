"""Every way into the product asks who is there, except the few that are named here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from uuid import UUID

from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from ninja.operation import Operation

from contextapp.api.api import api


def operations() -> Iterator[tuple[str, Operation]]:
    for prefix, router in api._routers:  # ninja has no public way to list its operations
        for path, view in router.path_operations.items():
            for operation in view.operations:
                yield f"{'/'.join(sorted(operation.methods))} {prefix}{path}", operation


def test_the_api_has_operations_to_judge() -> None:
    assert len(list(operations())) >= 4


def test_every_api_operation_is_authenticated() -> None:
    assert [name for name, operation in operations() if not operation.auth_callbacks] == []


def test_every_api_operation_that_is_shown_has_an_id_a_summary_and_a_response() -> None:
    incomplete = [
        name
        for name, operation in operations()
        if operation.include_in_schema
        and not (operation.operation_id and operation.summary and operation.response_models)
    ]

    assert incomplete == []


PUBLIC_PAGES = {
    "home",  # only points to the sessions
    "login",  # asks who is there
    "login:link",  # is the answer: a token that works once
    "invitation",  # the same, into one project
    "logout",
    "healthz",  # a load balancer: yes or no
    "readyz",
    "set_language",  # a cookie
    "preferences",  # cookies: palette and the like
}
EXAMPLES = {"uuid": UUID(int=7), "int": 1, "str": "word", "slug": "word", "path": "a/b"}


def pages(patterns: list[URLPattern | URLResolver], namespace: str = "", start: str = "/") -> Iterator[tuple[str, str]]:
    """Name and an example path of every page; the API's addresses are judged above."""
    for entry in patterns:
        route = start + _example(entry)
        if isinstance(entry, URLResolver):
            if entry.namespace not in ("api", "otlp"):  # tests/api/test_otlp.py tries the doors of OpenTelemetry
                inner = f"{namespace}{entry.namespace}:" if entry.namespace else namespace
                yield from pages(entry.url_patterns, inner, route)
        else:
            yield f"{namespace}{entry.name}", route


def _example(entry: URLPattern | URLResolver) -> str:
    return re.sub(r"<(?:(\w+):)?\w+>", lambda found: str(EXAMPLES[found[1] or "str"]), str(entry.pattern))


def test_every_page_sends_a_stranger_to_the_login(client: Client, db: None) -> None:
    open_doors = []
    for name, path in pages(get_resolver().url_patterns):
        answers = [client.get(path), client.post(path)]
        redirected = [answer for answer in answers if answer.status_code == 302 and "/login/" in answer["Location"]]
        let_in = [answer for answer in answers if answer.status_code < 400 and answer not in redirected]
        if name not in PUBLIC_PAGES and (let_in or not redirected):
            open_doors.append(f"{name} {path}: {[answer.status_code for answer in answers]}")

    assert open_doors == []


def test_the_pages_that_need_no_login_exist() -> None:
    assert {name for name, _ in pages(get_resolver().url_patterns)} >= PUBLIC_PAGES
