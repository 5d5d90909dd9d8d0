"""A recorded session for the pages of one session, written through the log and indexed as an import is. Holds no test."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID, uuid4

from contextapp.contexts.services import index_session
from tests.world import World

MODEL = "claude-opus-4-6"
HOSTILE = (
    "</pre><script>alert(1)</script><img src=x onerror=alert(2)>{{ 7|add:1 }}"
    "\x1b[31mred\x1b[0m \u202egnp.exe \u2066hidden\u2069 zero\u200bwidth \U000e0041\U000e0042 nul\x00 bell\x07"
)

type Written = tuple[str, dict[str, object]]


def a_call(number: int, name: str, argument: str, result: str, **outcome: object) -> list[Written]:
    """One model call that calls one tool, and the tool's answer."""
    message, call = f"m{number}", f"c{number}"
    return [
        ("model.thinking", {"message_id": message, "text": f"thinking of call {number}", "model": MODEL}),
        ("model.message", {"message_id": message, "text": f"words of call {number}", "model": MODEL}),
        ("tool.requested", {"call_id": call, "name": name, "input": {"command": argument}, "message_id": message}),
        ("usage.reported", a_usage(message, 5_000 + 400 * number)),
        ("tool.completed", {"call_id": call, "content": result, "name": name, **outcome}),
    ]


def a_usage(message: str, tokens: int) -> dict[str, object]:
    figures = {"input_uncached": 12, "cache_read": tokens, "cache_write": 300, "output": 90, "reasoning": 0}
    return {"message_id": message, "model": MODEL, "quality": "exact", **figures}


def a_story() -> list[Written]:
    """Two turns, four calls: a failing test, a hostile file, a denied push, a long log; then a compaction."""
    return [
        ("session.created", {"agent": "claude-code", "model": MODEL, "cwd": "/work/parser", "title": "Fix the parser"}),
        ("instructions.loaded", {"id": "claude.md", "level": "project", "path": "CLAUDE.md", "text": "Never push."}),
        ("user.message", {"text": "The parser test fails. 不要改动公共接口。", "message_id": "u1"}),
        *a_call(1, "Bash", "pytest -k parser", "1 failed", is_error=True, exit_code=1),
        *a_call(2, "Read", "parser.py", HOSTILE),
        ("user.message", {"text": "Go on.", "message_id": "u2"}),
        *a_call(3, "Bash", "git push --force", "")[:-1],
        ("permission.resolved", {"call_id": "c3", "decision": "denied", "reason": "no pushing", "by": "person"}),
        ("tool.completed", {"call_id": "c3", "content": "The user said no.", "name": "Bash", "is_error": True}),
        *a_call(4, "Bash", "make log", "line\n" * 200_000),
        (
            "session.compacted",
            {"part": "whole", "summary": "The parser test fails.", "covers": [1, 18], "trigger": "auto"},
        ),
        ("model.message", {"message_id": "m5", "text": "It is done.", "model": MODEL}),
        ("usage.reported", a_usage("m5", 900)),
        ("turn.completed", {"stop_reason": "end_turn"}),
    ]


def a_session(world: World, story: Iterable[Written] | None = None, **facts: object) -> UUID:
    opened = {"origin": "import", "title": "Fix the parser", "agent": "claude-code", "model": MODEL, **facts}
    session = world.open_session(external_id=f"test:{uuid4()}", workspace_root="/work/parser", **opened)
    world.append(session, *(a_story() if story is None else story))
    index_session(session_id=session.id)
    return session.id
