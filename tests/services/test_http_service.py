"""HTTP for Lua against real servers: every hop asks, sizes and times hold, and nothing leaks on the way."""

from __future__ import annotations

import asyncio
import threading
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from runtime.core.errors import Invalid, PermissionDenied, Timeout, Unavailable
from runtime.lua.dispatch import Caller
from runtime.security.guard import Denial
from runtime.services.documentation import Documentation, Page
from runtime.services.http import HttpService, read_request
from tests.services.loopback import Answer, guard_of, serving

PAGES = Documentation({"lua/core/time": Page("lua/core/time", "Time", "", "# Time")})
LOOPBACK = [("allow", "http_client.private_ip", "127.0.0.1")]


def fetch(
    rules: list[tuple[str, str, str]],
    method: str,
    url: str,
    options: dict[str, Any] | None = None,
    *,
    denials: list[Denial] | None = None,
    offline: bool = False,
) -> dict[str, Any]:
    guard, context = guard_of(rules, denials)
    service = HttpService(guard, PAGES, offline=offline)
    return asyncio.run(service.request(context, read_request(method, url, options or {})))


def echo(request: BaseHTTPRequestHandler) -> Answer:
    length = int(request.headers.get("Content-Length") or 0)
    body = request.rfile.read(length)
    text = f"{request.command} {request.path} {request.headers.get('X-Test', '')} {body.decode()}"
    return 200, {"Content-Type": "text/plain", "Set-Cookie": "a=b; Path=/"}, text.encode()


def test_a_request_that_policy_allows_is_answered_whole() -> None:
    with serving(echo) as port:
        url = f"http://127.0.0.1:{port}/a"
        found = fetch(
            [("allow", "http_client.request", f"http://127.0.0.1:{port}/*"), *LOOPBACK],
            "post",
            url,
            {"query": {"q": "x y"}, "headers": {"X-Test": "yes"}, "body": "hello"},
        )
    assert found["status_code"] == 200
    assert found["body"] == "POST /a?q=x+y yes hello"
    assert found["headers"]["Content-Type"] == "text/plain"
    assert found["cookies"] == {"a": "b"}
    assert found["body_size"] == len(found["body"])


def test_without_an_allow_nothing_is_sent_and_the_denial_is_told() -> None:
    denials: list[Denial] = []
    hits: list[str] = []

    def hit(request: BaseHTTPRequestHandler) -> Answer:
        hits.append(request.path)
        return 200, {}, b""

    with serving(hit) as port, pytest.raises(PermissionDenied):
        fetch(LOOPBACK, "GET", f"http://127.0.0.1:{port}/", denials=denials)
    assert hits == []
    assert [denial.action for denial in denials] == ["http_client.request"]


@pytest.mark.parametrize("host", ["127.0.0.1", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]", "localhost"])
def test_a_private_address_needs_its_own_allow_in_every_disguise(host: str) -> None:
    with serving(echo) as port, pytest.raises(PermissionDenied, match="private_ip"):
        fetch([("allow", "http_client.request", "http://*")], "GET", f"http://{host}:{port}/")


def test_a_redirect_is_checked_like_a_request_of_its_own() -> None:
    def away(_request: BaseHTTPRequestHandler) -> Answer:
        return 302, {"Location": "http://127.0.0.1:9/secret"}, b""

    with serving(away) as port:
        rules = [("allow", "http_client.request", f"http://127.0.0.1:{port}/*"), *LOOPBACK]
        with pytest.raises(PermissionDenied, match=r"127\.0\.0\.1:9"):
            fetch(rules, "GET", f"http://127.0.0.1:{port}/")


def test_credentials_do_not_follow_a_redirect_to_another_server() -> None:
    seen: list[list[str | None]] = []
    names = ("Authorization", "X-Api-Key", "Accept")

    def second(request: BaseHTTPRequestHandler) -> Answer:
        seen.append([request.headers.get(name) for name in names])
        return 200, {}, b"there"

    with serving(second) as other:

        def first(request: BaseHTTPRequestHandler) -> Answer:
            seen.append([request.headers.get(name) for name in names])
            return 307, {"Location": f"http://127.0.0.1:{other}/"}, b""

        with serving(first) as port:
            rules = [("allow", "http_client.request", "http://127.0.0.1:*"), *LOOPBACK]
            asked = {
                "auth": {"user": "u", "pass": "p"},
                "headers": {"X-Api-Key": "k", "Accept": "text/plain"},
            }
            found = fetch(rules, "GET", f"http://127.0.0.1:{port}/", asked)
    assert found["body"] == "there"
    assert seen == [["Basic dTpw", "k", "text/plain"], [None, None, "text/plain"]]


def test_a_circle_of_redirects_ends() -> None:
    with serving(lambda _request: (302, {"Location": "/again"}, b"")) as port:
        rules = [("allow", "http_client.request", "http://127.0.0.1:*"), *LOOPBACK]
        with pytest.raises(Unavailable, match="redirects"):
            fetch(rules, "GET", f"http://127.0.0.1:{port}/")


def test_too_large_an_answer_is_refused() -> None:
    with serving(lambda _request: (200, {}, b"x" * 5000)) as port:
        rules = [("allow", "http_client.request", "http://127.0.0.1:*"), *LOOPBACK]
        with pytest.raises(Invalid, match="larger than 1000"):
            fetch(rules, "GET", f"http://127.0.0.1:{port}/", {"max_response_body": 1000})


def test_a_server_that_does_not_answer_is_a_timeout() -> None:
    release = threading.Event()

    def never(_request: BaseHTTPRequestHandler) -> Answer:
        release.wait(20)
        return 200, {}, b""

    with serving(never) as port:
        rules = [("allow", "http_client.request", "http://127.0.0.1:*"), *LOOPBACK]
        try:
            with pytest.raises(Timeout):
                fetch(rules, "GET", f"http://127.0.0.1:{port}/", {"timeout": "200ms"})
        finally:
            release.set()


def test_the_documentation_is_answered_inside_the_process_after_the_same_check() -> None:
    url = "https://runtime.internal/path/en/lua/core/time"
    allowed = [("allow", "http_client.request", "https://runtime.internal/*")]
    assert fetch(allowed, "GET", url)["body"] == "# Time"
    denials: list[Denial] = []
    with pytest.raises(PermissionDenied):
        fetch([], "GET", url, denials=denials)
    assert denials[0].resource == url


def test_offline_opens_only_loopback_and_the_documentation() -> None:
    rules = [("allow", "http_client.*", "*")]
    with pytest.raises(Unavailable, match="offline"):
        fetch(rules, "GET", "http://192.0.2.1/", offline=True)
    with serving(echo) as port:
        assert fetch(rules, "GET", f"http://127.0.0.1:{port}/", offline=True)["status_code"] == 200


def test_nobody_listening_is_unavailable() -> None:
    rules = [("allow", "http_client.*", "*")]
    with pytest.raises(Unavailable):
        fetch(rules, "GET", "http://127.0.0.1:1/")


@pytest.mark.parametrize(
    "options",
    [
        {"stream": True},
        {"unix_socket": "/x"},
        {"tls": {}},
        {"heders": {}},
        {"timeout": "soon"},
        {"timeout": -1},
        {"headers": {"a": "b\r\nc: d"}},
        {"headers": [1]},
        {"body": {"a": 1}},
        {"max_response_body": "big"},
    ],
)
def test_a_malformed_option_is_refused_by_name(options: dict[str, Any]) -> None:
    with pytest.raises(Invalid, match="http_client"):
        read_request("GET", "http://127.0.0.1/", options)


@pytest.mark.parametrize(("origin", "most"), [("file", 10), ("module", 10), ("runtime", 2)])
def test_code_born_at_run_time_gets_less_of_one_answer(origin: str, most: int) -> None:
    size = most * 1024 * 1024

    def answer(request: BaseHTTPRequestHandler) -> Answer:
        return 200, {}, b"x" * (size + (request.path == "/more"))

    with serving(answer) as port:
        guard, context = guard_of([("allow", "http_client.request", "*"), *LOOPBACK])
        command = HttpService(guard, PAGES).handlers()["http_client.request"]
        caller = Caller("t", "app:test", origin=origin, context=context)

        def get(path: str) -> Any:
            options = {"max_response_body": 10**9}
            wanted = {"method": "GET", "url": f"http://127.0.0.1:{port}{path}", "options": options}
            return asyncio.run(command(caller, [wanted]))  # type: ignore[arg-type]

        assert get("/")["body_size"] == size
        with pytest.raises(Invalid, match=f"larger than {size} bytes"):
            get("/more")


@pytest.mark.parametrize("limit", [float("nan"), float("-inf"), -1, True, "1"])
def test_a_limit_that_is_no_number_of_bytes_is_refused(limit: Any) -> None:
    with pytest.raises(Invalid, match="max_response_body"):
        read_request("GET", "http://a/", {"max_response_body": limit})


def test_an_endless_limit_is_the_largest_there_is() -> None:
    assert read_request("GET", "http://a/", {"max_response_body": float("inf")}).limit == 10 * 1024 * 1024


def test_bytes_that_are_no_text_are_sent_as_they_are() -> None:
    given = read_request("POST", "http://a/", {"query": {"q": b"\xff"}, "form": {"f": b"\xff"}})
    assert (given.url, given.body) == ("http://a/?q=%FF", b"f=%FF")
    assert (
        read_request("GET", "http://a/", {"auth": {"user": b"\xff"}}).headers["Authorization"] == "Basic /zo="
    )
