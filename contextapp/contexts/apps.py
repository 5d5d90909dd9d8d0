from __future__ import annotations

from django.apps import AppConfig


class ContextsConfig(AppConfig):
    name = "contextapp.contexts"
