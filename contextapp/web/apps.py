from __future__ import annotations

from django.apps import AppConfig


class WebConfig(AppConfig):
    name = "contextapp.web"
