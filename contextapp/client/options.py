"""How a client is set up, and what is the same in both transports: addresses, headers, and what a session is opened with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit
from uuid import UUID, uuid4

from contextapp.client.errors import BadArgument, Json
from contextapp.client.exchange import Retry, uuid_of
from contextapp.client.operations import Directory
from contextapp.client.outbox import Outbox

SPOOL_LIMIT_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Options:
    url: str
    key: str
    spool: Path | None
    spool_limit_bytes: int
    retry: Retry
    timeout_seconds: float

    @classmethod
    def of(
        cls, url: str, key: str, spool: str | Path | None, spool_limit_bytes: int, retry: Retry | None, timeout: float
    ) -> Options:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise BadArgument(f"url {url!r} is not the address of a server such as https://contextapp.example")
        if not key.isascii() or not key.isprintable() or not key.strip():
            raise BadArgument("the key is empty or has characters that no key has; make one with `manage.py key NAME`")
        path = Path(spool) if spool is not None else None
        return cls(url.rstrip("/") + "/api/v1", key.strip(), path, spool_limit_bytes, retry or Retry(), timeout)

    def __repr__(self) -> str:
        return f"Options(url={self.url!r}, spool={self.spool!r})"  # never the key

    @property
    def headers(self) -> dict[str, str]:
        return {
            "Authorization": f"Bearer {self.key}",
            "Accept": "application/json",
            "User-Agent": "contextapp-client/1",
        }


class Desk:
    """What one client keeps: the outbox, and which id the server gave to which session."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.outbox = Outbox(options.spool, limit_bytes=options.spool_limit_bytes)
        self.directory = Directory()

    def name_session(self, external_id: str, session_id: UUID | str | None, facts: Json) -> str:
        """The name under which events wait. A session without an external id gets one, so that opening it again finds it."""
        if session_id is not None:
            if external_id or facts:
                raise BadArgument("give session_id alone: the session is open, its facts stay")
            return f"id:{uuid_of(session_id, 'session_id')}"
        external_id = external_id or f"client-{uuid4()}"
        if len(external_id) > 300:
            raise BadArgument(f"external_id has {len(external_id)} characters; at most 300 are taken")
        key = f"external:{external_id}"
        self.outbox.open(key, {"external_id": external_id, **facts})
        return key
