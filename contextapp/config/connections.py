"""Looks at a pooled connection before it is handed out, without asking the server."""

from __future__ import annotations

import select
from typing import Any

import psycopg
from psycopg_pool import ConnectionPool


def check(connection: psycopg.Connection[Any]) -> None:
    """Raises psycopg.OperationalError for a dead one. A server that ends a connection says so on its socket, so a silent
    socket is alive; one that has something to say is asked."""
    socket = select.poll()
    socket.register(connection.pgconn.socket, select.POLLIN)
    if socket.poll(0):
        ConnectionPool.check_connection(connection)
