"""Puts a bundle together, file by file, so that a long session never stands in memory. The same record gives the same bytes.

What the files hold, and how they are checked, is described in docs/evidence-bundle.md and, for the auditor, in README.txt.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any
from uuid import UUID

from django.db import connection, transaction

from contextapp.contexts.errors import NotFound
from contextapp.contexts.export import documents, proofs, view
from contextapp.eventlog.models import Artifact, Head, Session
from contextapp.evidence import standalone

FORMAT = "ctx.bundle.v1"
FIXED_TIME = (1980, 1, 1, 0, 0, 0)  # a zip's own times would make every export another file
VERIFIER = Path(str(standalone.__path__[0])) / "verify.py"


class _Bundle:
    """A zip that remembers what it was given, for the manifest."""

    def __init__(self, target: IO[bytes]) -> None:
        self._zip = zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=6)
        self.files: dict[str, dict[str, Any]] = {}  # JSON of the manifest

    def add(self, name: str, chunks: Iterable[bytes]) -> None:
        digest, size = hashlib.sha256(), 0
        with self._zip.open(_info(name), "w", force_zip64=True) as file:
            for chunk in chunks:
                digest.update(chunk)
                size += len(chunk)
                file.write(chunk)
        self.files[name] = {"sha256": digest.hexdigest(), "size": size}

    def close(self, manifest: dict[str, Any]) -> None:  # JSON
        content = json.dumps({**manifest, "files": self.files}, sort_keys=True, indent=1).encode()
        self._zip.writestr(_info("manifest.json"), content)
        self._zip.close()


def _info(name: str) -> zipfile.ZipInfo:
    made = zipfile.ZipInfo(name, FIXED_TIME)
    made.compress_type = zipfile.ZIP_DEFLATED
    return made


def write_bundle(session_id: UUID, target: IO[bytes]) -> dict[str, Any]:
    """Write the zip; what it holds, as counts. One snapshot: appends may go on meanwhile. NotFound without it."""
    with transaction.atomic():
        if len(connection.savepoint_ids) == 0:
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        session = Session.objects.select_related("project", "workspace").filter(id=session_id).first()
        head = Head.objects.filter(session_id=session_id).first()
        if session is None or head is None:
            raise NotFound(f"there is no session {session_id}")
        return _write(session, head, target)


def _write(session: Session, head: Head, target: IO[bytes]) -> dict[str, Any]:  # counts
    bundle = _Bundle(target)
    counts = {"events": 0, "erased": 0, "artifacts": 0, "ledgers": 0}
    named: set[str] = set()
    bundle.add("events.jsonl", documents.events(session.id, counts, named))
    for digest, body in _artifacts(session.id):
        counts["artifacts"] += 1
        named.discard(digest)
        bundle.add(f"artifacts/{digest}", [body])
    blocks: set[str] = set()
    bundle.add("ledgers.jsonl", documents.ledgers(session.id, counts, blocks))
    for digest, body in documents.blocks(session.project_id, blocks):
        bundle.add(f"blocks/{digest}", [body])
    checkpoint = proofs.proof_of(session.id)
    if checkpoint is not None:
        bundle.add("checkpoint.txt", [checkpoint.note.encode()])
        bundle.add("proof.json", [json.dumps(checkpoint.proof, sort_keys=True).encode()])
        bundle.add("public-keys.txt", [checkpoint.keys.encode()])
    bundle.add("view.html", view.pages(session, counts))
    bundle.add("verify.py", [VERIFIER.read_bytes()])
    bundle.add("README.txt", [documents.README.encode()])
    bundle.close(
        {
            "format": FORMAT,
            "session": str(session.id),
            "project": str(session.project_id),
            "head": {"seq": head.head_seq, "hash": bytes(head.head_hash).hex()},
            "counts": counts,
            "absent_artifacts": sorted(named),  # named by a writer and never stored here
            "checkpoint": None if checkpoint is None else checkpoint.number,
        }
    )
    return {**counts, "checkpoint": None if checkpoint is None else checkpoint.number, "head_seq": head.head_seq}


def _artifacts(session_id: UUID) -> Iterator[tuple[str, bytes]]:
    """Each artifact that an event of the session uses, once, one at a time."""
    used = Artifact.objects.filter(uses__session_id=session_id).order_by("sha256").distinct()
    for pk, sha256 in list(used.values_list("pk", "sha256")):
        yield bytes(sha256).hex(), bytes(Artifact.objects.values_list("body", flat=True).get(pk=pk))


def bundle_bytes(session_id: UUID) -> bytes:
    """The whole zip in memory, for small sessions and tests."""
    target = io.BytesIO()
    write_bundle(session_id, target)
    return target.getvalue()
