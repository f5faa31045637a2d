"""Every hop of a request against real servers: where it may lead, and how much and how long it may take."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from runtime.core.errors import Error, Invalid, PermissionDenied, Timeout, Unavailable
from runtime.security.guard import Denial
from runtime.services.documentation import Documentation
from runtime.services.http import HttpService, read_request
from tests.services.loopback import Answer, guard_of, serving

REQUESTS = ("allow", "http_client.request", "*")
LOOPBACK = ("allow", "http_client.private_ip", "127.0.0.1")
ANY = [REQUESTS, LOOPBACK]
Rules = list[tuple[str, str, str]]


class Names(asyncio.SelectorEventLoop):
    """An event loop that knows other names: each look-up of one takes its next answer."""

    def __init__(self, answers: dict[str, list[list[str]]]) -> None:
        super().__init__()
        self.answers = answers
        self.asked: list[str] = []

    async def getaddrinfo(self, host: Any, port: Any, **options: Any) -> Any:
        if host in self.answers:
            self.asked.append(host)
            found = self.answers[host].pop(0)
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in found]
        return await super().getaddrinfo(host, port, **options)


def fetch(
    rules: Rules,
    url: str,
    options: dict[str, Any] | None = None,
    *,
    loop: asyncio.AbstractEventLoop | None = None,
    denials: list[Denial] | None = None,
) -> dict[str, Any]:
    guard, context = guard_of(rules, denials)
    service = HttpService(guard, Documentation({}))
    with asyncio.Runner(loop_factory=(lambda: loop) if loop else None) as runner:
        return runner.run(service.request(context, read_request("GET", url, options or {})))


@contextmanager
def talking(talk: Callable[[socket.socket], None], address: str = "127.0.0.1") -> Iterator[int]:
    """Yield the port of a server that says to each who connects what `talk` says, at any length."""
    server = socket.create_server((address, 0))

    def serve() -> None:
        with suppress(OSError):
            while True:
                connection, _ = server.accept()
                with connection, suppress(OSError):
                    connection.recv(65536)
                    talk(connection)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield server.getsockname()[1]
    finally:
        server.shutdown(socket.SHUT_RDWR)
        server.close()
        thread.join(10)


def leading_to(location: str) -> Callable[[BaseHTTPRequestHandler], Answer]:
    return lambda _request: (302, {"Location": location}, b"")


DISGUISES = [
    *(
        "167772161",
        "0x0a000001",
        "012.0.0.1",
        "01200000001",
        "10.1",
        "10.0.1",
        "[::ffff:a00:1]",
        "[::ffff:10.0.0.1]",
    ),
    *("[fd00::1]", "[64:ff9b::a00:1]", "169.254.169.254", "0.0.0.0", "[::]"),
]


@pytest.mark.parametrize("host", DISGUISES)
def test_a_redirect_to_a_private_address_is_refused_in_every_disguise(host: str) -> None:
    denials: list[Denial] = []
    with (
        serving(leading_to(f"http://{host}:9/")) as port,
        pytest.raises(PermissionDenied, match="private_ip"),
    ):
        fetch(ANY, f"http://127.0.0.1:{port}/", denials=denials)
    assert [denial.action for denial in denials] == ["http_client.private_ip"]


@pytest.mark.parametrize(
    ("location", "error"),
    [
        ("file:///etc/passwd", Invalid),
        ("gopher://127.0.0.1/", Invalid),
        ("//user:secret@127.0.0.1:9/", Invalid),
        ("http://127.0.0.1:9/a b", Invalid),
    ],
)
def test_a_redirect_that_misleads_is_refused_and_tells_no_credentials(
    location: str, error: type[Error]
) -> None:
    with serving(leading_to(location)) as port, pytest.raises(error) as refused:
        fetch(ANY, f"http://127.0.0.1:{port}/")
    assert "secret" not in str(refused.value)


def test_the_address_that_was_checked_is_the_one_connected_to() -> None:
    hosts: list[str] = []

    def checked(request: BaseHTTPRequestHandler) -> Answer:
        hosts.append(request.headers["Host"])
        return 200, {}, b"checked"

    with serving(checked) as port:
        names = Names({"changing.example": [["127.0.0.1"], ["127.0.0.2"], ["127.0.0.3"]]})
        found = fetch(ANY, f"http://changing.example:{port}/", loop=names)
        assert found["body"] == "checked"
        assert names.asked == ["changing.example"], "it is looked up once"
        assert hosts == [f"changing.example:{port}"]


def test_each_hop_is_looked_up_and_checked_anew() -> None:
    with serving(leading_to("/again")) as port:
        names = Names({"changing.example": [["127.0.0.1"], ["127.0.0.2"]]})
        with pytest.raises(PermissionDenied, match=r"private_ip on `127\.0\.0\.2`"):
            fetch(ANY, f"http://changing.example:{port}/", loop=names)


def test_one_private_address_among_public_ones_is_enough_to_refuse() -> None:
    names = Names({"mixed.example": [["93.184.216.34", "10.0.0.1"]]})
    with pytest.raises(PermissionDenied, match=r"10\.0\.0\.1"):
        fetch([REQUESTS], "http://mixed.example/", loop=names)


def test_proxies_of_the_environment_are_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = threading.Event()

    def proxy(_connection: socket.socket) -> None:
        asked.set()

    with talking(proxy) as elsewhere, serving(lambda _request: (200, {}, b"direct")) as port:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{elsewhere}")
        assert fetch(ANY, f"http://127.0.0.1:{port}/")["body"] == "direct"
    assert not asked.is_set()


def endless_body(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        connection.sendall(b"1000\r\n" + b"x" * 4096 + b"\r\n")


def endless_header(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    while True:
        connection.sendall(b"X-More: " + b"y" * 4096 + b"\r\n")


def too_long_a_body(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n" + b"x" * 100_000)


def test_a_stream_without_end_is_cut_at_the_limit() -> None:
    with talking(endless_body) as port, pytest.raises(Invalid, match="larger than 100000 bytes"):
        fetch(ANY, f"http://127.0.0.1:{port}/", {"max_response_body": 100_000})


def test_headers_without_end_are_no_answer() -> None:
    with talking(endless_header) as port, pytest.raises(Unavailable):
        fetch(ANY, f"http://127.0.0.1:{port}/", {"timeout": "20s"})


def test_no_more_is_taken_than_was_announced() -> None:
    with talking(too_long_a_body) as port:
        try:
            assert fetch(ANY, f"http://127.0.0.1:{port}/")["body_size"] == 10
        except Unavailable:
            return  # who breaks the rules may be refused as a whole


def test_a_stream_that_drips_ends_at_the_time_of_the_request() -> None:
    over = threading.Event()

    def drip(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
        while not over.wait(0.02):
            connection.sendall(b"x")

    with talking(drip) as port:
        started = time.monotonic()
        with pytest.raises(Timeout):
            fetch(ANY, f"http://127.0.0.1:{port}/", {"timeout": "300ms"})
        over.set()
        assert time.monotonic() - started < 5


def test_redirects_share_the_time_of_one_request() -> None:
    release = threading.Event()

    def slow(_request: BaseHTTPRequestHandler) -> Answer:
        release.wait(0.15)
        return 302, {"Location": "/again"}, b""

    with serving(slow) as port, pytest.raises(Timeout):
        fetch(ANY, f"http://127.0.0.1:{port}/", {"timeout": "400ms"})


def test_what_is_packed_comes_as_it_is_and_is_never_blown_up() -> None:
    import gzip

    bomb = gzip.compress(b"\0" * 5_000_000)

    with serving(lambda _request: (200, {"Content-Encoding": "gzip"}, bomb)) as port:
        found = fetch(ANY, f"http://127.0.0.1:{port}/", {"max_response_body": len(bomb)})
    assert found["body"] == bomb
