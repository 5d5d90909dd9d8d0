"""The evidence bundle of a session: one zip that an auditor verifies and reads without us. Reads only; writes to a stream."""

from __future__ import annotations

from contextapp.contexts.export.bundle import write_bundle

__all__ = ["write_bundle"]
