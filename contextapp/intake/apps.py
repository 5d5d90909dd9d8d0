from __future__ import annotations

from django.apps import AppConfig


class IntakeConfig(AppConfig):
    name = "contextapp.intake"

    def ready(self) -> None:
        from contextapp.eventlog import erasure
        from contextapp.intake.selectors import JOB_KIND
        from contextapp.intake.services.forgetting import purge_session
        from contextapp.intake.tasks import run_import_job
        from contextapp.jobs import registry

        registry.register(JOB_KIND, run_import_job)
        erasure.register(purge_session)
