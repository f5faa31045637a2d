"""HTTP for Lua: every hop is checked against policy, and sizes and times are bounded.

A request asks `http_client.request` with the normalised URL, and `http_client.private_ip` with each address
that is not public; a redirect is a new request and asks again. Pages of the documentation are answered
inside the process, after the same check. The only import site of httpx2.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urljoin

from runtime.core.errors import Error, Invalid, Timeout, Unavailable
from runtime.core.values import Value
from runtime.lua.dispatch import Caller, Handler
from runtime.security.actor import Context
from runtime.security.guard import Guard
from runtime.services.addresses import Target, is_loopback, is_private, parse_target, resolve
from runtime.services.arguments import argument, shown, table, text
from runtime.services.documentation import INTERNAL_HOST, Documentation

if TYPE_CHECKING:
    import httpx2

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
MAX_REDIRECTS = 10
MAX_BODY = 10 * 1024 * 1024
MAX_BODY_IN_JAIL = 2 * 1024 * 1024
"""What code born at run time gets of one answer: several come at once, and the host holds them all."""

DEFAULT_TIMEOUT = 30.0
MAX_TIMEOUT = 600.0
_KNOWN = frozenset(
    {
        "headers",
        "body",
        "query",
        "form",
        "cookies",
        "auth",
        "timeout",
        "max_response_body",
        "follow_redirects",
    }
)
_ABSENT = frozenset({"stream", "files", "unix_socket", "tls", "overlay_network"})
_FOR_ANY_HOST = frozenset({"accept", "accept-language", "content-type", "range", "user-agent"})
"""Headers that a redirect takes to another host: any other one may hold a credential."""


@dataclass(slots=True)
class Request:
    """One request as Lua gave it, checked: `timeout` in seconds, `limit` in bytes of the answer's body."""

    method: str
    url: str
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    timeout: float = DEFAULT_TIMEOUT
    limit: int = MAX_BODY
    follow: bool = True


class HttpService:
    """Answers requests of Lua code. With `offline` only loopback and the documentation can be reached."""

    def __init__(self, guard: Guard, documentation: Documentation, *, offline: bool = False) -> None:
        self._guard = guard
        self._documentation = documentation
        self._offline = offline

    def handlers(self) -> Mapping[str, Handler]:
        """Return the handler of the command `http_client.request`."""
        return {"http_client.request": self._command}

    async def _command(self, caller: Caller, args: list[Any]) -> dict[str, Value]:
        wanted = table(argument(args))
        method, url = text(wanted.get("method"), "method"), text(wanted.get("url"), "url")
        request = read_request(method, url, table(wanted.get("options"), "options"))
        if caller.origin == "runtime":
            request.limit = min(request.limit, MAX_BODY_IN_JAIL)
        return await self.request(caller.context, request)

    async def request(self, context: Context, request: Request) -> dict[str, Value]:
        """Return {status_code, url, headers, cookies, body, body_size}.

        Raises PermissionDenied by policy, Invalid for a malformed request or too large an answer, Timeout and
        Unavailable.
        """
        try:
            async with asyncio.timeout(request.timeout):
                return await self._follow(context, request)
        except TimeoutError as error:
            raise Timeout(
                f"no answer from `{request.url}` within {request.timeout:g} s", retryable=True
            ) from error

    async def _follow(self, context: Context, request: Request) -> dict[str, Value]:
        for _ in range(MAX_REDIRECTS + 1):
            target = parse_target(request.url)
            answer = await self._one(context, request, target)
            location = _header(answer, "Location")
            status = answer["status_code"]
            if not (request.follow and location and status in (301, 302, 303, 307, 308)):
                return answer
            request = _redirected(request, target, location, int(status))
        raise Unavailable(f"more than {MAX_REDIRECTS} redirects, the last to `{request.url}`")

    async def _one(self, context: Context, request: Request, target: Target) -> dict[str, Value]:
        self._guard.require(context, "http_client.request", target.url, {"method": request.method})
        if target.host == INTERNAL_HOST:
            return self._internal(request, target)
        addresses = await resolve(target)
        if self._offline and not all(is_loopback(address) for address in addresses):
            raise Unavailable(
                f"`{target.host}` can not be reached: this run is offline, only loopback is open"
            )
        for address in addresses:
            if is_private(address):
                self._guard.require(context, "http_client.private_ip", address, {"host": target.host})
        return await _send(request, target, addresses[0])

    def _internal(self, request: Request, target: Target) -> dict[str, Value]:
        if request.method not in ("GET", "HEAD"):
            return _answer(target.url, 405, {"Allow": "GET, HEAD"}, b"method not allowed")
        status, text = self._documentation.respond(target.url)
        body = b"" if request.method == "HEAD" else text.encode()
        return _answer(target.url, status, {"Content-Type": "text/markdown; charset=utf-8"}, body)


def read_request(method: str, url: str, options: Mapping[str, Value]) -> Request:
    """Return the request of Lua's `method`, `url` and `options`; raise Invalid for what is wrong."""
    for name in options:
        if name in _ABSENT:
            raise Invalid(f"http_client: the option `{name}` is not available in this version")
        if name not in _KNOWN:
            raise Invalid(f"http_client: unknown option `{name}`, expected {', '.join(sorted(_KNOWN))}")
    method = method.upper()
    if not method.isascii() or not method.isalpha():
        raise Invalid(f"http_client: `{method}` is not a method, expected {', '.join(METHODS)}")
    headers = {name: _one_line(name, value) for name, value in _map(options, "headers").items()}
    url = _with_query(url, _map(options, "query"))
    body = _body(options, headers)
    cookies = _map(options, "cookies")
    if cookies:
        headers["Cookie"] = "; ".join(f"{name}={_one_line(name, value)}" for name, value in cookies.items())
    auth = _map(options, "auth")
    if auth:
        pair = _plain(auth.get("user", "")) + b":" + _plain(auth.get("pass", ""))
        headers["Authorization"] = "Basic " + base64.b64encode(pair).decode()
    return Request(
        method,
        url,
        headers,
        body,
        min(_seconds(options.get("timeout")), MAX_TIMEOUT),
        _limit(options.get("max_response_body")),
        options.get("follow_redirects") is not False,
    )


def _map(options: Mapping[str, Value], name: str) -> dict[str, Value]:
    value = options.get(name)
    if value is None or value == []:  # an empty Lua table
        return {}
    if not isinstance(value, dict):
        raise Invalid(f"http_client: `{name}` must be a table of names and values")
    return value


def _one_line(name: str, value: Value) -> str:
    text = value if isinstance(value, str) else repr(value)
    if not isinstance(value, str | int | float) or any(sign in name + text for sign in "\r\n\0"):
        raise Invalid(f"http_client: `{name}` must be text or a number on one line")
    return text


def _with_query(url: str, query: Mapping[str, Value]) -> str:
    if not query:
        return url
    pairs = [
        (name, _plain(item))
        for name, value in query.items()
        for item in (value if isinstance(value, list) else [value])
    ]
    return url + ("&" if "?" in url else "?") + urlencode(pairs)


def _body(options: Mapping[str, Value], headers: dict[str, str]) -> bytes:
    form = _map(options, "form")
    if form:
        headers.setdefault("Content-Type", "application/x-www-form-urlencoded")
        return urlencode({name: _plain(value) for name, value in form.items()}).encode()
    body = options.get("body")
    if body is None:
        return b""
    if not isinstance(body, str | bytes):
        raise Invalid("http_client: `body` must be a string; encode tables with json.encode")
    return body.encode() if isinstance(body, str) else body


def _plain(value: Value) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()


def _seconds(value: Value) -> float:
    if value is None:
        return DEFAULT_TIMEOUT
    if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
        return float(value)
    units = {"ms": 0.001, "s": 1.0, "m": 60.0}
    if isinstance(value, str):
        for unit, factor in units.items():
            number = value.removesuffix(unit)
            if number != value and number.replace(".", "", 1).isdecimal() and float(number) > 0:
                return float(number) * factor
    raise Invalid(f"http_client: `timeout` is `{shown(value)}`, expected seconds or text such as `30s`")


def _limit(value: Value) -> int:
    if not value:
        return MAX_BODY
    if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:  # NaN is not
        raise Invalid("http_client: `max_response_body` must be a number of bytes")
    return int(min(value, MAX_BODY))


def _redirected(request: Request, target: Target, location: str, status: int) -> Request:
    url = urljoin(target.url, location)
    next_target = parse_target(url)
    headers = dict(request.headers)
    if (next_target.scheme, next_target.host, next_target.port) != (target.scheme, target.host, target.port):
        headers = {name: value for name, value in headers.items() if name.lower() in _FOR_ANY_HOST}
    method, body = request.method, request.body
    if status == 303 or (status in (301, 302) and method == "POST"):
        method, body = "GET", b""
    return Request(method, url, headers, body, request.timeout, request.limit)


async def _send(request: Request, target: Target, address: str) -> dict[str, Value]:
    import httpx2

    host = f"[{address}]" if ":" in address else address
    url = f"{target.scheme}://{host}:{target.port}{target.path}"
    headers = {"Host": target.url.split("//", 1)[1].split("/", 1)[0], "Accept-Encoding": "identity"}
    headers.update({name: value for name, value in request.headers.items() if name.lower() != "host"})
    try:
        # No proxies or credentials of the environment: the checked address is the one connected to.
        async with (
            httpx2.AsyncClient(trust_env=False, follow_redirects=False, timeout=request.timeout) as client,
            client.stream(
                request.method,
                url,
                headers=headers,
                content=request.body,
                extensions={"sni_hostname": target.host},
            ) as response,
        ):
            body = await _read(response, request.limit)
            return _answer(target.url, response.status_code, response.headers, body)
    except Error:
        raise
    except httpx2.TimeoutException as error:
        raise Timeout(f"no answer from `{target.host}` in time", retryable=True) from error
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError) as error:
        raise Unavailable(
            f"`{target.host}` can not be reached: {error or type(error).__name__}", retryable=True
        ) from error


async def _read(response: httpx2.Response, limit: int) -> bytes:
    body = bytearray()
    async for chunk in response.aiter_raw():
        body += chunk
        if len(body) > limit:
            raise Invalid(
                f"the answer is larger than {limit} bytes: ask for less, or with a larger "
                "`max_response_body` where the caller may have more"
            )
    return bytes(body)


def _answer(url: str, status: int, headers: Mapping[str, str], body: bytes) -> dict[str, Value]:
    named: dict[str, Value] = {_title(name): value for name, value in headers.items()}
    cookies: dict[str, Value] = {}
    cookie = named.get("Set-Cookie")
    if isinstance(cookie, str):
        name, _, value = cookie.split(";", 1)[0].partition("=")
        cookies[name.strip()] = value.strip()
    try:
        text: Value = body.decode("utf-8")
    except UnicodeDecodeError:
        text = body
    return {
        "status_code": status,
        "url": url,
        "headers": named,
        "cookies": cookies,
        "body": text,
        "body_size": len(body),
    }


def _header(answer: Mapping[str, Value], name: str) -> str:
    headers = answer.get("headers")
    value = headers.get(name) if isinstance(headers, dict) else None
    return value if isinstance(value, str) else ""


def _title(name: str) -> str:
    return "-".join(part.capitalize() for part in name.split("-"))
