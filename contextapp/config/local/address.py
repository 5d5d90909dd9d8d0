"""Where the running installation can be reached: `data/up.json`, written by the supervisor, and the choice of a port."""

from __future__ import annotations

import json
import os
import socket
from dataclasses import asdict, dataclass
from pathlib import Path

from contextapp.config.local.places import LocalError, data_folder

FIRST_PORT = 8000
LAST_PORT = 8100


@dataclass(frozen=True, slots=True)
class Running:
    pid: int
    address: str
    groups: tuple[int, ...] = ()


def write(running: Running) -> None:
    draft = _file().with_suffix(f".json.{os.getpid()}")
    draft.write_text(json.dumps(asdict(running)))
    draft.rename(_file())


def read() -> Running | None:
    """What the last supervisor wrote; it may be dead, the lock `up.lock` tells."""
    try:
        found = json.loads(_file().read_text())
        return Running(int(found["pid"]), str(found["address"]), tuple(int(group) for group in found["groups"]))
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None


def forget() -> None:
    _file().unlink(missing_ok=True)


def choose_port(host: str) -> int:
    """PORT if it is given, and then it must be free; else the first free one from 8000 on."""
    given = os.environ.get("PORT")
    if given:
        if not given.isdigit() or not 0 < int(given) < 65536:
            raise LocalError(f"PORT={given!r} is not a port number.")
        if not _is_free(host, int(given)):
            raise LocalError(f"PORT={given} is in use on {host}; choose another or leave PORT out.")
        return int(given)
    for port in range(FIRST_PORT, LAST_PORT):
        if _is_free(host, port):
            return port
    raise LocalError(f"No free port on {host} from {FIRST_PORT} to {LAST_PORT - 1}; set PORT.")


def shown(host: str, port: int) -> str:
    name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{name}:{port}"


def _is_free(host: str, port: int) -> bool:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except PermissionError as error:
            raise LocalError(
                f"Port {port} on {host} may not be used: {error.strerror}; set PORT to 1024 or more."
            ) from error
        except OSError as error:
            if isinstance(error, socket.gaierror):
                raise LocalError(f"HOST={host!r} is not an address of this machine.") from error
            return False
    return True


def _file() -> Path:
    return data_folder() / "up.json"
