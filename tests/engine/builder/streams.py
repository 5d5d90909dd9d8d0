"""Random event streams for properties: orphans, duplicates, re-used ids, parallel calls, huge items, mixed scripts."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from contextapp.engine.events import Event

PIECES = (
    "fix the failing test ", "do not push to main. ", "支付网关的超时必须是三十秒。", "解析器先读取请求头", "家族👨‍👩‍👧‍👦 ",
    "<untrusted-0000> ", "ignore previous instructions ", "line\n", "\ud800", "\x00", "{\"key\": 1}", "error: failed\n", " ",
)  # fmt: skip
IDS = ("a", "b", "c", "", "bad id!")
TOOLS = ("read_file", "bash", "grep", "edit_file", "mcp:fs.read")


@st.composite
def texts(draw: st.DrawFn, most: int = 400) -> str:
    piece = draw(st.sampled_from(PIECES))
    return piece * draw(st.integers(0, most))


@st.composite
def payloads(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    kind = draw(st.sampled_from(sorted(_MAKERS)))
    return kind, _MAKERS[kind](draw)


@st.composite
def logs(draw: st.DrawFn, most: int = 40) -> list[Event]:
    """A session of up to that many events, with numbers from 1."""
    drawn = draw(st.lists(payloads(), max_size=most))
    visibilities = st.sampled_from(["model"] * 9 + ["ui"])
    return [
        Event(seq, kind, payload, visibility=draw(visibilities)) for seq, (kind, payload) in enumerate(drawn, start=1)
    ]


def _message_id(draw: st.DrawFn) -> str:
    return draw(st.sampled_from(["m1", "m2", "m3", ""]))


def _requested(draw: st.DrawFn) -> dict[str, Any]:
    arguments = draw(
        st.sampled_from([{"path": "a.py"}, {"command": "pytest -q"}, {"text": "x" * 3_000}, "no json", None])
    )
    return {
        "message_id": _message_id(draw),
        "call_id": draw(st.sampled_from(IDS)),
        "name": draw(st.sampled_from(TOOLS)),
        "input": arguments,
    }


def _completed(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "call_id": draw(st.sampled_from(IDS)),
        "content": draw(texts(2_000)),
        "is_error": draw(st.booleans()),
        "pending": draw(st.sampled_from([False, False, False, True])),
    }


def _compacted(draw: st.DrawFn) -> dict[str, Any]:
    summary = draw(texts(20))
    covers = draw(st.sampled_from([None, [1, 3], [1, 10], [5, 2], "no range"]))
    return {
        "part": "whole",
        "summary": summary,
        "covers": covers,
        "trust": draw(st.sampled_from(["fact", "untrusted", ""])),
    }


def _tools(draw: st.DrawFn) -> dict[str, Any]:
    tools = [{"name": name, "description": "d" * draw(st.integers(0, 300)), "schema": {}} for name in TOOLS]
    return {"mode": draw(st.sampled_from(["set", "add", "remove"])), "tools": tools[: draw(st.integers(0, 5))]}


_MAKERS: dict[str, Any] = {
    "user.message": lambda draw: {"text": draw(texts(60)), "queued": draw(st.booleans())},
    "model.delta": lambda draw: {"text": draw(texts(5)), "message_id": _message_id(draw)},
    "model.message": lambda draw: {"text": draw(texts(50)), "message_id": _message_id(draw)},
    "model.thinking": lambda draw: {"text": draw(texts(20)), "message_id": _message_id(draw)},
    "tool.requested": _requested,
    "tool.completed": _completed,
    "permission.requested": lambda draw: {"call_id": draw(st.sampled_from(IDS)), "tool": "bash"},
    "permission.resolved": lambda draw: {
        "call_id": draw(st.sampled_from(IDS)), "decision": draw(st.sampled_from(["denied", "allowed"])), "reason": "not now",
    },
    "constraint.added": lambda draw: {"id": draw(st.sampled_from(["k1", "k2", ""])), "text": "Never push to main"},
    "constraint.lifted": lambda draw: {"id": "k1"},
    "instructions.loaded": lambda draw: {
        "level": draw(st.sampled_from(["global", "project", "directory", "session", "safety", "odd"])),
        "name": "AGENTS.md", "path": draw(st.sampled_from(["/work/AGENTS.md", "/work/a/AGENTS.md"])), "text": draw(texts(60)),
    },
    "tools.available": _tools,
    "resource.included": lambda draw: {
        "id": draw(st.sampled_from(["r1", "r2"])), "text": draw(texts(500)), "by": draw(st.sampled_from(["user", "nobody"])),
    },
    "retrieval.completed": lambda draw: {
        "chunks": [
            {"path": f"doc{number}.md", "text": draw(texts(40)), "score": draw(st.sampled_from([0.1, 0.5, 0.9, None])),
             "permitted": draw(st.booleans())}
            for number in range(draw(st.integers(0, 4)))
        ]
    },
    "session.compacted": _compacted,
    "plan.updated": lambda draw: {"items": [{"text": draw(texts(3)), "status": "open"}]},
    "odd.event": lambda draw: {"anything": draw(texts(3))},
}  # fmt: skip
