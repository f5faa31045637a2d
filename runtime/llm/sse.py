"""Server-sent events are read from bytes: lines end with CR, LF or both, wherever the chunks are cut.

Source: WHATWG HTML, section "server-sent events". Only the data of events is of use here. An event is
bounded, and one that the end of the stream cuts off is not an event.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, AsyncIterator

from runtime.core.errors import Unavailable

MAX_EVENT = 8 * 1024 * 1024  # bytes

_LINE_END = re.compile(rb"\r\n|\n|\r(?!\n)")


async def read_events(chunks: AsyncIterator[bytes]) -> AsyncGenerator[str, None]:
    """Yield the data of each event in `chunks`; raise Unavailable when one is larger than MAX_EVENT."""
    buffer = b""
    data: list[bytes] = []
    size = 0
    async for chunk in chunks:
        buffer += chunk
        lines, buffer = _split(buffer)
        for line in lines:
            if not line:
                if data:
                    yield _text(data)
                data, size = [], 0
                continue
            if (value := _data(line)) is not None:
                data.append(value)
                size += len(value)
        if size + len(buffer) > MAX_EVENT:
            raise Unavailable(f"the provider sent an event of more than {MAX_EVENT} bytes", retryable=True)
    if buffer.rstrip(b"\r\n") == b"data: [DONE]" or data == [b"[DONE]"]:
        yield "[DONE]"  # an end marker whose last line end is missing still marks the end


def _split(buffer: bytes) -> tuple[list[bytes], bytes]:
    """Return the complete lines and the rest; a CR at the very end waits, its LF may follow."""
    held = b""
    if buffer.endswith(b"\r"):
        buffer, held = buffer[:-1], b"\r"
    *lines, rest = _LINE_END.split(buffer)
    return lines, rest + held


def _data(line: bytes) -> bytes | None:
    name, _, value = line.partition(b":")
    return value.removeprefix(b" ") if name == b"data" else None


def _text(data: list[bytes]) -> str:
    return b"\n".join(data).decode("utf-8", "replace")
