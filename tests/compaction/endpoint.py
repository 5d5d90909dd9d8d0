"""A local model endpoint that answers whatever a test tells it to, well or badly. No test."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, bytes]  # status and body
Json = Any  # a provider's JSON


@dataclass(slots=True)
class Endpoint:
    """`answers`: one for each request, the last of them for all that follow. `seen`: what was asked."""

    port: int
    answers: list[Callable[[Json], Answer]]
    seen: list[Json] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"http://{self.host}/v1"


@contextmanager
def serving(*answers: Callable[[Json], Answer]) -> Iterator[Endpoint]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            endpoint.seen.append(asked)
            endpoint.headers.append({name.lower(): value for name, value in self.headers.items()})
            endpoint.paths.append(self.path)
            answer = endpoint.answers[min(len(endpoint.seen), len(endpoint.answers)) - 1]
            status, body = answer(asked)
            try:
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            except OSError:
                pass  # whoever asked has gone

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads, server.block_on_close = True, False  # an answer that comes late is not waited for
    endpoint = Endpoint(server.server_port, list(answers))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield endpoint
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def openai(text: str, reason: str = "stop", **message: Json) -> Callable[[Json], Answer]:
    choice = {"message": {"role": "assistant", "content": text, **message}, "finish_reason": reason}
    return lambda asked: (200, json.dumps({"choices": [choice]}).encode())


def anthropic(text: str, reason: str = "end_turn") -> Callable[[Json], Answer]:
    content = [{"type": "text", "text": text}]
    return lambda asked: (200, json.dumps({"content": content, "stop_reason": reason}).encode())


def status(number: int, body: bytes = b"{}") -> Callable[[Json], Answer]:
    return lambda asked: (number, body)


def late(seconds: float) -> Callable[[Json], Answer]:
    def answer(asked: Json) -> Answer:
        time.sleep(seconds)
        return 200, b"{}"

    return answer


def said(**sections: list[tuple[str, list[int]]]) -> str:
    """The JSON of a summary."""
    return json.dumps(
        {name: [{"text": text, "events": events} for text, events in lines] for name, lines in sections.items()}
    )


GOOD = said(
    goal=[("The user wants the parser tests to pass.", [1])],
    commands=[("cat part0.txt showed the first part.", [4])],
    next=[("Look at the next part.", [9])],
)
