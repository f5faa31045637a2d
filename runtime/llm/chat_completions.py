"""The driver for every server that speaks Chat Completions, on the `openai` package, always streaming.

The client is made at the first request and held to one address: it follows no redirect, and on loopback it
asks no proxy. The stream is read raw, because only so an end marker can be told from a broken connection.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import json
import sys
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from runtime.core.errors import Error, Unavailable
from runtime.core.redact import Redactor
from runtime.core.values import Value
from runtime.llm.endpoint import Endpoint
from runtime.llm.failures import from_exception, from_stream, no_completion, out_of_quota
from runtime.llm.request import Answer, Request
from runtime.llm.sse import read_events
from runtime.llm.stream import AnswerAssembler
from runtime.llm.wire_request import WireRequest, wire_request

if TYPE_CHECKING:
    import openai

CLIENT = "openai.resources.chat.completions"
CONNECT_TIMEOUT = 10.0  # seconds
DEFAULT_TIMEOUT = 600.0  # seconds without a byte; a reasoning model may be silent for minutes
DRAIN_TIMEOUT = 0.1  # seconds
MAX_RETRIES = 2
MAX_BODY = 16 * 1024 * 1024  # bytes of an answer that is not streamed
MAX_HEAD = 1024 * 1024  # bytes of a stream that is none


def warm_up() -> None:
    """Import the client on a thread, so that the first request does not wait for it."""
    if CLIENT not in sys.modules:
        threading.Thread(target=_import_client, name="warm-up", daemon=True).start()


class ChatCompletions:
    """Asks models at one endpoint; `provider` is the id of its entry, for the record.

    `max_retries` bounds how often a request that got no answer (network, 408, 409, 429, 5xx) is sent again.
    """

    def __init__(self, endpoint: Endpoint, provider: str, *, max_retries: int = MAX_RETRIES) -> None:
        self._endpoint = endpoint
        self._provider = provider
        self._max_retries = max_retries
        self._client: openai.AsyncOpenAI | None = None
        self._mask = Redactor()
        self._mask.learn(endpoint.key)

    async def generate(self, request: Request, on_chunk: Callable[[str], None]) -> Answer:
        """Return the model's answer; raise what `failures` makes of a refusal (see `Driver.generate`)."""
        client = await self._open()
        wire = wire_request(request)
        assembler = AnswerAssembler(on_chunk, self._mask)
        try:
            await self._run(client, wire, request, assembler)
        except Exception as error:
            if isinstance(error, Error) or not assembler.complete:
                raise from_exception(error, self._endpoint, request.provider_model) from error
        answer = assembler.answer(wire.names)
        answer.metadata.update(provider=self._provider, provider_model=request.provider_model, scripted=False)
        return answer

    async def close(self) -> None:
        """Close the connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _open(self) -> openai.AsyncOpenAI:
        if self._client is None:
            await asyncio.to_thread(_import_client)
            self._client = _client(self._endpoint, self._max_retries)
        return self._client

    async def _run(
        self, client: openai.AsyncOpenAI, wire: WireRequest, request: Request, assembler: AnswerAssembler
    ) -> None:
        import openai

        headers = {} if self._endpoint.key else {"Authorization": openai.Omit()}
        sending: Any = client.chat.completions.with_streaming_response
        timeout = _timeout(request.options.get("timeout"))
        async with sending.create(**wire.body, extra_headers=headers, timeout=timeout) as response:
            if "json" in response.headers.get("content-type", ""):
                self._whole(_parse(await _body(response)), request, assembler)
                return
            head = _Head(response.iter_bytes())
            async with aclosing(read_events(head.chunks())) as events:
                async for data in events:
                    if data.strip() == "[DONE]":
                        assembler.end()
                        await _drain(events)
                        return
                    chunk = _parse(data)
                    self._refuse(chunk, request)
                    assembler.feed(chunk)
            if not assembler.complete and (whole := head.value()) is not None:
                self._whole(whole, request, assembler)

    def _whole(self, chunk: Any, request: Request, assembler: AnswerAssembler) -> None:
        """Take a whole completion from a server that does not stream; it is complete because it parses."""
        self._refuse(chunk, request)
        if not isinstance(chunk, dict) or not chunk.get("choices"):
            raise no_completion(chunk, self._endpoint)
        assembler.feed(chunk)
        assembler.end()

    def _refuse(self, chunk: Any, request: Request) -> None:
        """Raise what the provider says went wrong, whatever the status of its answer was."""
        first = chunk[0] if isinstance(chunk, list) and chunk else chunk
        if isinstance(first, dict) and first.get("error"):
            raise from_stream(first["error"], self._endpoint, request.provider_model)


def _import_client() -> None:
    importlib.import_module(CLIENT)


def _client(endpoint: Endpoint, max_retries: int) -> openai.AsyncOpenAI:
    import openai

    return openai.AsyncOpenAI(
        # The client wants some key; where there is none its header is left out of each request.
        api_key=endpoint.key or "none",
        admin_api_key="",
        base_url=endpoint.base_url,
        max_retries=max_retries,
        http_client=openai.DefaultAsyncHttpxClient(
            follow_redirects=False,
            trust_env=not endpoint.loopback,
            timeout=_timeout(None),
            event_hooks={"response": [_give_up_without_quota]},
        ),
    )


async def _give_up_without_quota(response: Any) -> None:
    """Tell the client, in the header that it heeds, not to send again what was refused for good."""
    if response.status_code == 429:
        await response.aread()
        with contextlib.suppress(ValueError):
            body = json.loads(response.content)
            if out_of_quota(body.get("error") if isinstance(body, dict) else None):
                response.headers["x-should-retry"] = "false"


async def _drain(events: AsyncIterator[str]) -> None:
    """Read the last bytes after the end marker, so that the connection can be used again."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(DRAIN_TIMEOUT):
            async for _ in events:
                return  # nothing may follow: a server that goes on is cut off


def _timeout(seconds: Value) -> Any:
    import httpx2

    limit = seconds if isinstance(seconds, int | float) and seconds > 0 else DEFAULT_TIMEOUT
    return httpx2.Timeout(float(limit), connect=min(CONNECT_TIMEOUT, float(limit)))


async def _body(response: Any) -> str:
    body = bytearray()
    async for chunk in response.iter_bytes():
        body += chunk
        if len(body) > MAX_BODY:
            raise Unavailable(f"the provider's answer is larger than {MAX_BODY} bytes")
    return body.decode("utf-8", "replace")


class _Head:
    """Remembers a stream that does not begin as one: it may be a whole answer under another name."""

    def __init__(self, chunks: AsyncIterator[bytes]) -> None:
        self._chunks = chunks
        self._data = bytearray()

    async def chunks(self) -> AsyncGenerator[bytes, None]:
        async for chunk in self._chunks:
            if len(self._data) <= MAX_HEAD and self._may_be_json():
                self._data += chunk[: MAX_HEAD + 1]
            yield chunk

    def value(self) -> Any:
        """Return the JSON that the whole stream was, None where it was none."""
        if len(self._data) > MAX_HEAD or not self._may_be_json():
            return None
        try:
            return json.loads(self._data)
        except (ValueError, RecursionError):
            return None

    def _may_be_json(self) -> bool:
        return bytes(self._data.lstrip()[:1]) in (b"", b"{", b"[")


def _parse(data: str) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise Unavailable("the provider sent an event that is not valid JSON", retryable=True) from error
