"""One session of a file while it is walked: gives events their ids and remembers only what is open. Never looks ahead."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from contextapp.engine import events
from contextapp.importers.claude_code.reading import OpenCall, Reading, TitleRank
from contextapp.importers.contract import Json, ParsedEvent, SessionHead
from contextapp.importers.identity import Fact, identify

FORMAT_NAME = "claude_code"
AGENT = "claude-code"


class SessionWalk:
    """Grows record by record, so that the events of a longer file begin with those of a shorter one."""

    def __init__(self, head: SessionHead) -> None:
        self.head = head
        self.calls: dict[str, OpenCall] = {}
        self._told = False
        self._seen: set[int] = set()  # ids of the events so far: equal usage on every line of a message is one event
        self._title_rank = TitleRank.NONE
        self._created = self._turn_open = self._had_turn = False

    def accept(self, reading: Reading, record: Json, native: str, at: datetime | None) -> tuple[ParsedEvent, ...]:
        """The events that are new. A record that only repeats what was said leaves turns and calls as they are."""
        said = self._identify(reading.facts, native, at)
        new = self._unseen(said)
        if said and not new:
            return ()
        opening = self._unseen(self._identify(self._opening(reading, record, native), native, at))
        self._remember(reading)
        return (*opening, *new)

    def _identify(self, facts: Iterable[Fact], native: str, at: datetime | None) -> tuple[ParsedEvent, ...]:
        return identify(facts, format_name=FORMAT_NAME, session_key=self.head.key, native=native, occurred_at=at)

    def _unseen(self, events: tuple[ParsedEvent, ...]) -> tuple[ParsedEvent, ...]:
        new = {event.event_id.int: event for event in events if event.event_id.int not in self._seen}
        self._seen.update(new)
        return tuple(new.values())

    def _opening(self, reading: Reading, record: Json, native: str) -> list[Fact]:
        facts = []
        if not self._created and (reading.facts or "cwd" in record or "version" in record):
            self._created = True
            facts.append(Fact(events.SESSION_CREATED, _created_payload(self.head), native="session"))
        if reading.starts_turn and self._turn_open:
            facts.append(Fact(events.TURN_COMPLETED, {"stop_reason": "next_prompt"}))
        # The first model call of a session may follow a slash command or a copied history instead of a prompt.
        if reading.starts_turn or (reading.is_model_call and not self._had_turn):
            facts.append(Fact(events.TURN_STARTED, {"native_id": native}))
        return facts

    def _remember(self, reading: Reading) -> None:
        if reading.starts_turn or (reading.is_model_call and not self._had_turn):
            self._turn_open = self._had_turn = True
        if reading.ends_turn:
            self._turn_open = False
        for call in reading.opened:
            self.calls[call.call_id] = call
        for call_id in reading.closed:
            self.calls.pop(call_id, None)

    def retold(self, reading: Reading, version: str, cwd: str, at: datetime | None) -> tuple[SessionHead, ...]:
        """The head, when this record added something to it. Call before `accept`: the first event of a session quotes it."""
        before = self.head
        title = self._title(reading)
        self.head = replace(
            before,
            title=title,
            agent_version=version or before.agent_version,
            model=reading.model or before.model,
            cwd=before.cwd or cwd,
            started_at=before.started_at or at,
        )
        if self._told and self.head == before:
            return ()
        self._told = True
        return (self.head,)

    def _title(self, reading: Reading) -> str:
        rank = reading.title_rank
        replaces = rank > self._title_rank or (rank == self._title_rank and rank > TitleRank.PROMPT)
        if not reading.title or not replaces:
            return self.head.title
        self._title_rank = rank
        return reading.title


def _created_payload(head: SessionHead) -> Json:
    payload = {
        "agent": AGENT,
        "agent_version": head.agent_version,
        "cwd": head.cwd,
        "format": FORMAT_NAME,
        "parent_session": head.parent_key,
    }
    return {name: value for name, value in payload.items() if value}
