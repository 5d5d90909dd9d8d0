"""The append-only log as evidence: sessions, events, payloads, artifacts, verification, erasure. Interprets no event."""
