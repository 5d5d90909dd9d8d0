"""Writes lines of rollouts by hand, and reads them back, for the tests of the Codex importer. Knows no expected result."""

from __future__ import annotations

from typing import Any

from contextapp.importers.codex.parser import parse
from contextapp.importers.contract import ParsedLine
from tests.importers.parsing import read, to_lines

# Version 7: the first twelve digits are the milliseconds at which the session, or the turn, began.
PARENT = "01900000-0000-7000-8000-000000000001"
PARENT_TURN = "01900000-1000-7000-8000-000000000001"
OWN = "01900001-0000-7000-8000-000000000002"
OWN_TURN = "01900001-0001-7000-8000-000000000002"
NEXT_TURN = "01900001-1000-7000-8000-000000000002"

Line = dict[str, Any]


def line(kind: str, payload: Line, *, at: str = "10:00:00.000") -> Line:
    return {"timestamp": f"2026-03-01T{at}Z", "type": kind, "payload": payload}


def head(session: str = OWN, *, at: str = "10:00:00.000", **rest: Any) -> Line:
    payload = {"id": session, "cwd": "/home/dev/shop", "cli_version": "0.120.0", "source": "cli"}
    return line("session_meta", payload | rest, at=at)


def item(kind: str, *, at: str = "10:00:00.000", **rest: Any) -> Line:
    return line("response_item", {"type": kind, **rest}, at=at)


def event(kind: str, *, at: str = "10:00:00.000", **rest: Any) -> Line:
    return line("event_msg", {"type": kind, **rest}, at=at)


def message(text: str, role: str = "user", **rest: Any) -> Line:
    kind = "output_text" if role == "assistant" else "input_text"
    return item("message", role=role, content=[{"type": kind, "text": text}], **rest)


def thought(text: str = "") -> Line:
    return item("reasoning", summary=[{"type": "summary_text", "text": text}] if text else [], encrypted_content="g")


def call(call_id: str, name: str = "exec_command", arguments: str = '{"cmd":"ls"}') -> Line:
    return item("function_call", name=name, arguments=arguments, call_id=call_id)


def result(call_id: str, output: Any = "fine") -> Line:
    return item("function_call_output", call_id=call_id, output=output)


def starts(turn: str = OWN_TURN) -> Line:
    return event("task_started", turn_id=turn)


def ends(turn: str = OWN_TURN) -> Line:
    return event("task_complete", turn_id=turn, duration_ms=900)


def context(model: str = "gpt-5.4", turn: str = OWN_TURN) -> Line:
    return line("turn_context", {"turn_id": turn, "model": model, "cwd": "/home/dev/shop"})


def bill(total: int, last: int, *, cached: int = 0, written: int = 0, output: int = 5, reasoning: int = 2) -> Line:
    def figures(whole: int) -> Line:
        return {
            "input_tokens": whole,
            "cached_input_tokens": cached,
            "cache_write_input_tokens": written,
            "output_tokens": output,
            "reasoning_output_tokens": reasoning,
            "total_tokens": whole + output,
        }

    return event("token_count", info={"total_token_usage": figures(total), "last_token_usage": figures(last)})


def read_rollout(*records: Line, name: str = "rollout.jsonl") -> list[ParsedLine]:
    return read(to_lines(*records), name, parse)
