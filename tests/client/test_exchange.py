"""When the client tries again, how long it waits, and what it makes of answers. No network: exchanges are driven by hand."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from contextapp.client.errors import BadAnswer, ClientError, Conflict, RateLimited, ServerFailed, ServerUnavailable
from contextapp.client.exchange import Pause, Reply, Request, Response, Retry, Unreachable, ask

REQUEST = Request("POST", "/sessions", body={})


def problem(status: int, **headers: str) -> Response:
    return Response(status, headers, json.dumps({"code": "later", "detail": "try again", "status": status}).encode())


def drive(*replies: Reply, retry: Retry | None = None) -> tuple[Any, list[float]]:
    """What came of it, and the pauses it wanted."""
    exchange, pauses, left = ask(REQUEST, retry or Retry(draw=lambda: 1.0)), [], list(replies)
    step = next(exchange)
    try:
        while True:
            if isinstance(step, Pause):
                pauses.append(step.seconds)
                step = exchange.send(None)
            else:
                step = exchange.send(left.pop(0))
    except StopIteration as finished:
        return finished.value, pauses
    except ClientError as error:
        return error, pauses


OK = Response(200, {}, b'{"id": "x"}')


def test_a_server_that_is_away_is_asked_again_later_and_later() -> None:
    result, pauses = drive(Unreachable("refused"), Unreachable("refused"), problem(503), OK)

    assert result == {"id": "x"}
    assert pauses == [0.5, 1.0, 2.0]


def test_pauses_are_spread() -> None:
    _, low = drive(Unreachable("refused"), OK, retry=Retry(draw=lambda: 0.0))
    _, high = drive(Unreachable("refused"), OK, retry=Retry(draw=lambda: 1.0))

    assert (low, high) == ([0.25], [0.5])


def test_retry_after_is_the_least_that_is_waited() -> None:
    at = format_datetime(datetime.now(UTC) + timedelta(seconds=8), usegmt=True)

    _, pauses = drive(problem(429, **{"retry-after": "3"}), problem(503, **{"retry-after": at}), OK)

    assert pauses[0] == 3.5
    assert 7.5 < pauses[1] <= 9.1


@pytest.mark.parametrize("given", ["soon", "-1", "", "\u0663"])
def test_a_retry_after_that_says_nothing_is_no_error(given: str) -> None:
    result, pauses = drive(problem(429, **{"retry-after": given}), OK)

    assert (result, pauses) == ({"id": "x"}, [0.5])


def test_a_pause_beyond_the_budget_is_given_up_at_once() -> None:
    limited, pauses = drive(problem(429, **{"retry-after": "3600"}))
    away, _ = drive(*[Unreachable("connection refused")] * 50)

    assert (type(limited), pauses) == (RateLimited, [])
    assert isinstance(away, ServerUnavailable)
    assert "connection refused" in str(away)


@pytest.mark.parametrize(("status", "kind"), [(409, Conflict), (500, ServerFailed)])
def test_a_problem_is_raised_and_not_repeated(status: int, kind: type[Exception]) -> None:
    result, pauses = drive(problem(status))

    assert (type(result), pauses) == (kind, [])


@pytest.mark.parametrize("reply", [Response(200, {}, b"<html>"), Response(404, {}, b"nginx"), Response(302, {}, b"{}")])
def test_what_is_not_this_api_is_said(reply: Response) -> None:
    result, _ = drive(reply)

    assert isinstance(result, BadAnswer)
