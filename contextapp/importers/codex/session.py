"""The session of a rollout while it is walked: gives events their ids and remembers only what is open. Never looks ahead."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime

from contextapp.engine import events
from contextapp.engine.observations.text import title_line
from contextapp.importers.codex.reading import Copy, Effect, OpenCall, Reading
from contextapp.importers.codex.turns import Turns
from contextapp.importers.codex.usage import Meter
from contextapp.importers.contract import Json, ParsedEvent, SessionHead
from contextapp.importers.identity import Fact, identify

FORMAT_NAME = "codex_cli"
AGENT = "codex"
_MODEL_PARTS = frozenset({events.MODEL_MESSAGE, events.MODEL_THINKING, events.TOOL_REQUESTED})
_REQUEST = "## My request for Codex:"  # what an editor puts before the person's own words
_PROMPTS_REMEMBERED = 8  # the interface's copy comes right behind its message
Native = Callable[[], str]


class SessionWalk:
    """Grows record by record, so that the events of a longer file begin with those of a shorter one."""

    def __init__(self, head: SessionHead) -> None:
        self.head = head
        self.calls: dict[str, OpenCall] = {}
        self._meter, self._turns = Meter(), Turns()
        self._model = ""
        self._prompts: deque[str] = deque(maxlen=_PROMPTS_REMEMBERED)
        self._instructions: set[str] = set()  # the texts that are loaded
        self._patched: set[str] = set()  # calls whose files an event told
        self._is_compacted = self._is_created = self._is_named = self._is_told = False

    def accept(self, reading: Reading, native: Native, at: datetime | None) -> tuple[tuple[ParsedEvent, ...], str]:
        """The events of a record, or the reason it is folded."""
        self._model = reading.model or self._model
        is_creation = not self._is_created and reading.copy is Copy.HEAD
        facts = self._settled(reading, self._news(reading))
        turn = self._turns.follow(reading, native)
        self._remember(reading, facts)
        if reading.effect is Effect.TURN_ENDS and not turn.ends:
            facts = [fact for fact in facts if fact.type != events.TURN_COMPLETED]
        if not (facts or turn.opening or is_creation):
            return (), reading.folded or "repeated"
        return self._identify([*self._creation(), *turn.opening, *facts], native(), at), ""

    def replayed(self, reading: Reading, native: Native, at: datetime | None) -> tuple[tuple[ParsedEvent, ...], str]:
        """A record of the parent's that a fork repeats: it only moves what is counted on. Instructions are the fork's own."""
        self._settled(reading, [])
        facts = [fact for fact in self._news(reading) if fact.type == events.INSTRUCTIONS_LOADED]
        self._remember(reading, facts)
        if not facts:
            return (), "replayed"
        return self._identify([*self._creation(), *facts], native(), at), ""

    def _news(self, reading: Reading) -> list[Fact]:
        """The facts that no other record has told."""
        facts = list(reading.facts)
        match reading.copy:
            case Copy.PROMPT if reading.said[0].strip() in self._prompts:
                return []
            case Copy.COMPACTION if self._is_compacted:
                return []
            case Copy.INSTRUCTIONS if any(reading.said[0].strip() in held for held in self._instructions):
                return []
            case Copy.HEAD if self._is_created:
                return [
                    fact for fact in facts if "text" in fact.payload and fact.payload["text"] not in self._instructions
                ]
        if reading.effect is Effect.RESULT and reading.closed in self._patched:
            return [fact for fact in facts if fact.type != events.FILE_CHANGED]
        return facts

    def _settled(self, reading: Reading, facts: list[Fact]) -> list[Fact]:
        """Parts of an answer and bills learn which call they belong to."""
        match reading.effect:
            case Effect.ANSWER | Effect.CALL:
                call = self._meter.part(is_tool_call=reading.effect is Effect.CALL)
                named = {"message_id": call, "model": self._model}
                return [
                    replace(fact, payload=fact.payload | named) if fact.type in _MODEL_PARTS else fact for fact in facts
                ]
            case Effect.RESULT:
                self._meter.result()
            case Effect.BILL if reading.bill is not None:
                paid = self._meter.pay(reading.bill)
                return [reading.bill.fact(paid, self._model)] if paid else []
            case Effect.COMPACTION:
                self._meter.interrupt()
                return [self._measured(fact) for fact in facts]
            case Effect.PROMPT | Effect.TURN_STARTS | Effect.TURN_ENDS:
                self._meter.interrupt()
        return facts

    def _measured(self, fact: Fact) -> Fact:
        """How full the window was before, as the latest bill tells."""
        if fact.type != events.SESSION_COMPACTED or self._meter.input_tokens is None:
            return fact
        return replace(fact, payload=fact.payload | {"before_tokens": self._meter.input_tokens})

    def _remember(self, reading: Reading, facts: list[Fact]) -> None:
        if reading.effect is Effect.PROMPT:
            self._prompts += [text.strip() for text in reading.said]
        if reading.effect is Effect.COMPACTION:
            self._is_compacted = reading.copy is not Copy.COMPACTION
        self._instructions |= {fact.payload["text"] for fact in facts if fact.type == events.INSTRUCTIONS_LOADED}
        if reading.copy is Copy.FILES:
            self._patched |= {fact.payload["call_id"] for fact in facts}
        if reading.opened is not None:
            self.calls[reading.opened.call_id] = reading.opened
        self.calls.pop(reading.closed, None)

    def retold(self, reading: Reading, head: SessionHead, at: datetime | None) -> tuple[SessionHead, ...]:
        """The head, when this record added something to it; `head` is what a head record says. Call before `accept`."""
        before = self.head
        self.head = replace(
            before,
            title=self._title(reading),
            agent_version=head.agent_version or before.agent_version,
            model=reading.model or before.model,
            cwd=before.cwd or head.cwd,
            parent_key=before.parent_key or head.parent_key,
            started_at=before.started_at or at,
        )
        if self._is_told and self.head == before:
            return ()
        self._is_told = True
        return (self.head,)

    def _title(self, reading: Reading) -> str:
        """The first prompt, until somebody gives a name."""
        if not reading.title or reading.copy is Copy.PROMPT or (self.head.title and not reading.is_given_title):
            return self.head.title
        if self._is_named and not reading.is_given_title:
            return self.head.title
        self._is_named = self._is_named or reading.is_given_title
        return title_line(reading.title.partition(_REQUEST)[2] or reading.title)[:200]

    def _creation(self) -> list[Fact]:
        if self._is_created:
            return []
        self._is_created = True
        return [Fact(events.SESSION_CREATED, _created_payload(self.head), native="session")]

    def _identify(self, facts: Iterable[Fact], native: str, at: datetime | None) -> tuple[ParsedEvent, ...]:
        return identify(facts, format_name=FORMAT_NAME, session_key=self.head.key, native=native, occurred_at=at)


def _created_payload(head: SessionHead) -> Json:
    payload = {
        "agent": AGENT,
        "agent_version": head.agent_version,
        "cwd": head.cwd,
        "format": FORMAT_NAME,
        "parent_session": head.parent_key,
    }
    return {name: value for name, value in payload.items() if value}
