"""A sample's guided case in the language of the page: a question, and the places that answer it one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django import template
from django.urls import reverse
from django.utils.translation import get_language

register = template.Library()


@dataclass(frozen=True, slots=True)
class Stop:
    text: str
    href: str


@dataclass(frozen=True, slots=True)
class Guide:
    question: str
    stops: tuple[Stop, ...]


@register.simple_tag
def guide_of(session_id: UUID, guide: Mapping[str, Any] | None) -> Guide | None:  # Any: JSON, as the sample wrote it
    """None for a session without a guide; English where it has none in the page's language."""
    if not guide:
        return None
    told = guide.get(get_language() or "en") or guide["en"]
    stops = (Stop(step["text"], _href(session_id, step)) for step in told["answer_steps"])
    return Guide(told["question"], tuple(stops))


def _href(session_id: UUID, step: Mapping[str, Any]) -> str:
    """A guide is written before its session has an id, so its places leave the session out."""
    path = reverse(step["url_name"], args=[session_id, *step["args"]])
    return f"{path}?{step['query']}" if step["query"] else path
