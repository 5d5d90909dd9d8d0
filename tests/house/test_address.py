"""Port, address and link as `make up` and `make login` show them."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from contextapp.config.local import address, login
from contextapp.config.local.places import LocalError


@pytest.fixture
def busy_port() -> Iterator[int]:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        yield taken.getsockname()[1]


def test_a_busy_port_is_passed_over(busy_port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PORT", raising=False)
    monkeypatch.setattr(address, "FIRST_PORT", busy_port)
    monkeypatch.setattr(address, "LAST_PORT", busy_port + 50)

    assert busy_port < address.choose_port("127.0.0.1") < busy_port + 50


def test_a_busy_port_that_was_asked_for_is_an_error(busy_port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORT", str(busy_port))

    with pytest.raises(LocalError, match=f"PORT={busy_port} is in use on 127.0.0.1"):
        address.choose_port("127.0.0.1")


@pytest.mark.parametrize("port", ["http", "0", "70000", "-1"])
def test_a_port_that_is_none_is_named(port: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORT", port)

    with pytest.raises(LocalError, match="is not a port number"):
        address.choose_port("127.0.0.1")


@pytest.mark.parametrize(
    ("host", "shown"),
    [
        ("127.0.0.1", "http://127.0.0.1:8000"),
        ("0.0.0.0", "http://127.0.0.1:8000"),
        ("::1", "http://[::1]:8000"),
        ("box", "http://box:8000"),
    ],
)
def test_the_address_can_be_opened_whatever_the_server_binds(host: str, shown: str) -> None:
    assert address.shown(host, 8000) == shown


@pytest.mark.parametrize("said", ["/login/abc-_1/", "http://localhost:8000/login/abc-_1/", "Open /login/abc-_1/ once"])
def test_a_login_link_gets_the_address_that_runs(said: str) -> None:
    assert login.absolute(said, "http://127.0.0.1:8003") == "http://127.0.0.1:8003/login/abc-_1/"


def test_what_the_supervisor_wrote_is_read_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATA_DIR", str(tmp_path))

    address.write(address.Running(7, "http://127.0.0.1:8001", (8, 9)))

    assert address.read() == address.Running(7, "http://127.0.0.1:8001", (8, 9))


@pytest.mark.parametrize("content", ["", "{}", "[1]", '{"pid": 1, "address": "x", "groups": 3}'])
def test_a_broken_note_of_the_supervisor_counts_as_none(
    content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    (tmp_path / "up.json").write_text(content)

    assert address.read() is None
