"""Every address of the pages as the URL table has it, filled with ids. Holds no test and no list of its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver

PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")


@dataclass(frozen=True, slots=True)
class Address:
    name: str
    route: str
    view: Callable[..., Any]

    @property
    def permission(self) -> str | None:
        return getattr(self.view, "permission", None)

    @property
    def parameters(self) -> list[str]:
        return PARAMETER.findall(self.route)

    def path(self, values: dict[str, object]) -> str:
        return PARAMETER.sub(lambda found: str(values[found[1]]), self.route)


def addresses(
    patterns: list[URLPattern | URLResolver] | None = None, namespace: str = "", start: str = "/"
) -> Iterator[Address]:
    for entry in get_resolver().url_patterns if patterns is None else patterns:
        route = start + str(entry.pattern)
        if isinstance(entry, URLPattern):
            yield Address(f"{namespace}{entry.name}", route, entry.callback)
        elif entry.namespace not in ("api", "otlp"):  # doors for keys are judged in tests/api
            inner = f"{namespace}{entry.namespace}:" if entry.namespace else namespace
            yield from addresses(entry.url_patterns, inner, route)
