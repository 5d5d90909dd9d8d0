"""Stands between the product and PostgreSQL and loses what it is told to: an answer after the commit, or a request before."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from contextapp.config.local.postgres import PORT


class Proxy:
    """`mark` are bytes of a request that writes. `cut_answers` and `cut_requests` say at which of those a connection is cut:
    every n-th, 0 for never."""

    def __init__(self, server: Path, folder: Path, mark: bytes) -> None:
        self._mark = mark
        self.cut_answers = self.cut_requests = 0
        self.answers_lost = self.requests_lost = 0
        self._writes = 0
        self._server = server
        self._lock = threading.Lock()
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(folder / f".s.PGSQL.{PORT}"))
        self._listener.listen(64)

    def serve(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._carry, args=(client,), daemon=True).start()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _carry(self, client: socket.socket) -> None:
        server = socket.socket(socket.AF_UNIX)
        with client, server, suppress(OSError):
            server.connect(str(self._server))
            lost = threading.Event()  # this connection's next answer
            back = threading.Thread(target=self._answer, args=(server, client, lost), daemon=True)
            back.start()
            while request := client.recv(65536):
                if self._mark in request and self._falls(lost):
                    break
                server.sendall(request)
            _end(server, client)
            back.join(5)

    def _falls(self, lost: threading.Event) -> bool:
        """True when the request itself is lost; its answer is, when `lost` is set."""
        with self._lock:
            self._writes += 1
            if self.cut_requests and self._writes % self.cut_requests == 0:
                self.requests_lost += 1
                return True
            if self.cut_answers and self._writes % self.cut_answers == 0:
                self.answers_lost += 1
                lost.set()
            return False

    def _answer(self, server: socket.socket, client: socket.socket, lost: threading.Event) -> None:
        with suppress(OSError):
            while answer := server.recv(65536):
                if lost.is_set():
                    break
                client.sendall(answer)
        _end(server, client)


def _end(*connections: socket.socket) -> None:
    for each in connections:
        with suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)


@contextmanager
def proxied(server: Path, folder: Path, mark: bytes) -> Iterator[Proxy]:
    proxy = Proxy(server, folder, mark)
    thread = threading.Thread(target=proxy.serve, daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        proxy.close()
        thread.join()
