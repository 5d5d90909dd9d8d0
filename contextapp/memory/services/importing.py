"""Brings memory files in as candidates. A file is somebody's word, not evidence: each record waits for a person."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from contextapp.accounts.models import Project
from contextapp.accounts.services import record
from contextapp.memory.errors import MemoryRefused
from contextapp.memory.files import MEM0, read, recognise
from contextapp.memory.models import Basis, MemoryScope, ProposerKind, SourceTrust
from contextapp.memory.services.proposing import propose


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of each statement: created, evidence_added (it was there), declined_before, refused; `refusals` say which."""

    statements: int
    created: int
    known: int
    declined: int
    refusals: tuple[tuple[int, str], ...]  # (line or place, why)


def import_memory(*, project: Project, text: str, name: str, scope: str, scope_key: str, proposed_by: str) -> Imported:
    """Every statement of the file that can be taken; the others are named with their line. UnreadableFile if there is none."""
    counted: Counter[str] = Counter()
    refusals: list[tuple[int, str]] = []
    entries = read(text)
    is_written_by_people = recognise(text) != MEM0
    for entry in entries:
        where = f"{name}:{entry.line}" + (f" ({entry.heading})" if entry.heading else "")
        try:
            proposed = propose(
                project=project,
                claim=entry.claim,
                kind=entry.kind,
                scope=MemoryScope.USER if entry.user and scope == MemoryScope.USER else scope,
                scope_key=entry.user if entry.user and scope == MemoryScope.USER else scope_key,
                source=where,
                proposed_by=proposed_by,
                proposer_kind=ProposerKind.IMPORT,
                basis=Basis.IMPORTED,
                source_trust=SourceTrust.USER if is_written_by_people else SourceTrust.MODEL,
            )
        except MemoryRefused as refused:
            refusals.append((entry.line, str(refused)))
            continue
        counted[proposed.outcome] += 1
    done = Imported(
        len(entries), counted["created"], counted["evidence_added"], counted["declined_before"], tuple(refusals)
    )
    after = {"file": name, "statements": done.statements, "created": done.created, "refused": len(refusals)}
    record(project=project, actor=proposed_by, action="memory.imported", target="memory", after=after)
    return done
