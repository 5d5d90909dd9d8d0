"""Short ways to write a log in a test, and logs made by chance. Holds no expectations."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from contextapp.engine.events import TYPES, Event
from contextapp.engine.projection.atoms import Transcript
from contextapp.engine.projection.fold import project
from contextapp.engine.projection.transcript import assemble

Fact = tuple[str, dict[str, Any]]


def log(*facts: Fact, first_seq: int = 1) -> list[Event]:
    """Events numbered from `first_seq`. A payload key `visibility` is the event's."""
    events = []
    for seq, (kind, payload) in enumerate(facts, start=first_seq):
        fields = dict(payload)
        events.append(Event(seq, kind, fields, visibility=fields.pop("visibility", "model")))
    return events


def user(text: str, **more: Any) -> Fact:
    return "user.message", {"text": text, **more}


def said(text: str, message_id: str = "", **more: Any) -> Fact:
    return "model.message", {"text": text, **_named(message_id), **more}


def delta(text: str, message_id: str = "") -> Fact:
    return "model.delta", {"text": text, **_named(message_id)}


def thought(text: str, message_id: str = "") -> Fact:
    return "model.thinking", {"text": text, **_named(message_id)}


def call(call_id: str, name: str = "Bash", message_id: str = "", **arguments: Any) -> Fact:
    return "tool.requested", {"call_id": call_id, "name": name, "input": arguments, **_named(message_id)}


def result(call_id: str, content: str = "done", **more: Any) -> Fact:
    return "tool.completed", {"call_id": call_id, "content": content, **more}


def denied(call_id: str, reason: str = "", **more: Any) -> Fact:
    return "permission.resolved", {"call_id": call_id, "decision": "denied", "reason": reason, **more}


def compacted(**payload: Any) -> Fact:
    return "session.compacted", payload


def _named(message_id: str) -> dict[str, str]:
    return {"message_id": message_id} if message_id else {}


def transcript(*facts: Fact) -> Transcript:
    events = log(*facts)
    return assemble(events, project(events))


def outline(made: Transcript) -> list[tuple[str, ...]]:
    """Each atom as its messages in short: `user:hello`, `assistant:ok+c1,c2`, `tool:c1`."""
    return [tuple(_short(message) for message in atom.messages) for atom in made.atoms]


def _short(message: Any) -> str:
    if message.role == "tool":
        return f"tool:{message.call_id}"
    calls = "+" + ",".join(call.call_id for call in message.calls) if message.calls else ""
    return f"{message.role}:{message.text}{calls}"


def refusals(made: Transcript) -> list[tuple[int, str]]:
    return [(row.first_seq, row.reason) for row in made.refused]


# Logs by chance, out of a fixed set of facts over few ids, so that they meet; some that no writer should send.
TEXTS = ("", "ok", "do not push", "不要改测试", "\ud800", "\ud83d", "\ude00x", "nul\0", "👩‍👩‍👧", "x" * 300)
_SHELL = {"command": "pytest -q"}
_ARGUMENTS = (
    _SHELL,
    {"command": "cat a.py"},
    {"file_path": "a.py"},
    {"file_path": "a.py", "offset": 3, "limit": 5},
    "{]",
    None,
)
_GARBAGE: tuple[Any, ...] = (
    {}, {"text": 7, "call_id": ["a"], "message_id": {}}, {"text": ["x", {"text": "y"}, None, 3]}, {"input": "[1"},
    {"covers": "x"},
    {"covers": [None, float("nan")]}, {"media": [1, {"media_type": 5, "size_bytes": -1}]}, {"erased": True}, {"summary": 1.5},
    {"cut": 3, "read_range": {"first_line": "a"}}, {"tools": [None, {"name": 5}, "x"]}, {"items": [{"text": []}, 4, "do"]},
    {"first_seq": -5, "last_seq": 10**30}, {"call_id": "z" * 500, "content": {"deep": [[[]]]}},
    {"cleared_call_ids": [3, None, "a"]},
)  # fmt: skip


def _facts() -> list[Fact]:
    facts: list[Fact] = []
    for call_id in ("a", "b", ""):
        for message_id in ("m1", "m2", ""):
            for name, arguments in zip(("Bash", "Bash", "Read", "Read", "Edit", "x"), _ARGUMENTS, strict=True):
                facts.append(
                    ("tool.requested", {"call_id": call_id, "name": name, "input": arguments, **_named(message_id)})
                )
        for more in (
            {},
            {},
            {"is_error": True},
            {"pending": True},
            {"synthetic": True},
            {"exit_code": 2},
            {"visibility": "ui"},
        ):
            facts += [result(call_id, "Exit code 1\nError: no", **more)] * 3
        facts += [denied(call_id), denied(call_id, "too risky"), ("permission.requested", {"call_id": call_id})] * 2
        facts.append(("permission.resolved", {"call_id": call_id, "decision": "allowed"}))
    for text in TEXTS:
        for message_id in ("m1", "m2", ""):
            facts += [said(text, message_id), delta(text, message_id), thought(text, message_id)]
        facts += [user(text), user(text, queued=True), user(text, visibility="audit"), said(text, synthetic=True)]
    for part in ("whole", "boundary", "summary", "summary"):
        for summary in ("", "so far"):
            facts += [compacted(part=part, summary=summary), compacted(part=part, summary=summary, covers=[1, 6])]
    facts += [compacted(part="cleared", cleared_call_ids=["a", "b"]), ("compaction.withdrawn", {"seq": 5})]
    facts += [("event.redacted", {"first_seq": 2, "last_seq": 4}), ("turn.started", {}), ("turn.completed", {})]
    facts += [
        ("phase.changed", {"phase": "editing"}),
        ("phase.changed", {"phase": "nonsense"}),
        ("agent.dreamed", {"text": "x"}),
    ]
    facts += [
        ("instructions.loaded", {"level": level, "path": "A.md", "text": "- never push\n- hi"})
        for level in ("project", "")
    ]
    facts += [("tools.available", {"mode": mode, "tools": [{"name": "t"}]}) for mode in ("set", "add", "remove")]
    facts += [("resource.included", {"path": path, "text": "r"}) for path in ("p", "q")]
    facts += [("constraint.added", {"id": "k", "text": "do not push"}), ("constraint.lifted", {"id": "k"})]
    facts += [("file.changed", {"path": "a.py"}), ("verification.completed", {"command": "pytest", "passed": False})]
    facts += [
        ("plan.updated", {"items": [{"text": "\0", "status": "open"}]}),
        ("session.created", {"cwd": "/w", "agent": "\ud800"}),
    ]
    facts += [(kind, payload) for kind in sorted(TYPES) for payload in _GARBAGE[:: 1 + len(kind) % 3]]
    return facts


def soups(max_size: int = 60) -> st.SearchStrategy[list[Event]]:
    """Logs of any length up to `max_size`, most of them long enough to go wrong."""
    facts = st.sampled_from(_facts())
    sizes = st.one_of(st.lists(facts, max_size=5), st.lists(facts, min_size=max_size // 3, max_size=max_size))
    return sizes.map(lambda drawn: log(*drawn))
