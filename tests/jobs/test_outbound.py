"""The way out: what is refused before a byte leaves, and what a hostile answer can't do. Served on the loopback only."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from contextapp.jobs import outbound
from contextapp.jobs.outbound import OutboundFailed, OutboundRefused

Received = list[tuple[str, dict[str, str], bytes]]


@contextmanager
def served(answer: Callable[[BaseHTTPRequestHandler], None]) -> Iterator[tuple[str, Received]]:
    received: Received = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            received.append((self.path, dict(self.headers.items()), body))
            answer(self)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"127.0.0.1:{server.server_port}", received
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def reply(status: int, body: bytes = b"", **headers: str) -> Callable[[BaseHTTPRequestHandler], None]:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return answer


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """What the resolver says for a name; the world's own is not asked."""
    table: dict[str, list[str]] = {}

    def resolve(host: str, port: int, **_: Any) -> list[Any]:
        if host not in table:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return [(socket.AF_INET6 if ":" in a else socket.AF_INET, 1, 6, "", (a, port)) for a in table[host]]

    monkeypatch.setattr(outbound.socket, "getaddrinfo", resolve)
    return table


def test_a_post_reaches_an_allowed_host_and_brings_its_answer() -> None:
    with served(reply(201, b"thanks")) as (place, received):
        answer = outbound.post(
            f"http://{place}/hook?a=1", body=b"text", headers={"Content-Type": "text/plain"}, allow_hosts=["127.0.0.1"]
        )

    path, headers, body = received[0]
    assert (answer.status, answer.body, answer.is_success) == (201, b"thanks", True)
    assert (path, headers["Host"], headers["Content-Type"], body) == ("/hook?a=1", place, "text/plain", b"text")


@pytest.mark.parametrize(
    "url",
    [
        "https://127.0.0.1/",
        "https://localhost/",
        "https://2130706433/",  # 127.0.0.1 in one number
        "https://0x7f000001/",
        "https://0177.0.0.1/",
        "https://127.1/",
        "https://0.0.0.0/",
        "https://10.1.2.3/",
        "https://172.16.0.1/",
        "https://192.168.1.1/",
        "https://100.64.0.1/",  # carrier-grade NAT
        "https://169.254.169.254/latest/meta-data/",
        "https://[::1]/",
        "https://[::]/",
        "https://[::ffff:127.0.0.1]/",
        "https://[::ffff:169.254.169.254]/",
        "https://[::127.0.0.1]/",
        "https://[64:ff9b::7f00:1]/",
        "https://[2002:7f00:1::]/",
        "https://[fe80::1]/",
        "https://[fe80::1%25lo]/",
        "https://[fd00:ec2::254]/",
        "https://[fec0::1]/",
        "https://224.0.0.1/",
        "https://255.255.255.255/",
        "https://192.0.2.1/",
        "https://198.18.0.1/",
    ],
)
def test_an_address_of_our_own_network_is_refused(url: str) -> None:
    with pytest.raises(OutboundRefused):
        outbound.post(url, body=b"")


@pytest.mark.parametrize(
    "url",
    [
        "http://8.8.8.8/",
        "ftp://8.8.8.8/",
        "file:///etc/passwd",
        "gopher://8.8.8.8/",
        "//8.8.8.8/",
        "8.8.8.8",
        "",
        "https://",
        "https://user:secret@8.8.8.8/",
        "https://8.8.8.8\\@127.0.0.1/",
        "https://8.8.8.8/\r\nHost: other",
        "https://8.8.8.8:port/",
        "https://8.8.8.8:99999/",
        "https://ex\N{CYRILLIC SMALL LETTER A}mple.org/",
        "https://8.8.8.8/ a",
    ],
)
def test_an_address_of_another_form_is_refused(url: str) -> None:
    with pytest.raises(OutboundRefused):
        outbound.check(url)


@pytest.mark.parametrize("address", ["127.0.0.1", "169.254.169.254", "100.100.100.200", "::ffff:10.0.0.1", "fd00::1"])
def test_a_name_that_means_our_own_network_is_refused(names: dict[str, list[str]], address: str) -> None:
    names["hooks.example.org"] = [address]

    with pytest.raises(OutboundRefused, match="not a public address"):
        outbound.post("https://hooks.example.org/", body=b"")


def test_a_name_with_one_public_and_one_private_address_is_refused(names: dict[str, list[str]]) -> None:
    names["hooks.example.org"] = ["93.184.216.34", "127.0.0.1"]

    with pytest.raises(OutboundRefused, match="127.0.0.1"):
        outbound.check("https://hooks.example.org/")


def test_a_public_name_is_let_through(names: dict[str, list[str]]) -> None:
    names["hooks.example.org"] = ["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946"]

    outbound.check("https://hooks.example.org:8443/path?query")


def test_a_name_is_resolved_once_and_the_connection_goes_where_it_was_judged(
    monkeypatch: pytest.MonkeyPatch, names: dict[str, list[str]]
) -> None:
    with served(reply(200)) as (place, received):
        port = place.partition(":")[2]
        names["rebinding.example"] = ["127.0.0.1"]
        asked: list[str] = []
        resolve = outbound.socket.getaddrinfo

        def counted(host: str, *arguments: Any, **others: Any) -> Any:
            asked.append(host)
            return resolve(host, *arguments, **others)

        monkeypatch.setattr(outbound.socket, "getaddrinfo", counted)
        connect = socket.create_connection
        monkeypatch.setattr(socket, "create_connection", lambda place, *a, **k: _numeric(connect, place, *a, **k))
        outbound.post(f"http://rebinding.example:{port}/", body=b"", allow_hosts=["rebinding.example"])

    assert asked.count("rebinding.example") == 1
    assert received[0][1]["Host"] == f"rebinding.example:{port}"


def _numeric(connect: Callable[..., Any], place: tuple[str, int], *arguments: Any, **others: Any) -> Any:
    assert place[0] == "127.0.0.1"
    stream = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    stream.connect(place)
    return stream


def test_allowing_one_port_allows_no_other() -> None:
    with pytest.raises(OutboundRefused):
        outbound.check("http://127.0.0.1:5432/", allow_hosts=["127.0.0.1:8080"])

    outbound.check("http://127.0.0.1:8080/", allow_hosts=["127.0.0.1:8080"])


def test_a_redirect_is_not_followed() -> None:
    with (
        served(reply(200)) as (elsewhere, reached),
        served(reply(307, Location=f"http://{elsewhere}/")) as (place, received),
    ):
        answer = outbound.post(f"http://{place}/", body=b"x", allow_hosts=["127.0.0.1"])

    assert (answer.status, len(received), reached) == (307, 1, [])


def test_a_proxy_of_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")

    with served(reply(200)) as (place, received):
        outbound.post(f"http://{place}/", body=b"x", allow_hosts=["127.0.0.1"])

    assert len(received) == 1


def test_an_answer_without_end_is_cut_off() -> None:
    with (
        served(reply(200, b"x" * (outbound.ANSWER_LIMIT_BYTES + 1))) as (place, _),
        pytest.raises(OutboundFailed, match="larger than"),
    ):
        outbound.post(f"http://{place}/", body=b"", allow_hosts=["127.0.0.1"])


def test_an_answer_that_drips_is_cut_off_at_the_deadline() -> None:
    def drip(handler: BaseHTTPRequestHandler) -> None:
        for _ in range(200):
            try:
                handler.wfile.write(b"H")
                handler.wfile.flush()
            except OSError:
                return
            time.sleep(0.05)

    started = time.monotonic()

    with served(drip) as (place, _), pytest.raises(OutboundFailed):
        outbound.post(f"http://{place}/", body=b"", timeout_s=0.4, allow_hosts=["127.0.0.1"])

    assert time.monotonic() - started < 3


def test_nobody_there_is_a_failure_and_not_a_refusal() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]

        with pytest.raises(OutboundFailed, match="ConnectError"):
            outbound.post(f"http://127.0.0.1:{port}/", body=b"", allow_hosts=["127.0.0.1"])
