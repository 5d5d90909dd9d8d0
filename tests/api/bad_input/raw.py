"""A real web server and sockets that send it bytes no HTTP library would send. Holds no test."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import httpx
import psycopg

from tests.deploy.stack import Stack


@dataclass(frozen=True, slots=True)
class Served:
    """`session` is an open one of the project that `key` belongs to."""

    stack: Stack
    key: str
    session: str

    @property
    def path(self) -> str:
        return f"/api/v1/sessions/{self.session}/events"

    def head(self, *lines: str, method: str = "POST", path: str = "") -> bytes:
        told = [
            f"{method} {path or self.path} HTTP/1.1",
            "Host: 127.0.0.1",
            f"Authorization: Bearer {self.key}",
            "Content-Type: application/json",
            *lines,
        ]
        return ("\r\n".join(told) + "\r\n\r\n").encode()

    @contextmanager
    def connected(self) -> Iterator[socket.socket]:
        with socket.create_connection(("127.0.0.1", self.stack.port), timeout=20) as connection:
            yield connection

    def statuses(self, sent: bytes) -> list[int]:
        """Of all answers until the server closes, or sends nothing for three seconds. None: it closed without one."""
        with self.connected() as connection:
            connection.settimeout(3)
            read = b""
            try:
                connection.sendall(sent)
                while part := connection.recv(65_536):
                    read += part
            except (TimeoutError, ConnectionError):
                pass  # what came until then is what it answered
        return [int(piece[1:4]) for piece in read.split(b"HTTP/1.1")[1:] if piece[1:4].isdigit()]

    def get(self, path: str, **query: str) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self.key}"}
        return httpx.get(f"{self.stack.url}{path}", params=query, headers=headers, timeout=10, trust_env=False)

    def statements_at_work(self) -> list[str]:
        """What the database runs for the web server, or holds open in a transaction."""
        with psycopg.connect(self.stack.environment["DATABASE_URL"]) as observer:
            found = observer.execute(
                "SELECT state || ': ' || query FROM pg_stat_activity WHERE datname = current_database()"
                " AND pid <> pg_backend_pid() AND backend_type = 'client backend' AND state <> 'idle'"
            )
            return [str(row[0]) for row in found]

    def stored(self) -> int:
        return int(json.loads(self.get(self.path).content)["head_seq"])
