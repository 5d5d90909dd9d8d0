"""The search tokens of a revision, by the one tokenizer of the product. Derived: rebuilt whenever that tokenizer changes."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import connection

from contextapp.engine.sources.relevance import record_tokens
from contextapp.memory.models import MemoryRevision

TOKENIZER_VERSION = 2


def index(revision: MemoryRevision) -> None:
    words = sorted(set(record_tokens(revision.shown)))
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE memory_memoryrevision SET search = array_to_tsvector(%s::text[]), tokenizer_version = %s WHERE id = %s",
            [words, TOKENIZER_VERSION, revision.pk],
        )


def index_all(revisions: Iterable[MemoryRevision]) -> int:
    """How many were indexed."""
    done = 0
    for revision in revisions:
        index(revision)
        done += 1
    return done
