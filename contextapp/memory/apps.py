from __future__ import annotations

from django.apps import AppConfig


class MemoryConfig(AppConfig):
    name = "contextapp.memory"

    def ready(self) -> None:
        from contextapp.eventlog import erasure
        from contextapp.memory.services import purge_session

        erasure.register(purge_session)
