"""The one way out: a POST to an address that somebody configured, hardened against being pointed at our own network.

The name is resolved once, every address it has is judged, and the connection goes to the address that was judged. Never
follows a redirect, never uses a proxy of the environment, never reads more than a limit or waits longer than one.
"""

from __future__ import annotations

import ipaddress
import socket
import ssl
import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

import httpcore

ANSWER_LIMIT_BYTES = 1024 * 1024
_PORTS = {"https": 443, "http": 80}
_NAT64 = ipaddress.ip_network("64:ff9b::/96")

type _Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class OutboundRefused(ValueError):
    """The address is not one we send to; nothing was sent."""


class OutboundFailed(Exception):
    """The other side did not answer in time, not at all, or with too much."""


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    body: bytes

    @property
    def is_success(self) -> bool:
        return 200 <= self.status < 300


@dataclass(frozen=True, slots=True)
class _Target:
    scheme: str
    host: str
    port: int
    path: str
    addresses: tuple[str, ...]

    @property
    def authority(self) -> str:
        name = f"[{self.host}]" if ":" in self.host else self.host
        return name if self.port == _PORTS[self.scheme] else f"{name}:{self.port}"


def post(
    url: str,
    *,
    body: bytes,
    headers: Mapping[str, str] | None = None,
    timeout_s: float = 10.0,
    allow_hosts: Collection[str] = (),
) -> Answer:
    """Send the body and return whatever was answered; a redirect is an answer like any other, and is not followed.

    `allow_hosts` names hosts (`name` or `name:port`) that may be private or speak plain http.
    """
    deadline = time.monotonic() + timeout_s
    target = _target(url, allow_hosts)
    backend = _Pinned(target.addresses, deadline)
    context = ssl.create_default_context() if target.scheme == "https" else None
    address = httpcore.URL(scheme=target.scheme, host=target.host, port=target.port, target=target.path)
    sent = [("Host", target.authority), *(headers or {}).items()]
    try:
        with (
            httpcore.ConnectionPool(ssl_context=context, network_backend=backend, retries=0) as pool,
            pool.stream("POST", address, headers=sent, content=body) as response,
        ):
            return Answer(response.status, _limited(response.iter_stream()))
    except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException, ssl.SSLError) as error:
        raise OutboundFailed(f"POST to {target.host}:{target.port} failed: {type(error).__name__} {error}") from error


def check(url: str, *, allow_hosts: Collection[str] = ()) -> None:
    """Raise OutboundRefused if `post` would not send there now. What a name resolves to may change later."""
    _target(url, allow_hosts)


def _target(url: str, allow_hosts: Collection[str]) -> _Target:
    if any(character.isspace() or not character.isprintable() for character in url):
        raise OutboundRefused(f"address {url[:100]!r} holds a space or an invisible character")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise OutboundRefused(f"address {url[:100]!r} can't be read: {error}") from error
    host = (parts.hostname or "").rstrip(".")
    if not host or parts.scheme not in _PORTS:
        raise OutboundRefused(f"address {url[:100]!r} must be https://host/path")
    if not url.isascii():
        raise OutboundRefused(f"address {url[:100]!r} must be plain ASCII; write the host in its xn-- form")
    if parts.username is not None or parts.password is not None:
        raise OutboundRefused(f"an address with a user name in it is refused; host {host!r}")
    if "\\" in url:
        raise OutboundRefused(f"address {url[:100]!r} holds a backslash")
    port = _PORTS[parts.scheme] if port is None else port
    allowed = {name.lower() for name in allow_hosts} & {host, f"{host}:{port}"}
    if parts.scheme != "https" and not allowed:
        raise OutboundRefused(f"{host} is asked by plain http; use https, or allow the host by name")
    addresses = _resolved(host, port)
    if not allowed:
        for address in addresses:
            if not _is_public(ipaddress.ip_address(address)):
                raise OutboundRefused(f"{host} is {address}, which is not a public address; allow the host by name")
    query = f"?{parts.query}" if parts.query else ""
    return _Target(parts.scheme, host, port, (parts.path or "/") + query, addresses)


def _resolved(host: str, port: int) -> tuple[str, ...]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise OutboundRefused(f"{host} can't be resolved: {error}") from error
    addresses = tuple(dict.fromkeys(str(entry[4][0]) for entry in found))
    if any("%" in address for address in addresses):
        raise OutboundRefused(f"{host} is a link-local address with a zone")
    return addresses


def _is_public(address: _Address) -> bool:
    """Global unicast, also inside every form in which an IPv6 address carries an IPv4 one."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.sixtofour is not None or address.teredo is not None:
            return False
        carried = address.ipv4_mapped
        if carried is None and address in _NAT64:
            carried = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if carried is not None:
            return _is_public(carried)
        if address.is_site_local or int(address) >> 32 == 0:  # the last: ::a.b.c.d, the old compatible form
            return False
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


def _limited(stream: Iterable[bytes]) -> bytes:
    parts: list[bytes] = []
    size = 0
    for part in stream:
        size += len(part)
        if size > ANSWER_LIMIT_BYTES:
            raise OutboundFailed(f"the answer is larger than {ANSWER_LIMIT_BYTES} bytes")
        parts.append(part)
    return b"".join(parts)


class _Pinned(httpcore.NetworkBackend):
    """Connects to the addresses that were judged, whatever the name means by now, and stops at one deadline for all."""

    def __init__(self, addresses: tuple[str, ...], deadline: float) -> None:
        self._addresses = addresses
        self._deadline = deadline
        self._backend = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        failure: httpcore.NetworkError | httpcore.TimeoutException | None = None
        for address in self._addresses:
            try:
                stream = self._backend.connect_tcp(address, port, remaining(self._deadline), local_address)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
            else:
                return _Timed(stream, self._deadline)
        raise failure or httpcore.ConnectError(f"{host} has no address")


class _Timed(httpcore.NetworkStream):
    """A stream whose every operation shares one deadline: a peer that drips bytes gains no time by it."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: float) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, remaining(self._deadline))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, remaining(self._deadline))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        secured = self._stream.start_tls(ssl_context, server_hostname, remaining(self._deadline))
        return _Timed(secured, self._deadline)

    def get_extra_info(self, info: str) -> object:
        return self._stream.get_extra_info(info)


def remaining(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise httpcore.ReadTimeout("the time for the whole request is over")
    return left
