"""Which summariser a session's project has switched on; none is the usual case."""

from __future__ import annotations

from uuid import UUID

from django.conf import settings

from contextapp.compaction.models import SummariserKind, SummariserSetting
from contextapp.compaction.sealing import opened
from contextapp.compaction.summarisers.contract import Summariser
from contextapp.compaction.summarisers.llm import LanguageModel
from contextapp.compaction.summarisers.providers import Provider
from contextapp.eventlog.models import Session


def summariser_of(session_id: UUID) -> Summariser | None:
    """None: the deterministic summary is the project's."""
    session = Session.objects.select_related("project").get(id=session_id)
    chosen = SummariserSetting.objects.filter(project_id=session.project_id).first()
    if chosen is None or chosen.kind == SummariserKind.DETERMINISTIC:
        return None
    provider = Provider(
        kind=chosen.kind,
        base_url=chosen.base_url,
        model=chosen.model,
        key=opened(chosen.key_sealed) or "",
        allow_hosts=tuple(settings.OUTBOUND_ALLOW_HOSTS),
    )
    return LanguageModel(provider, bytes(session.project.fence_secret), str(session_id), chosen.window_tokens)
