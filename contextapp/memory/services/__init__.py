"""Writes of governed memory. Verbs; each is one transaction with its event in the governance stream and its audit entry."""

from __future__ import annotations

from contextapp.memory.services.aging import AGE, age_job, rescan, sweep
from contextapp.memory.services.bulk import Chosen, Result, chosen_from, decide_many
from contextapp.memory.services.claiming import claim, let_go
from contextapp.memory.services.deciding import approve, quarantine, reject, release, revoke, skip, verify
from contextapp.memory.services.embedding import EMBED, embed_job, embed_records, request_embedding
from contextapp.memory.services.erasing import purge_session
from contextapp.memory.services.exporting import export_memory
from contextapp.memory.services.gathering import (
    EXTRACT,
    TAKE_PROPOSALS,
    extract_candidates,
    extract_job,
    request_gathering,
    take_proposals,
    take_proposals_job,
)
from contextapp.memory.services.importing import Imported, import_memory
from contextapp.memory.services.knowing import answer, as_record, due_known_answer, is_right
from contextapp.memory.services.looking import Look, look_at
from contextapp.memory.services.proposing import propose, spans_from
from contextapp.memory.services.rebuilding import rebuild
from contextapp.memory.services.remembering import Proposed
from contextapp.memory.services.revising import narrow, reword
from contextapp.memory.services.undoing import undo
from contextapp.memory.services.using import Use, record_uses

__all__ = [
    "Imported",
    "export_memory",
    "import_memory",
    "AGE",
    "EMBED",
    "embed_job",
    "embed_records",
    "request_embedding",
    "age_job",
    "EXTRACT",
    "TAKE_PROPOSALS",
    "extract_candidates",
    "extract_job",
    "request_gathering",
    "take_proposals",
    "take_proposals_job",
    "Chosen",
    "Look",
    "Proposed",
    "Result",
    "Use",
    "answer",
    "approve",
    "as_record",
    "chosen_from",
    "claim",
    "decide_many",
    "due_known_answer",
    "is_right",
    "let_go",
    "look_at",
    "narrow",
    "propose",
    "purge_session",
    "quarantine",
    "rebuild",
    "record_uses",
    "reject",
    "release",
    "rescan",
    "revoke",
    "reword",
    "skip",
    "spans_from",
    "sweep",
    "undo",
    "verify",
]
