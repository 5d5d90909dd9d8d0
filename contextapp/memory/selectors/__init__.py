"""Reads of governed memory: for builds, for the desk, for a record's own page."""

from __future__ import annotations

from contextapp.memory.selectors.building import named, revisions_in_scope, revisions_named
from contextapp.memory.selectors.header import DeskHeader, desk_header
from contextapp.memory.selectors.queue import FILTERS, Group, QueueFilters, QueuePage, Row, list_queue, next_in_queue
from contextapp.memory.selectors.records import RecordPage, ShownQuote, lineage_of, record_for, record_page
from contextapp.memory.selectors.similar import Similar, similar_to

__all__ = [
    "FILTERS",
    "DeskHeader",
    "Group",
    "QueueFilters",
    "QueuePage",
    "RecordPage",
    "Row",
    "ShownQuote",
    "Similar",
    "desk_header",
    "lineage_of",
    "list_queue",
    "named",
    "next_in_queue",
    "record_for",
    "record_page",
    "revisions_in_scope",
    "revisions_named",
    "similar_to",
]
