"""A provider is reached at one address with one credential, and the credential goes to no other.

Both are the user's, from the environment; a project can name neither. The key itself stays here and in the
client that sends it: whatever is shown or recorded names the variable that held it.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from runtime.core.errors import Unavailable

DEFAULT_BASE_URL = "https://api.openai.com/v1"
KEY = "OPENAI_API_KEY"
BASE_URL = "OPENAI_BASE_URL"
NO_CREDENTIAL = "none"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where requests go. `host` is the name (with a port that is not the usual one); `key` may be empty."""

    base_url: str
    host: str
    loopback: bool
    key: str = field(default="", repr=False)

    @property
    def credential(self) -> str:
        """The name of the variable that holds the key, or `none`."""
        return KEY if self.key else NO_CREDENTIAL


def find_endpoint(environment: Mapping[str, str], *, offline: bool = False) -> Endpoint:
    """Return the endpoint that the environment names; raise Unavailable, which says what to set, if none.

    With `offline` only loopback can be reached.
    """
    base_url = environment.get(BASE_URL, "").strip()
    key = _key(environment)
    if not base_url and not key:
        raise Unavailable(f"no model can be reached: set {KEY}, or {BASE_URL} to a server of your own")
    host, loopback = _host(base_url or DEFAULT_BASE_URL)
    if offline and not loopback:
        raise Unavailable(f"`{host}` can not be reached: this run is offline, only loopback is open")
    if not key and not loopback:
        raise Unavailable(f"{BASE_URL} names `{host}` and there is no key for it: set {KEY}")
    return Endpoint(base_url or DEFAULT_BASE_URL, host, loopback, key)


def is_loopback(host: str) -> bool:
    """Whether `host` is this machine by its very name or address, without asking a name server."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _key(environment: Mapping[str, str]) -> str:
    key = environment.get(KEY, "").strip()
    if key and not (key.isascii() and key.isprintable() and " " not in key):
        raise Unavailable(f"{KEY} holds characters that no key has (a space or a line end): set it again")
    return key


def _host(base_url: str) -> tuple[str, bool]:
    try:
        parts = urlsplit(base_url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise Unavailable(f"{BASE_URL} is not a valid URL: expected `http://host:port/v1`") from error
    if parts.scheme not in ("http", "https") or not host:
        raise Unavailable(f"{BASE_URL} must begin with `http://` or `https://` and name a host")
    if parts.username or parts.password:
        raise Unavailable(f"{BASE_URL} must not hold credentials: set {KEY} instead")
    if parts.query or parts.fragment:
        raise Unavailable(f"{BASE_URL} must end with a path, such as `/v1`")
    name = f"[{host}]" if ":" in host else host
    return (f"{name}:{port}" if port else name), is_loopback(host)
