"""Who a message is: what it says, and all that was said before it. A history repeated in a later request comes to the same
ids, so it is told once, in whatever order its requests arrive."""

from __future__ import annotations

import hashlib
import uuid
from collections import Counter
from collections.abc import Sequence

from contextapp.importers.contract import Json
from contextapp.importers.identity import content_hash
from contextapp.importers.otlp.attributes import read_json
from contextapp.importers.otlp.values import Message

_NAMESPACE = uuid.UUID("0f6f0c58-3c5e-5f0b-9d7c-5f9f0b7f2b11")
_DIGEST_CHARS = 32
START = hashlib.sha256(b"contextapp/otlp/conversation/1").hexdigest()[:_DIGEST_CHARS]


def digest(message: Message) -> str:
    """Of what a model is told again: not of its thinking, which histories leave out, and not of the spaces around a text."""
    said: Json = {"role": message.role, "text": message.text.strip()}
    if message.calls:
        said["calls"] = [(call.name, call.arguments) for call in message.calls]
    if message.media:
        said["media"] = [one.get("sha256") or one.get("url") or one.get("size_bytes") for one in message.media]
    if message.role == "tool":
        said |= {"call_id": message.call_id, "text": read_json(message.text.strip())}  # JSON is the same in any layout
    return content_hash(said)[:_DIGEST_CHARS]


def after(chain: str, message_digest: str) -> str:
    return hashlib.sha256(f"{chain}:{message_digest}".encode("ascii")).hexdigest()[:_DIGEST_CHARS]


def chains(digests: Sequence[str], start: str = START) -> list[str]:
    """The chain after no message, after the first, and so on: one more than there are messages."""
    found = [start]
    for one in digests:
        found.append(after(found[-1], one))
    return found


def event_id(key: str, *place: str) -> uuid.UUID:
    """The id of what stands at a place of a conversation."""
    return uuid.uuid5(_NAMESPACE, content_hash([key, *place]))


def trace_id(trace: str) -> uuid.UUID:
    """The id of the note that says which conversation a trace is of."""
    return event_id("trace", trace)


def message_ids(key: str, messages: Sequence[Message], places: Sequence[str]) -> list[uuid.UUID]:
    """The id of each message's first event. A result is known by its call, since a span of its tool may tell it first."""
    seen: Counter[str] = Counter()
    found = []
    for message, place in zip(messages, places[1:], strict=True):
        if message.role == "tool":
            found.append(result_id(key, message.call_id, seen[message.call_id]))
            seen[message.call_id] += 1
        else:
            found.append(event_id(key, "message", place, "0"))
    return found


def result_id(key: str, call_id: str, ordinal: int = 0) -> uuid.UUID:
    return event_id(key, "result", call_id, str(ordinal))
