"""Who writes a summary beside the deterministic one. A summariser may fail in any way; then it says why and nothing is lost."""

from __future__ import annotations

from contextapp.compaction.summarisers.choosing import summariser_of
from contextapp.compaction.summarisers.contract import Failed, Summariser

__all__ = ["Failed", "Summariser", "summariser_of"]
