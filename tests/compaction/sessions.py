"""Long sessions of a live agent for the tests of compaction. No test."""

from __future__ import annotations

from contextapp.eventlog.models import Session
from tests.contexts.stories import MODEL, Told, answers, calls, returns, says
from tests.world import World

RULE = ("constraint.added", {"id": "no-push", "text": "Never push to main.", "kind": "prohibition"})


def worked(parts: int, *, words: int = 120, begin: int = 0) -> list[Told]:
    told: list[Told] = []
    for number in range(begin, begin + parts):
        message, call = f"m{number}", f"c{number}"
        told += [
            answers(message, f"I look at part {number}."),
            calls(message, call, command=f"cat part{number}.txt"),
            returns(call, " ".join(f"word{number}.{place}" for place in range(words))),
        ]
    return told


def live_session(world: World, parts: int = 20, words: int = 120, **facts: object) -> Session:
    session = world.open_session(model=MODEL, **facts)
    world.append(session, says("Make the parser tests pass."), RULE, *worked(parts, words=words))
    return session
