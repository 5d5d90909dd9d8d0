"""Finds memory candidates in a session. Each extractor proposes; nothing here stores or approves."""

from __future__ import annotations

from contextapp.memory.extracting.contract import Extractor, Found
from contextapp.memory.extracting.deterministic import EXTRACTORS, extract

__all__ = ["EXTRACTORS", "Extractor", "Found", "extract"]
