"""What compaction refuses."""

from __future__ import annotations


class CompactionError(Exception):
    """Told to people as it is."""


class NoSuchCompaction(CompactionError):
    pass


class SummariserChanged(CompactionError):
    pass


class SummariserRefused(CompactionError):
    def __init__(self, field: str, reason: str) -> None:
        super().__init__(reason)
        self.field = field
