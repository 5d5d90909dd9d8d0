"""What the rest of the product asks of compaction."""

from __future__ import annotations

from contextapp.compaction.services.choosing import Choice, choose_summariser
from contextapp.compaction.services.jobs import COMPACT, compact_job, compact_session, request_compaction
from contextapp.compaction.services.making import prepare
from contextapp.compaction.services.marks import purge_session, record_marks
from contextapp.compaction.services.storing import draft_of, record_failure, store, withdraw

__all__ = [
    "COMPACT", "Choice", "choose_summariser", "compact_job", "compact_session", "draft_of", "prepare", "purge_session",
    "record_failure", "record_marks", "request_compaction", "store", "withdraw",
]  # fmt: skip
