"""The files of a bundle as chunks of bytes: events with their exact payloads, ledgers, blocks, and a word to an auditor."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any
from uuid import UUID

from contextapp.contexts.documents import ledger_document
from contextapp.contexts.models import Block, Ledger
from contextapp.contexts.packing import unpack_body
from contextapp.contexts.selectors.ledgers import columns_of
from contextapp.eventlog.models import Event, Payload
from contextapp.evidence.chain import microseconds

PAGE_EVENTS = 200

README = """\
EVIDENCE BUNDLE (ctx.bundle.v1)

This folder is the record of one session of an AI agent: every event in its order, what the model was given at each call
and why, and what proves that nothing was changed since. Open view.html to read it. To verify it, with Python 3.8 or newer
and nothing else:

    python3 verify.py BUNDLE.zip [--key NAME+ID+BASE64] [--known-head HEX]

verified    everything fits, and a signed checkpoint covers events of this session
unanchored  everything fits; no checkpoint covers it, so only a head that you saved yourself proves when it was written
tampered    the files contradict themselves; the place is named
diverged    the chain fits, but it is not the one that was signed or that you saved

manifest.json    every file with its SHA-256, and the head of the chain
events.jsonl     one event per line. `payload` is the exact text that was hashed, null where it was erased;
                 payload_commit = sha256(salt || payload); hash = sha256 over all other columns in the order
                 ctx.event.v1, hash_version, project_id, session_id, seq, event_id, type, schema_version, visibility,
                 occurred_at_us, recorded_at_us, actor, api_key_id, payload_commit, payload_len, prev_hash - each after its
                 length as a signed 32-bit big-endian number, -1 for what is absent
artifacts/       large content by its SHA-256
ledgers.jsonl    the decisions of each call: what entered the request, what stayed out, why, in tokens
blocks/          the pieces of requests that were handed out, by their SHA-256
checkpoint.txt   a C2SP signed note over the heads of all sessions; proof.json leads from this session's head to its root
                 (RFC 6962)
public-keys.txt  the keys that sign checkpoints. They came with the bundle: compare them with a copy that you got another way

The verifier proves that the record is whole and unchanged since it was signed. It can't prove that what an agent reported
was true.
"""


def events(session_id: UUID, counts: dict[str, int], named: set[str]) -> Iterator[bytes]:
    """One JSON line per event; how many there are and are erased into `counts`, the artifacts it names into `named`."""
    after = 0
    while page := list(Event.objects.filter(session_id=session_id, seq__gt=after).order_by("seq")[:PAGE_EVENTS]):
        seqs = [event.seq for event in page]
        payloads = {row.seq: row for row in Payload.objects.filter(session_id=session_id, seq__in=seqs)}
        for event in page:
            counts["events"] += 1
            counts["erased"] += event.seq not in payloads
            payload = payloads.get(event.seq)
            if payload is not None and b'"sha256"' in bytes(payload.body):
                named.update(_artifacts_of(json.loads(bytes(payload.body))))
            yield _line(_event(event, payload))
        after = seqs[-1]


def ledgers(session_id: UUID, counts: dict[str, int], blocks: set[str]) -> Iterator[bytes]:
    """One JSON line per ledger; the digests of the blocks that were handed out into `blocks`."""
    found = Ledger.objects.filter(session_id=session_id).select_related("body", "step__turn", "step")
    for ledger in found.order_by("step_number", "origin", "id").iterator(chunk_size=20):
        body = unpack_body(ledger.body.rows)
        counts["ledgers"] += 1
        request = None
        if body.request is not None and ledger.origin == "built" and ledger.verdict == "ok":
            digests = [digest for digest, _tokens in body.blocks]
            blocks.update(digests)
            request = {**body.request, "blocks": digests}
        is_erased = any(row.detail == "erased" for row in body.ledger.rows)
        yield _line({"ledger": ledger_document(columns_of(ledger), body), "request": request, "erased": is_erased})


def blocks(project_id: UUID, digests: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """Those of the blocks that are still stored; erasure took the others."""
    for digest in sorted(digests):
        body = (
            Block.objects.filter(project_id=project_id, sha256=bytes.fromhex(digest))
            .values_list("body", flat=True)
            .first()
        )
        if body is not None:
            yield digest, bytes(body)


def _event(event: Event, payload: Payload | None) -> dict[str, Any]:  # JSON
    return {
        "seq": event.seq,
        "event_id": str(event.event_id),
        "project_id": str(event.project_id),
        "session_id": str(event.session_id),
        "type": event.type,
        "schema_version": event.schema_version,
        "visibility": event.visibility,
        "occurred_at_us": _instant(event.occurred_at),
        "recorded_at_us": _instant(event.recorded_at),
        "actor": event.actor,
        "api_key_id": None if event.api_key_id is None else str(event.api_key_id),
        "payload_commit": bytes(event.payload_commit).hex(),
        "payload_len": event.payload_len,
        "prev_hash": bytes(event.prev_hash).hex(),
        "hash": bytes(event.hash).hex(),
        "hash_version": event.hash_version,
        "salt": None if payload is None else bytes(payload.salt).hex(),
        "payload": None if payload is None else bytes(payload.body).decode("ascii"),
    }


def _artifacts_of(payload: dict[str, Any]) -> Iterator[str]:  # a payload is any JSON object
    media = payload.get("media")
    for place in (payload.get("artifact"), *(media if isinstance(media, list) else ())):
        if isinstance(place, dict) and isinstance(place.get("sha256"), str):
            yield place["sha256"]


def _instant(moment: datetime | None) -> int | None:
    return None if moment is None else microseconds(moment)


def _line(content: Any) -> bytes:  # any JSON value
    return json.dumps(content, sort_keys=True, separators=(",", ":")).encode() + b"\n"
