"""Reads of governed memory: for builds, for the desk, for a record's own page."""

from __future__ import annotations

from contextapp.memory.choices import REASONS
from contextapp.memory.selectors.building import (
    Asked,
    few_in_scope,
    named,
    revision_named,
    revisions_in_scope,
    revisions_named,
)
from contextapp.memory.selectors.header import (
    DeskHeader,
    RoundSummary,
    desk_header,
    round_summary,
    undoable,
    waiting_count,
)
from contextapp.memory.selectors.listing import list_records, record_as_json, record_with_history
from contextapp.memory.selectors.quality import Quality, ReviewerQuality, reviewer_quality
from contextapp.memory.selectors.queue import (
    FILTERS,
    ORDERS,
    WAITING,
    Group,
    QueueFilters,
    QueuePage,
    Row,
    list_queue,
    next_in_queue,
)
from contextapp.memory.selectors.records import (
    RecordPage,
    ShownQuote,
    changes_between,
    is_narrower,
    known_answer_for,
    lineage_of,
    record_for,
    record_page,
)
from contextapp.memory.selectors.similar import Similar, similar_to
from contextapp.memory.selectors.similarity import with_similarity

__all__ = [
    "FILTERS",
    "ORDERS",
    "REASONS",
    "WAITING",
    "Asked",
    "few_in_scope",
    "with_similarity",
    "DeskHeader",
    "Group",
    "Quality",
    "QueueFilters",
    "QueuePage",
    "RecordPage",
    "ReviewerQuality",
    "RoundSummary",
    "Row",
    "ShownQuote",
    "Similar",
    "changes_between",
    "desk_header",
    "is_narrower",
    "known_answer_for",
    "lineage_of",
    "list_queue",
    "list_records",
    "named",
    "next_in_queue",
    "record_as_json",
    "record_for",
    "record_page",
    "record_with_history",
    "reviewer_quality",
    "revision_named",
    "revisions_in_scope",
    "revisions_named",
    "round_summary",
    "similar_to",
    "undoable",
    "waiting_count",
]
