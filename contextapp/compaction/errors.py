"""What compaction refuses."""

from __future__ import annotations


class CompactionError(Exception):
    """Told to people as it is."""


class NoSuchCompaction(CompactionError):
    pass
