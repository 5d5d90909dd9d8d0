"""The agents of the ingest benchmark: a process of its own that sends batches over kept connections and times each answer.

`python -m tests.benchmarks.ingest_load` reads its orders as JSON from standard input and writes what it saw as JSON.
"""

from __future__ import annotations

import http.client
import json
import random
import sys
import threading
import time
from dataclasses import asdict, dataclass, field
from uuid import UUID

PAYLOAD_BYTES = 4_096
POOL = 64
_TEXT = (
    "the parser reads one token ahead and keeps its place in the stack while tests fail at line src/app/views.py "
    "def build(self, request): return response 200 OK error: expected an integer, got None 构建 上下文 规则 被 保留"
)
_WORDS = tuple(_TEXT.split())


@dataclass(frozen=True, slots=True)
class Orders:
    """`per_second` None: as fast as the connections go. One session per connection."""

    host: str
    port: int
    key: str
    sessions: list[str]
    batch: int
    seconds: float
    per_second: float | None = None
    keep_ids: bool = False  # of what was acknowledged, for a search afterwards
    seed: int = 7


@dataclass(slots=True)
class Seen:
    events: int = 0
    seconds: float = 0.0
    ack_ms: list[float] = field(default_factory=list)
    acked: list[str] = field(default_factory=list)
    refused: dict[str, int] = field(default_factory=dict)


def payloads() -> list[str]:
    """Texts of 4 KB as JSON objects, no two alike: English, code, logs, some Chinese."""
    chance = random.Random(11)
    made = []
    for _ in range(POOL):
        text = ""
        while len(json.dumps({"text": text})) < PAYLOAD_BYTES - 12:
            text += chance.choice(_WORDS) + " "
        made.append(json.dumps({"text": text}))
    return made


class _Agent(threading.Thread):
    def __init__(self, orders: Orders, number: int, end: float, pool: list[str]) -> None:
        super().__init__(daemon=True)
        self.orders, self.session, self.end, self.pool = orders, orders.sessions[number], end, pool
        self.chance = random.Random(f"{orders.seed}:{self.session}")
        self.seen = Seen()
        self.pause = None if orders.per_second is None else len(orders.sessions) / orders.per_second

    def run(self) -> None:
        connection = http.client.HTTPConnection(self.orders.host, self.orders.port, timeout=60)
        due = time.perf_counter()
        while time.monotonic() < self.end:
            ids, body = self._body()
            started = time.perf_counter()
            if self.pause is not None:
                due += self.pause
                time.sleep(max(0.0, due - started))
                started = due  # a slow answer delays the next one, and that wait counts
            try:
                status = self._send(connection, body)
            except (OSError, http.client.HTTPException):  # the server went: nothing was acknowledged
                self._refused("no answer")
                connection.close()
                time.sleep(0.2)
                continue
            if status != 200:
                self._refused(str(status))
                continue
            self.seen.ack_ms.append((time.perf_counter() - started) * 1000)
            self.seen.events += len(ids)
            if self.orders.keep_ids:
                self.seen.acked.extend(ids)

    def _send(self, connection: http.client.HTTPConnection, body: bytes) -> int:
        headers = {"Authorization": f"Bearer {self.orders.key}", "Content-Type": "application/json"}
        connection.request("POST", f"/api/v1/sessions/{self.session}/events", body, headers)
        response = connection.getresponse()
        response.read()
        return response.status

    def _body(self) -> tuple[list[str], bytes]:
        ids = [str(UUID(int=self.chance.getrandbits(128), version=4)) for _ in range(self.orders.batch)]
        events = (
            f'{{"event_id":"{name}","type":"user.message","payload":{self.chance.choice(self.pool)}}}' for name in ids
        )
        return ids, f'{{"events":[{",".join(events)}]}}'.encode()

    def _refused(self, what: str) -> None:
        self.seen.refused[what] = self.seen.refused.get(what, 0) + 1


def run(orders: Orders) -> Seen:
    pool = payloads()
    started = time.monotonic()
    end = started + orders.seconds
    agents = [_Agent(orders, number, end, pool) for number in range(len(orders.sessions))]
    for agent in agents:
        agent.start()
    whole = Seen()
    for agent in agents:
        agent.join()
        whole.events += agent.seen.events
        whole.ack_ms += agent.seen.ack_ms
        whole.acked += agent.seen.acked
        for what, count in agent.seen.refused.items():
            whole.refused[what] = whole.refused.get(what, 0) + count
    whole.seconds = time.monotonic() - started
    return whole


if __name__ == "__main__":
    json.dump(asdict(run(Orders(**json.load(sys.stdin)))), sys.stdout)
