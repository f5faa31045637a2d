"""The module `http_client`: what reaches the host is checked, and batches keep their order."""

from __future__ import annotations

from typing import Any

import pytest
from module_host import ModuleHost, given, run

from runtime.core.errors import NotFound

RESPONSE = {"status_code": 200, "url": "u", "body": "b", "body_size": 1, "headers": {"A": "x"}, "cookies": {}}


def test_http_requests_carry_method_address_and_checked_options() -> None:
    host = ModuleHost({"http_client.request": lambda _: RESPONSE})
    body = """
    local response = http_client.post("http://a.b/", {
      headers = { A = "1", N = 2 }, query = { q = "x" }, body = "text", timeout = "1m30s", stream = false,
      follow_redirects = false, max_response_body = 100,
    })
    http_client.get("http://a.b/") http_client.request("propfind", "http://a.b/", { timeout = 2.5 })
    return { response.status_code, response.headers.A }
    """
    assert run(body, "http_client", host) == [200, "x"]
    assert [args[0] for _, args in given(host)] == [
        {
            "method": "POST",
            "url": "http://a.b/",
            "options": {
                "headers": {"A": "1", "N": "2"},
                "query": {"q": "x"},
                "body": "text",
                "timeout": 90,
                "follow_redirects": False,
                "max_response_body": 100,
            },
        },
        {"method": "GET", "url": "http://a.b/", "options": {}},
        {"method": "PROPFIND", "url": "http://a.b/", "options": {"timeout": 2.5}},
    ]


@pytest.mark.parametrize(
    ("call", "part"),
    [
        ('http_client.get("http://a", { stream = true })', "`stream` is not available"),
        ('http_client.get("http://a", { files = {} })', "`files` is not available"),
        ('http_client.get("http://a", { tls = { insecure_skip_verify = true } })', "`tls` is not available"),
        ('http_client.get("http://a", { retries = 3 })', "unknown option `retries`"),
        ('http_client.get("http://a", { body = {} })', "must be a string"),
        ('http_client.get("http://a", { headers = { A = {} } })', "value of `A`"),
        ('http_client.get("http://a", { headers = { "A" } })', "keys must be strings"),
        ('http_client.get("http://a", { timeout = "soon" })', "invalid duration"),
        ('http_client.get("http://a", { timeout = -1 })', "timeout"),
        ('http_client.get("")', "URL"),
        ("http_client.get(nil)", "URL"),
        ('http_client.request("G ET", "http://a")', "method"),
        ('http_client.get("http://a", "x")', "options must be a table"),
        ('http_client.decode_uri("%zz")', "invalid URL escape `%zz`"),
    ],
)
def test_http_options_that_are_wrong_never_reach_the_host(call: str, part: str) -> None:
    host = ModuleHost()
    kind, message = run(
        f"local v, err = {call} assert(v == nil) return {{ err:kind(), err:message() }}", "http_client", host
    )
    assert kind == "Invalid"
    assert part in message
    assert host.commands == []


def test_a_batch_runs_at_once_and_keeps_its_order() -> None:
    def answer(request: dict[str, Any]) -> Any:
        if request["url"].endswith("2"):
            raise NotFound("no such host")
        return {**RESPONSE, "url": request["url"]}

    host = ModuleHost({"http_client.request": answer})
    body = """
    local responses, errs = http_client.request_batch({
      { "GET", "u1" }, { "POST", "u2", { body = "x" } }, { "GET", "u3" },
    })
    local fine, none = http_client.request_batch({ { "GET", "u1" } })
    return { responses[1].url, responses[2], responses[3].url, errs[1], errs[2]:kind(), fine[1].url,
      none == nil }
    """
    assert run(body, "http_client", host) == ["u1", False, "u3", False, "NotFound", "u1", True]


def test_query_escapes_go_both_ways() -> None:
    body = """
    return { http_client.encode_uri("a b&c=\u00e9/"), http_client.decode_uri("a+b%26c%3D%C3%A9%2F") }
    """
    assert run(body, "http_client", ModuleHost()) == ["a+b%26c%3D%C3%A9%2F", "a b&c=\u00e9/"]
