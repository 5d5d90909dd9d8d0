"""Sessions for the tests of this app, told event by event, so that every figure in a test can be found here. No test."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from contextapp.contexts.services import index_session
from contextapp.eventlog.models import Session
from tests.world import World

MODEL = "claude-opus-4-6"
Told = tuple[str, dict[str, Any]]  # type and payload, whose shape is the event's own


def says(text: str, **more: Any) -> Told:
    return ("user.message", {"text": text, **more})


def answers(message: str, text: str, model: str = MODEL) -> Told:
    return ("model.message", {"message_id": message, "text": text, "model": model})


def calls(message: str, call: str, name: str = "Bash", **arguments: Any) -> Told:
    payload = {"call_id": call, "name": name, "input": arguments or {"command": "ls"}, "message_id": message}
    return ("tool.requested", {**payload, "model": MODEL})


def returns(call: str, content: str, **more: Any) -> Told:
    return ("tool.completed", {"call_id": call, "content": content, **more})


def bills(message: str, tokens: int, output: int = 50, quality: str = "exact") -> Told:
    figures = {"input_uncached": tokens, "cache_read": 0, "cache_write": 0, "output": output, "reasoning": 0}
    return ("usage.reported", {"message_id": message, "model": MODEL, "quality": quality, **figures})


def a_step(number: int, words: int = 60) -> list[Told]:
    """One model call with one tool call and its result; no two texts are the same."""
    message, call = f"m{number}", f"c{number}"
    return [
        answers(message, f"I look at part {number}."),
        calls(message, call, command=f"cat part{number}.txt"),
        bills(message, 1_000 + 100 * number),
        returns(call, " ".join(f"word{number}.{place}" for place in range(words))),
    ]


def two_turns() -> list[Told]:
    """Two turns and four steps; the second turn is denied something and then compacted."""
    return [
        ("session.created", {"agent": "claude-code", "model": MODEL, "cwd": "/work/parser"}),
        ("instructions.loaded", {"id": "a", "level": "project", "path": "CLAUDE.md", "text": "Never push."}),
        says("Fix the parser test."),  # 3
        *a_step(1),  # 4-7
        *a_step(2),  # 8-11
        says("Go on with the rest."),  # 12
        answers("m3", "I push it."),  # 13
        calls("m3", "c3", command="git push"),  # 14
        ("permission.resolved", {"call_id": "c3", "decision": "denied", "reason": "no pushing", "by": "person"}),
        returns("c3", "The user said no.", is_error=True),  # 16
        ("session.compacted", {"part": "whole", "summary": "The parser was looked at.", "covers": [1, 16]}),  # 17
        answers("m4", "Done."),  # 18
        bills("m3", 1_234),  # 19: later than the next call
        bills("m4", 900),  # 20
        ("turn.completed", {"stop_reason": "end_turn"}),
    ]


def recorded(world: World, story: list[Told], **facts: Any) -> Session:
    """The story as an imported session, indexed."""
    session = open_recorded(world, **facts)
    world.append(session, *story)
    index_session(session_id=session.id)
    session.refresh_from_db()
    return session


def open_recorded(world: World, **facts: Any) -> Session:
    opened = {"origin": "import", "title": "Fix the parser", "agent": "claude-code", "model": MODEL, **facts}
    return world.open_session(external_id=f"test:{uuid4()}", workspace_root="/work/parser", **opened)


def live(world: World, *story: Told, model: str = MODEL, **facts: Any) -> Session:
    """A session of a live agent, not indexed."""
    session = world.open_session(model=model, **facts)
    world.append(session, *story)
    return session
