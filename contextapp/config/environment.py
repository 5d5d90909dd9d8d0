"""Reads environment variables, typed. A value that can't be read stops start-up and is named; it is never guessed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured
from django.core.management.utils import get_random_secret_key

from contextapp.config import connections
from contextapp.eventlog.connecting import NotedConnection

TRUE = {"1", "true", "yes", "on"}
FALSE = {"0", "false", "no", "off", ""}


def env_str(name: str, default: str) -> str:
    return os.environ.get(name, default)


def env_bool(name: str, default: bool) -> bool:
    raw = os.environ.get(name)
    if raw is None:
        return default
    if raw.lower() in TRUE:
        return True
    if raw.lower() in FALSE:
        return False
    raise ImproperlyConfigured(f"{name}={raw!r} is not a boolean; use true or false")


def env_int(name: str, default: int) -> int:
    raw = os.environ.get(name)
    if raw is None:
        return default
    try:
        return int(raw)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name}={raw!r} is not an integer") from error


def env_list(name: str, default: list[str]) -> list[str]:
    raw = os.environ.get(name)
    return default if raw is None else [part.strip() for part in raw.split(",") if part.strip()]


def secret_key(data_folder: Path) -> str:
    """SECRET_KEY from the environment, else one made once and kept in the data folder (mode 0600)."""
    given = os.environ.get("SECRET_KEY")
    if given is not None:
        if len(given) < 32:
            raise ImproperlyConfigured(f"SECRET_KEY has {len(given)} characters; at least 32 are needed")
        return given
    path = data_folder / "secret_key"
    if not path.exists():
        data_folder.mkdir(parents=True, exist_ok=True)
        draft = data_folder / f"secret_key.{os.getpid()}"
        draft.touch(mode=0o600)
        draft.write_text(get_random_secret_key())
        try:
            os.link(draft, path)  # the first of several starters wins; the others read its key
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return path.read_text()


def database(url: str) -> dict[str, object]:
    """Django's database entry for a `postgresql://` URL; a socket folder goes into `?host=`."""
    parts = urlsplit(url)
    if parts.scheme not in ("postgres", "postgresql"):
        raise ImproperlyConfigured(f"DATABASE_URL starts with {parts.scheme!r}; only postgresql:// is supported")
    query = dict(parse_qsl(parts.query))
    name = unquote(parts.path.lstrip("/"))
    if not name:
        raise ImproperlyConfigured("DATABASE_URL names no database; write postgresql://user@host:port/NAME")
    host = query.pop("host", "") or (parts.hostname or "")
    options: dict[str, object] = {**query}
    options["pool"] = {
        "min_size": 0,
        "max_size": env_int("DATABASE_POOL_SIZE", 12),
        "timeout": env_int("DATABASE_POOL_TIMEOUT_SECONDS", 2),
        "check": connections.check,  # after a restart dead connections are replaced instead of handed out once each
        "connection_class": NotedConnection,
    }
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": name,
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": host,
        "PORT": str(query.pop("port", "") or parts.port or ""),
        "OPTIONS": options,
        "CONN_HEALTH_CHECKS": True,
    }


def limit_waiting(entry: dict[str, Any], *, statement_seconds: int, lock_seconds: int) -> None:  # Django's own form
    """Every connection made from now on has these limits, once, from its start. What the URL says itself comes after them and
    wins; 0 leaves what the role has."""
    limits = {"statement_timeout": statement_seconds, "lock_timeout": lock_seconds}
    given = entry["OPTIONS"].get("options", "")
    said = [f"-c {name}={seconds}s" for name, seconds in limits.items() if seconds > 0]
    if said:
        entry["OPTIONS"]["options"] = " ".join([*said, *([given] if given else [])])


def libpq_keywords(entry: dict[str, object]) -> str:
    """The same database as libpq keywords, for the broker (its own URL parser ignores a socket host)."""
    pairs = {
        "host": entry["HOST"],
        "port": entry["PORT"],
        "dbname": entry["NAME"],
        "user": entry["USER"],
        "password": entry["PASSWORD"],
    }
    return " ".join(f"{key}='{value}'" for key, value in pairs.items() if value)
