"""Sessions for the builder's tests: a log as its writer would append it, and inputs as a shell would load them. No database."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from contextapp.engine.events import Event
from contextapp.engine.inputs import BuildInputs, MemoryRevision, ModelProfile
from contextapp.engine.projection.fold import event_weight, project
from contextapp.engine.values import Method

AS_OF = "2026-03-01T12:00:00+00:00"
ROOT = "/work/shop"


class CharCounter:
    """Four characters to a token, rounded up: cheap, and exact by definition."""

    name = "four-characters"
    method = Method.EXACT

    def count(self, text: str) -> int:
        return (len(text) + 3) // 4


class Log:
    """Appends events with numbers of their own."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def add(self, kind: str, /, visibility: str = "model", **payload: Any) -> Event:
        event = Event(len(self.events) + 1, kind, payload, visibility=visibility)
        self.events.append(event)
        return event

    def user(self, text: str) -> Event:
        return self.add("user.message", text=text)

    def say(self, text: str, message_id: str = "") -> Event:
        return self.add("model.message", text=text, message_id=message_id or f"m{len(self.events)}")

    def call(
        self, name: str, result: str | None, *, call_id: str = "", is_error: bool = False, **arguments: Any
    ) -> str:
        """A call in a message of its own, with its result unless that is None."""
        number = len(self.events)
        call_id = call_id or f"c{number}"
        self.add("tool.requested", call_id=call_id, name=name, input=arguments, message_id=f"m{number}")
        if result is not None:
            self.add("tool.completed", call_id=call_id, content=result, is_error=is_error)
        return call_id


def inputs_of(
    events: Sequence[Event],
    *,
    window: int | None = 32_000,
    memory: Iterable[MemoryRevision] = (),
    tail: int | None = None,
    **profile: Any,
) -> BuildInputs:
    """What a shell loads for the build after the last event; with `tail`, no more of the log's end than that weight."""
    state = project(events)
    start = 0
    if tail is not None:
        start, weight = len(events), 0
        while start > 0 and weight < tail:
            start -= 1
            weight += event_weight(events[start])
    named = set(state.indexed_seqs())
    return BuildInputs(
        project_id="shop",
        session_id="session-1",
        step=state.step + 1,
        turn=state.turn,
        state=state,
        events=tuple(events[start:]),
        indexed=tuple(event for event in events[:start] if event.seq in named),
        memory=tuple(memory),
        profile=replace(ModelProfile("test-model", window, 4_000), **profile),
        fence_secret=b"a secret of the project",
        as_of=AS_OF,
        workspace_root=ROOT,
    )


def remembered(reference: str, claim: str, **fields: Any) -> MemoryRevision:
    """An approved fact for the whole project, unless the fields say otherwise."""
    values: dict[str, Any] = {
        "state": "approved",
        "kind": "fact",
        "scope": "global",
        "scope_key": "",
        "source": "Alice",
        "confidence": 0.9,
        "last_verified_at": "2026-02-20T09:00:00+00:00",
    }
    return MemoryRevision(reference=reference, claim=claim, **(values | fields))
