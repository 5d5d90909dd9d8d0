"""Requests that contradict themselves, are cut, are too long or too slow, sent as bytes to a real web server."""

from __future__ import annotations

import json
import threading
import time
from contextlib import ExitStack

import pytest

from tests.api.bad_input.raw import Served
from tests.api.client import event


def batch(text: str = "hello") -> bytes:
    return json.dumps({"events": [event("user.message", {"text": text})]}).encode()


def is_refused(statuses: list[int]) -> bool:
    """With 4xx, or with a closed connection and no answer: never served, never a failure of the server."""
    return all(400 <= status < 500 for status in statuses)


@pytest.mark.fault("F51")
def test_contradictory_and_chunked_lengths_store_nothing(served: Served) -> None:
    body = batch()
    chunked = f"{len(body):x}\r\n".encode() + body + b"\r\n0\r\n\r\n"
    length = f"Content-Length: {len(body)}"
    sent = {
        "two lengths": served.head("Content-Length: 5", length) + body,
        "a list of lengths": served.head(f"Content-Length: 5, {len(body)}") + body,
        "a length of no number": served.head("Content-Length: +1x") + body,
        "chunked and a length": served.head(length, "Transfer-Encoding: chunked") + chunked,
        "chunked": served.head("Transfer-Encoding: chunked") + chunked,
        "a folded chunked": served.head(length, "Transfer-Encoding: xchunked") + body,
    }

    answered = {name: served.statuses(request) for name, request in sent.items()}

    assert {name: told for name, told in answered.items() if not is_refused(told)} == {}
    assert any(answered.values())
    assert served.stored() == 0


@pytest.mark.fault("F51")
def test_pipelined_requests_are_each_answered_once_in_order(served: Served) -> None:
    first, bad = batch("first"), b"{"

    statuses = served.statuses(
        served.head(f"Content-Length: {len(first)}")
        + first
        + served.head(f"Content-Length: {len(bad)}")
        + bad
        + served.head("Content-Length: 0", "Connection: close", method="GET")
    )

    assert statuses == [200, 422, 200]
    assert served.stored() == 1


@pytest.mark.fault("F48")
def test_an_upload_that_is_cut_stores_nothing_and_the_next_is_served(served: Served) -> None:
    body = batch("x" * 100_000)
    for cut in (0, 1, len(body) // 2, len(body) - 1):
        with served.connected() as connection:
            connection.sendall(served.head(f"Content-Length: {len(body)}") + body[:cut])

    assert served.stored() == 0
    assert served.statuses(served.head(f"Content-Length: {len(body)}", "Connection: close") + body) == [200]
    assert served.stored() == 1


@pytest.mark.fault("F52")
@pytest.mark.parametrize("size", [10_000, 1_000_000])
def test_what_is_very_long_is_refused_and_the_next_is_served(served: Served, size: int) -> None:
    long, close = "a" * size, "Connection: close"
    sent = {
        "query": served.head(close, method="GET", path=f"/api/v1/sessions?q={long}"),
        "address": served.head(close, method="GET", path=f"/api/v1/{long}"),
        "key": served.head(close, f"Authorization: Bearer {long}", method="GET", path="/api/v1/nothing"),
        "method": served.head(close, method=long),
    }

    answered = {name: served.statuses(request) for name, request in sent.items()}

    assert {name: told for name, told in answered.items() if not is_refused(told)} == {}
    assert served.get(served.path).status_code == 200


@pytest.mark.fault("F49")
def test_fewer_slow_clients_than_threads_hold_nobody_up(served: Served) -> None:
    """As many as there are threads would: the proxy in front holds slow uploads back (docs/deploy.md)."""
    over = threading.Event()

    def drip() -> None:
        with served.connected() as connection:
            connection.sendall(served.head("Content-Length: 1000"))
            while not over.wait(1):
                connection.sendall(b" ")

    slow = [threading.Thread(target=drip) for _ in range(3)]  # the server has four
    for thread in slow:
        thread.start()
    try:
        time.sleep(2)
        answer = served.get(served.path)
    finally:
        over.set()
        for thread in slow:
            thread.join()

    assert answer.status_code == 200


@pytest.mark.fault("F49")
def test_clients_that_never_end_their_heads_hold_nobody_up(served: Served) -> None:
    """Many more than the server has threads: none is given to a request whose head has not arrived."""
    with ExitStack() as open_ones:
        for _ in range(40):
            open_ones.enter_context(served.connected()).sendall(served.head()[:-2])
        time.sleep(1)
        answer = served.get(served.path)

    assert answer.status_code == 200


@pytest.mark.fault("F50")
def test_clients_that_read_no_answer_hold_nobody_up_and_no_statement_waits_for_them(served: Served) -> None:
    body = batch("x" * 1_000_000)
    assert served.statuses(served.head(f"Content-Length: {len(body)}", "Connection: close") + body) == [200]

    with ExitStack() as open_ones:
        for _ in range(8):
            connection = open_ones.enter_context(served.connected())
            connection.sendall(served.head(method="GET") * 20)
        time.sleep(1)
        answer = served.get(served.path)
        end = time.monotonic() + 15
        while at_work := served.statements_at_work():  # what the buffers of the connections still take is read
            assert time.monotonic() < end, at_work
            time.sleep(0.2)

    assert answer.status_code == 200
    assert answer.json()["head_seq"] == 1
