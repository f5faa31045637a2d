"""Where a URL leads, decided before anything is sent: scheme, host and each resolved address.

A URL is normalised once and policy sees the normal form. The host is resolved once, and the address that
was checked is the one that is connected to, so an answer that changes between check and connection changes
nothing.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket
from dataclasses import dataclass
from urllib.parse import quote, urlsplit, urlunsplit

from runtime.core.errors import Invalid, Unavailable

MAX_URL = 8192
_DEFAULT_PORTS = {"http": 80, "https": 443}
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f\\<>\"{}|^`]")
_OLD_MAPPINGS = (ipaddress.IPv6Network("::/96"), ipaddress.IPv6Network("::ffff:0:0:0/96"))
"""IPv4-compatible and IPv4-translated addresses: no public host has one."""
_SAFE_PATH = "/:@!$&'()*+,;=-._~%"


@dataclass(frozen=True, slots=True)
class Target:
    """A normalised URL: `url` for policy and messages, and the parts that a connection needs."""

    url: str
    scheme: str
    host: str
    port: int
    path: str  # with query


def parse_target(url: str) -> Target:
    """Return the target of `url`; raise Invalid for other schemes, credentials, odd signs and no host."""
    if len(url) > MAX_URL:
        raise Invalid(f"the URL has {len(url)} characters, the limit is {MAX_URL}")
    if _FORBIDDEN.search(url):
        raise Invalid(f"the URL `{url[:200]}` holds characters that must be percent-encoded")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise Invalid(f"the URL `{url[:200]}` can not be read: {error}") from error
    if parts.scheme not in _DEFAULT_PORTS:
        raise Invalid(f"the URL `{url[:200]}` has the scheme `{parts.scheme}`, expected http or https")
    if "@" in parts.netloc:
        raise Invalid("the URL holds credentials; send them with the option `auth` instead")
    host = _normal_host(parts.hostname or "", url)
    netloc = f"[{host}]" if ":" in host else host
    if port is not None and port != _DEFAULT_PORTS[parts.scheme]:
        netloc += f":{port}"
    path = quote(_without_dots(parts.path) or "/", safe=_SAFE_PATH)
    query = quote(parts.query, safe=_SAFE_PATH + "?")
    return Target(
        urlunsplit((parts.scheme, netloc, path, query, "")),
        parts.scheme,
        host,
        port or _DEFAULT_PORTS[parts.scheme],
        path + (f"?{query}" if query else ""),
    )


async def resolve(target: Target) -> list[str]:
    """Return the addresses of the target's host as text; raise Unavailable when there are none."""
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise Unavailable(f"host `{target.host}` can not be resolved: {error}", retryable=True) from error
    addresses = list(dict.fromkeys(str(item[4][0]) for item in found))
    if not addresses:
        raise Unavailable(f"host `{target.host}` has no address", retryable=True)
    return addresses


def is_private(address: str) -> bool:
    """Whether `address` is not a public one: loopback, private, link-local, shared, multicast, reserved.

    An IPv4 address inside an IPv6 one (mapped, 6to4, Teredo, NAT64) counts as itself.
    """
    parsed = ipaddress.ip_address(address.split("%", 1)[0])
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.is_site_local or any(parsed in network for network in _OLD_MAPPINGS):
            return True
        for inner in (
            parsed.ipv4_mapped,
            parsed.sixtofour,
            (parsed.teredo or (None, None))[1],
            _nat64(parsed),
        ):
            if inner is not None:
                return not inner.is_global or inner.is_multicast
    return not parsed.is_global or parsed.is_multicast


def is_loopback(address: str) -> bool:
    """Whether `address` is this machine's loopback, also when mapped into IPv6."""
    parsed = ipaddress.ip_address(address.split("%", 1)[0])
    mapped = parsed.ipv4_mapped if isinstance(parsed, ipaddress.IPv6Address) else None
    return (mapped or parsed).is_loopback


def _nat64(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    if address in ipaddress.ip_network("64:ff9b::/96"):
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return None


def _normal_host(host: str, url: str) -> str:
    host = host.rstrip(".")
    if not host:
        raise Invalid(f"the URL `{url[:200]}` has no host")
    if host.isascii():
        return host.lower()
    try:
        return host.encode("idna").decode("ascii").lower()
    except UnicodeError as error:
        raise Invalid(f"the host `{host}` is not a valid name") from error


def _without_dots(path: str) -> str:
    """Resolve `.` and `..` as RFC 3986 section 5.2.4 does, encoded ones too: policy sees the real path."""
    kept: list[str] = []
    segments = re.sub(r"%2e", ".", path, flags=re.IGNORECASE).split("/")
    for position, segment in enumerate(segments):
        if segment == "..":
            if len(kept) > 1:
                kept.pop()
        elif segment != ".":
            kept.append(segment)
            continue
        if position == len(segments) - 1:
            kept.append("")
    return "/".join(kept)
