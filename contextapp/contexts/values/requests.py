"""A request and what its check came to."""

from __future__ import annotations

from dataclasses import dataclass

from contextapp.engine.request.neutral import ModelRequest


@dataclass(frozen=True, slots=True)
class StepRequest:
    """`difference`: empty, engine, tokenizer, erased, inputs or stored_bytes; `detail` says it in words."""

    origin: str
    request: ModelRequest
    recorded_sha256: str
    same_bytes: bool
    difference: str
    detail: str
