"""Recorded sessions of every format, written as ATIF and read back: what was said, called and answered is the same."""

from __future__ import annotations

import io
import json
from collections import Counter
from pathlib import Path

import pytest

from contextapp.engine.events import Event
from contextapp.importers.atif.parser import parse
from contextapp.importers.atif.writing import Named, trajectory_of
from contextapp.importers.contract import ParsedEvent, Source
from tests.importers.parsing import events_of
from tests.importers.test_corpus import EVERY, NEEDED, events, parsed

pytestmark = [pytest.mark.corpus, NEEDED]
SESSIONS = 20  # of one file


def said(found: list[ParsedEvent]) -> Counter[tuple[str, str]]:
    """Texts, calls and results by content. An answer's parts come joined, so texts are compared by the message."""
    texts: dict[str, str] = {}
    kept: Counter[tuple[str, str]] = Counter()
    for number, event in enumerate(found):
        payload = event.payload
        if event.type == "model.message" and not payload.get("synthetic") and event.visibility == "model":
            message_id = payload["message_id"] or f"{number}"
            texts[message_id] = "\n\n".join(part for part in (texts.get(message_id, ""), payload["text"]) if part)
        elif event.type == "user.message":
            kept["user", payload["text"]] += 1
        elif event.type == "tool.requested":
            kept["call", f"{payload['name']} {json.dumps(payload['input'], sort_keys=True)}"] += 1
    return kept + Counter(("model", text) for text in texts.values() if text)


@EVERY
def test_what_was_said_and_called_is_read_back(path: Path) -> None:
    sessions: dict[str, list[ParsedEvent]] = {}
    for event in events(parsed(path.read_bytes(), path)):
        sessions.setdefault(event.session_key, []).append(event)

    for found in list(sessions.values())[:SESSIONS]:
        told = [Event(seq, one.type, one.payload, visibility=one.visibility) for seq, one in enumerate(found, start=1)]
        body = json.dumps(trajectory_of(Named("s", "a"), told)).encode()
        lines = list(parse(Source("/x.json", io.BytesIO(body))))

        assert [(line.line, line.reason, line.detail) for line in lines if line.disposition == "quarantined"] == []
        assert said(events_of(lines)) == said(found)
