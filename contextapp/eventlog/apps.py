from __future__ import annotations

from django.apps import AppConfig


class EventlogConfig(AppConfig):
    name = "contextapp.eventlog"
