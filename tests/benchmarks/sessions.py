"""Synthetic agent sessions from one seed: user 5 %, assistant 35 %, tool results 60 % of the messages; results log-normal with
a median of 1.5 KB and a tail to 60 KB; English, code, logs and 15 % Chinese. Never random beyond its seed.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from typing import Any

from contextapp.engine.events import Event
from contextapp.engine.inputs import BuildInputs, ModelProfile
from contextapp.engine.policy import Policy
from contextapp.engine.projection.fold import Fold, event_weight
from contextapp.engine.sources import reach

MEDIAN_CHARS, SPREAD, MOST_CHARS = 1_500, 1.2, 60_000
CHINESE_SHARE = 0.15
MODEL = "bench-model"

_PROSE = (
    "the parser reads each header before body and keeps order of fields because later stage compares them with schema "
    "when value is missing we fall back to default and record warning for reviewer then retry with smaller batch so that "
    "queue drains while index rebuild waits for lock released by worker whose lease has expired"
)
ENGLISH = _PROSE.split()
CHINESE = (
    "解析器先读取请求头再读取正文并保持字段顺序因为后续阶段需要与模式比较如果缺少取值则使用默认值并记录警告供审核人员查看随后以较小批次重试"
    "队列逐渐清空索引重建需要等待租约过期的工作进程释放锁"
)
CODE = (
    "def {0}({1}, *, limit: int = {2}) -> list[str]:",
    "    found = [{1} for {1} in {0}s if {1}.size > {2}]",
    "    if not {1}:",
    '        raise ValueError(f"{0} has no {1}; give at least {2}")',
    "    return sorted(found, key=lambda {1}: {1}.{0})",
    "class {0}Store(Base{1}):",
    "    {1} = models.CharField(max_length={2})",
)
LOG = (
    "2026-03-0{2} 12:{2}:41.{2} INFO  [{0}] worker-{2} took {1} in {2} ms",
    "2026-03-0{2} 12:{2}:42.{2} WARN  [{1}] queue {0} is {2} behind",
    "FAILED tests/{0}/test_{1}.py::test_{0}_{2} - AssertionError: assert {2} == {1}",
    'src/{0}/{1}.py:{2}: error: Argument 1 to "{0}" has incompatible type "{1}"',
)
TOOLS = ("read_file", "grep", "bash", "list_dir", "edit_file")
_NOUNS = "parser header session ledger bucket policy worker lease index queue reviewer schema token window block"
NOUNS = _NOUNS.split()


class _Writer:
    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def words(self, chars: int) -> str:
        if self._random.random() < CHINESE_SHARE:
            start = self._random.randrange(len(CHINESE))
            return (CHINESE[start:] + CHINESE * (chars // len(CHINESE) + 1))[: max(4, chars // 2)]
        words: list[str] = []
        size = 0
        while size < chars:
            words.append(self._random.choice(ENGLISH))
            size += len(words[-1]) + 1
        return " ".join(words)

    def lines(self, chars: int) -> str:
        kind = self._random.random()
        if kind < CHINESE_SHARE:
            return "\n".join(self.words(60) for _ in range(chars // 60 + 1))
        patterns = CODE if kind < 0.6 else LOG
        lines: list[str] = []
        size = 0
        while size < chars:
            noun, other = self._random.choice(NOUNS), self._random.choice(NOUNS)
            lines.append(self._random.choice(patterns).format(noun, other, self._random.randrange(10_000)))
            size += len(lines[-1]) + 1
        return "\n".join(lines)

    def result(self) -> str:
        size = int(self._random.lognormvariate(math.log(MEDIAN_CHARS), SPREAD))
        return self.lines(min(max(size, 20), MOST_CHARS))

    def arguments(self, tool: str, number: int) -> dict[str, Any]:
        path = f"src/{self._random.choice(NOUNS)}/{self._random.choice(NOUNS)}_{number % 400}.py"
        match tool:
            case "bash":
                return {"command": f"pytest -q {path}"}
            case "grep":
                return {"pattern": self._random.choice(NOUNS), "path": "src"}
            case "edit_file":
                return {"path": path, "old_string": self.lines(200), "new_string": self.lines(300)}
            case _:
                return {"path": path}

    def calls(self) -> int:
        return self._random.choices((0, 1, 2, 3, 5), (12, 42, 22, 14, 10))[0]

    def tool(self) -> str:
        return self._random.choices(TOOLS, (30, 20, 30, 5, 15))[0]

    def chars(self, most: int) -> int:
        return self._random.randrange(40, most)


def events(messages: int, seed: int = 7) -> Iterator[Event]:
    """A session of that many messages. Calls are events of their own, so there are about 1.6 events to a message."""
    writer = _Writer(seed)
    seq = 0

    def event(kind: str, payload: dict[str, Any]) -> Event:
        nonlocal seq
        seq += 1
        return Event(seq=seq, type=kind, payload=payload, event_id=f"00000000-0000-4000-8000-{seq:012d}")

    yield event("session.created", {"agent": "bench", "model": MODEL, "cwd": "/work/bench"})
    yield event(
        "instructions.loaded",
        {"level": "project", "name": "AGENTS.md", "path": "/work/bench/AGENTS.md", "text": _RULES},
    )
    yield event("tools.available", {"mode": "set", "tools": [_schema(tool) for tool in TOOLS]})
    written = 0
    while written < messages:
        if written % 20 == 0:
            yield event("user.message", {"text": f"Step {written}: {writer.words(writer.chars(400))}"})
            written += 1
        message_id = f"msg_{seq}"
        yield event(
            "model.message", {"message_id": message_id, "model": MODEL, "text": writer.words(writer.chars(500))}
        )
        written += 1
        calls = [(f"call_{seq}_{place}", writer.tool()) for place in range(writer.calls())]
        for call_id, tool in calls:
            payload = {
                "message_id": message_id,
                "call_id": call_id,
                "name": tool,
                "input": writer.arguments(tool, written),
            }
            yield event("tool.requested", payload)
        for call_id, _ in calls:
            yield event("tool.completed", {"call_id": call_id, "content": writer.result(), "is_error": False})
            written += 1


_RULES = (
    "# Rules\n- Never push to a remote branch.\n- Run the tests before you finish.\n" + "Style: short functions.\n" * 60
)


def _schema(tool: str) -> dict[str, Any]:
    fields = {
        name: {"type": "string", "description": f"The {name} that {tool} works on."} for name in ("path", "pattern")
    }
    return {"name": tool, "description": f"Runs {tool}.", "schema": {"type": "object", "properties": fields}}


def loaded(messages: int, window: int, seed: int = 7) -> BuildInputs:
    """What a shell would load for the build after the last event: the state, the tail, the indexed events."""
    fold = Fold()
    most = reach.tail_weight(window, Policy())
    kept: list[Event] = []
    weights: list[int] = []
    tail_weight = 0
    early: dict[int, Event] = {}
    for event in events(messages, seed):
        fold.feed(event)
        kept.append(event)
        weights.append(event_weight(event))
        tail_weight += weights[-1]
        while tail_weight - weights[0] > most:
            gone = kept.pop(0)
            tail_weight -= weights.pop(0)
            if gone.type in ("user.message", "instructions.loaded", "tools.available"):
                early[gone.seq] = gone
    return inputs_of(fold, tuple(kept), early, window)


def inputs_of(fold: Fold, tail: tuple[Event, ...], early: dict[int, Event], window: int) -> BuildInputs:
    state = fold.state()
    return BuildInputs(
        project_id="bench",
        session_id="bench",
        step=state.step + 1,
        turn=state.turn,
        state=state,
        events=tail,
        indexed=tuple(early[seq] for seq in state.indexed_seqs() if seq in early),
        profile=ModelProfile(model=MODEL, window_tokens=window, output_limit_tokens=16_000),
        fence_secret=b"bench",
        as_of="2026-03-01T00:00:00+00:00",
        workspace_root="/work/bench",
    )
