"""Whether the broker answers. Only for telling people: no job waits for it, and nothing is decided by it."""

from __future__ import annotations

import logging
import socket
import time
from urllib.parse import urlsplit

from celery import current_app

logger = logging.getLogger(__name__)

ANSWER_SECONDS = 1.0
ASKED_AGAIN_SECONDS = 10.0  # several open pages ask one question
INSIDE = ("memory", "pgmq")  # this process, or the database that every page asks anyway
_PORTS = {"redis": 6379, "rediss": 6379, "amqp": 5672, "amqps": 5671, "pyamqp": 5672}

_known: dict[str, tuple[float, bool]] = {}  # by address: when it was asked, and what came of it


def broker_answers() -> bool:
    """Asked every few seconds at most. One that is away costs a second at most, one that hangs as long as its client tries."""
    url = str(current_app.conf.broker_write_url or "")
    if url.partition(":")[0] in INSIDE:
        return True
    now = time.monotonic()
    asked_at, answered = _known.get(url, (-ASKED_AGAIN_SECONDS, False))
    if now - asked_at < ASKED_AGAIN_SECONDS:
        return answered
    answered = _ask(url)
    _known[url] = (time.monotonic(), answered)
    return answered


def _ask(url: str) -> bool:
    limits = {"socket_connect_timeout": ANSWER_SECONDS, "socket_timeout": ANSWER_SECONDS, "max_retries": 1}
    try:
        _knock(url)
        with current_app.connection_for_write(connect_timeout=ANSWER_SECONDS, transport_options=limits) as connection:
            connection.connect()
            connection.channel().close()  # the connection to Redis is made by its first channel
    except Exception as error:  # noqa: BLE001  each transport raises errors of its own; logged, and shown as the answer
        logger.warning("the broker does not answer: %s", error)
        return False
    return True


def _knock(url: str) -> None:
    """OSError when nobody listens: said at once, where the clients try again for seconds. Several addresses are theirs."""
    parts = urlsplit(url)
    port = _PORTS.get(parts.scheme)
    if port is not None and parts.hostname and ";" not in url:
        socket.create_connection((parts.hostname, parts.port or port), ANSWER_SECONDS).close()
