"""The Python client of the HTTP API. Imports nothing else of this project (docs/client.md)."""

from __future__ import annotations

from contextapp.client.asynchronous import AsyncClient, AsyncSession
from contextapp.client.discovery import discover_instructions
from contextapp.client.errors import (
    BadAnswer,
    BadArgument,
    ClientError,
    Conflict,
    ContextOverflow,
    EventsRefused,
    NotAllowed,
    NotAuthenticated,
    NotFound,
    ProblemError,
    RateLimited,
    Refused,
    ServerFailed,
    ServerUnavailable,
    SpoolDamaged,
    SpoolError,
    SpoolFull,
    SpoolInUse,
    SpoolNotWritten,
    TooLarge,
)
from contextapp.client.exchange import Retry
from contextapp.client.operations import Built, Events
from contextapp.client.sync import Client, Session

__all__ = [
    "AsyncClient",
    "AsyncSession",
    "BadAnswer",
    "BadArgument",
    "Built",
    "Client",
    "ClientError",
    "Conflict",
    "ContextOverflow",
    "Events",
    "EventsRefused",
    "NotAllowed",
    "NotAuthenticated",
    "NotFound",
    "ProblemError",
    "RateLimited",
    "Refused",
    "Retry",
    "ServerFailed",
    "ServerUnavailable",
    "Session",
    "SpoolDamaged",
    "SpoolError",
    "SpoolFull",
    "SpoolInUse",
    "SpoolNotWritten",
    "TooLarge",
    "discover_instructions",
]
