"""What providers and networks refuse: the kind by status, bounded retries, never a key in what is said."""

from __future__ import annotations

import asyncio
import socket
import threading
from typing import Any

import pytest

from runtime.core.errors import Error, Kind, Unavailable
from runtime.llm.chat_completions import MAX_RETRIES, ChatCompletions
from runtime.llm.endpoint import Endpoint
from runtime.llm.request import Answer, Request
from runtime.llm.sse import MAX_EVENT, read_events
from runtime.testing.scripted_model import ScriptedModel, Turn, refuse, say

KEY = "sk-test-0123456789abcdefghijklmnop"
MESSAGE: dict[str, Any] = {"role": "user", "content": [{"type": "text", "text": "hi"}]}


def ask(base_url: str, *, key: str = KEY, retries: int = 0, **options: Any) -> Answer | Error:
    async def run() -> Answer | Error:
        endpoint = Endpoint(base_url, "models.test", loopback=True, key=key)
        driver = ChatCompletions(endpoint, "wippy.llm.openai:provider", max_retries=retries)
        try:
            return await driver.generate(
                Request("app:gpt", "gpt", [MESSAGE], options=options), lambda _text: None
            )
        except Error as error:
            return error
        finally:
            await driver.close()

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("status", "code", "kind", "retryable", "fatal"),
    [
        (400, "invalid_request_error", Kind.INVALID, False, False),
        (401, "invalid_api_key", Kind.PERMISSION_DENIED, False, True),
        (403, "", Kind.PERMISSION_DENIED, False, True),
        (404, "model_not_found", Kind.NOT_FOUND, None, False),
        (408, "", Kind.TIMEOUT, True, False),
        (409, "", Kind.UNAVAILABLE, True, False),
        (422, "", Kind.INVALID, False, False),
        (429, "rate_limit_exceeded", Kind.RATE_LIMITED, True, False),
        (429, "insufficient_quota", Kind.RATE_LIMITED, False, True),
        (500, "", Kind.UNAVAILABLE, True, False),
        (503, "", Kind.UNAVAILABLE, True, False),
    ],
)
def test_a_status_decides_the_kind(
    status: int, code: str, kind: Kind, retryable: bool | None, fatal: bool
) -> None:
    with ScriptedModel([refuse(status, f"about {KEY}", code)]) as model:
        error = ask(model.base_url)
    assert isinstance(error, Error)
    assert (error.kind, error.retryable) == (kind, retryable)
    assert error.details.get("fatal", False) == fatal
    assert error.details["status"] == status
    assert "models.test" in error.message and KEY not in str(error.to_value())
    if fatal:
        assert "OPENAI_API_KEY" in error.message


def test_a_redirect_is_not_followed() -> None:
    with ScriptedModel([say("stolen")]) as other:
        turn = refuse(307, location=f"{other.base_url}/chat/completions")
        with ScriptedModel([turn]) as redirecting:
            error = ask(redirecting.base_url)
        assert isinstance(error, Unavailable) and "redirect" in error.message
        assert other.requests == []


def test_retries_are_bounded() -> None:
    quick = {"retry_after_ms": "1"}
    with ScriptedModel([refuse(503, **quick), refuse(429, **quick), say("at last")]) as model:
        answer = ask(model.base_url, retries=MAX_RETRIES)
        assert isinstance(answer, Answer) and answer.text == "at last"
    with ScriptedModel(lambda _body: refuse(503, **quick)) as model:
        assert isinstance(ask(model.base_url, retries=MAX_RETRIES), Unavailable)
        assert len(model.requests) == 1 + MAX_RETRIES


def test_a_refused_key_is_not_tried_again() -> None:
    with ScriptedModel(lambda _body: refuse(401)) as model:
        ask(model.base_url, retries=MAX_RETRIES)
        assert len(model.requests) == 1


def test_an_exhausted_quota_is_not_tried_again() -> None:
    with ScriptedModel(lambda _body: refuse(429, code="insufficient_quota", retry_after_ms="1")) as model:
        error = ask(model.base_url, retries=MAX_RETRIES)
        assert isinstance(error, Error) and error.details["fatal"]
        assert len(model.requests) == 1


def test_no_server_is_unavailable_and_says_where() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    error = ask(f"http://127.0.0.1:{port}/v1")
    assert isinstance(error, Unavailable) and error.retryable
    assert "models.test" in error.message and "OPENAI_BASE_URL" in error.message


def test_a_server_that_says_nothing_is_a_timeout() -> None:
    released = threading.Event()
    with ScriptedModel([Turn([released])]) as model:
        error = ask(model.base_url, timeout=0.2)
        released.set()
    assert isinstance(error, Error) and error.kind is Kind.TIMEOUT and error.retryable


def test_the_key_goes_in_the_header_and_without_a_key_there_is_none() -> None:
    with ScriptedModel([say("a"), say("b")]) as model:
        ask(model.base_url)
        ask(model.base_url, key="")
        sent = [request.headers.get("authorization") for request in model.requests]
    assert sent == [f"Bearer {KEY}", None]


def test_an_interrupted_request_leaves_the_driver_usable() -> None:
    first_seen, never = asyncio.Event(), threading.Event()

    async def run(base_url: str) -> str:
        driver = ChatCompletions(Endpoint(base_url, "models.test", loopback=True), "p", max_retries=0)
        request = Request("app:gpt", "gpt", [MESSAGE])
        task = asyncio.create_task(driver.generate(request, lambda _text: first_seen.set()))
        await asyncio.wait_for(first_seen.wait(), 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        answer = await driver.generate(request, lambda _text: None)
        await driver.close()
        return answer.text

    with ScriptedModel([Turn([{"content": "It is "}, never]), say("noon")]) as model:
        assert asyncio.run(run(model.base_url)) == "noon"
        never.set()


def test_a_chunk_is_delivered_before_the_next_one_is_sent() -> None:
    seen, order = threading.Event(), list[str]()

    async def run(base_url: str) -> None:
        driver = ChatCompletions(Endpoint(base_url, "models.test", loopback=True), "p", max_retries=0)

        def on_chunk(text: str) -> None:
            order.append(text)
            seen.set()

        await driver.generate(Request("app:gpt", "gpt", [MESSAGE]), on_chunk)
        await driver.close()

    steps = [{"content": "one "}, seen, lambda: order.append("(server goes on)"), {"content": "two"}]
    with ScriptedModel([Turn(steps)]) as model:
        asyncio.run(run(model.base_url))
    assert order == ["one ", "(server goes on)", "two"]


def _events(data: bytes, size: int) -> list[str]:
    async def chunks() -> Any:
        for start in range(0, len(data), size):
            yield data[start : start + size]

    async def run() -> list[str]:
        return [event async for event in read_events(chunks())]

    return asyncio.run(run())


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_events_are_the_same_wherever_the_bytes_are_cut(end: bytes) -> None:
    lines = [
        b": c",
        b"",
        b"event: x",
        b"data: one",
        b"",
        b"data:two",
        b"data: \xe2\x82\xac",
        b"",
        b"",
        b"data: [DONE]",
    ]
    data = end.join(lines) + end + end
    for size in range(1, len(data) + 1):
        assert _events(data, size) == ["one", "two\n\u20ac", "[DONE]"]


def test_an_event_without_its_end_is_none_and_one_without_bound_is_refused() -> None:
    assert _events(b"data: {}\n\ndata: {", 5) == ["{}"]
    with pytest.raises(Unavailable):
        _events(b"data: " + b"x" * MAX_EVENT + b"x", 1 << 20)
