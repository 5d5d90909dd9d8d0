from __future__ import annotations

from django.apps import AppConfig


class CompactionConfig(AppConfig):
    name = "contextapp.compaction"

    def ready(self) -> None:
        from contextapp.compaction.services import purge_session
        from contextapp.eventlog import erasure

        erasure.register(purge_session)
