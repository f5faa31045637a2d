"""What a child says and hears, as bytes: it has next to nothing loaded, so nothing here is imported for it.

A frame is one byte for its kind, four for the length of its body, and the body. What the host sends after the
setup are inputs of the Lua kernel, as they are; what the kernel puts out (see kernel/step.lua) holds the
fields of a frame packed already, and only its head is taken off. The host's side is `protocol`.
"""

from __future__ import annotations

import struct

TYPE_CHECKING = False  # without importing `typing` for it
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

HEADER = struct.Struct(">BI")
SETUP, RUN, REPLY, READY, CALL, CAST, EXIT = range(1, 8)
TASK = "task"
"""The name of the one task of a child, and of its program."""
ONE_ROW = b"\xdd\x00\x00\x00\x01"
"""The head of a packed list of one input."""

_COMMAND, _CAST, _EXITED = b"\x95\x00\xa4task", b"\x94\x01\xa4task", b"\x94\x02\xa4task"
_AT = len(_COMMAND)
_NUMBER = 9  # bytes of a packed unsigned number
_LENGTH = struct.Struct(">I")


def frame(kind: int, body: bytes) -> bytes:
    """Return the bytes of a frame."""
    return HEADER.pack(kind, len(body)) + body


def ready(state: Mapping[str, str]) -> bytes:
    """Return the frame that tells the nets: those on, and why each other one is off."""
    on = [_text(net) for net, why in state.items() if not why]
    off = [_text(net) + _text(why) for net, why in state.items() if why]
    counts = (b"\x92\xdd" + _LENGTH.pack(len(on)), b"\xdf" + _LENGTH.pack(len(off)))
    return frame(READY, counts[0] + b"".join(on) + counts[1] + b"".join(off))


def failed(message: str) -> bytes:
    """Return the frame that ends the call with an error of kind Internal."""
    return frame(EXIT, b"\x92\xc0" + _error("Internal", message))


def refused(kind: str, message: str) -> bytes:
    """Return the answer of a Python function that fails with an error."""
    return b"\x92\xc2" + _error(kind, message)


def said(output: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the kind and the bytes of the frames of what the kernel put out."""
    at, end = 0, len(output)
    while at < end:
        start = output[at : at + _AT]
        at += _AT
        if start == _COMMAND:
            kind, last = CALL, _after_text(output, at + _NUMBER)
            packed, after = _bytes(output, last)
            body = b"\x93" + output[at:last] + packed
        elif start == _CAST:
            kind, last = CAST, _after_text(output, at)
            packed, after = _bytes(output, last)
            body = b"\x92" + output[at:last] + packed
        elif start == _EXITED:
            kind = EXIT
            packed, after = _bytes(output, at + 1)
            body = b"\x92\xc0" + packed if output[at] == 0xC3 else b"\x92" + packed + b"\xc0"
        else:
            raise ValueError("the kernel put out what no kernel puts out")
        yield kind, frame(kind, body)
        at = after


def _after_text(data: bytes, at: int) -> int:
    head = data[at]
    return at + 5 + _LENGTH.unpack_from(data, at + 1)[0] if head == 0xDB else at + 1 + (head & 0x1F)


def _bytes(data: bytes, at: int) -> tuple[bytes, int]:
    end = at + 5 + _LENGTH.unpack_from(data, at + 1)[0]
    return data[at + 5 : end], end


def _text(text: str) -> bytes:
    data = text.encode("utf-8", "replace")
    return b"\xdb" + _LENGTH.pack(len(data)) + data


def _error(kind: str, message: str) -> bytes:
    body = b"\x82" + _text("kind") + _text(kind) + _text("message") + _text(message)
    return b"\xc9" + _LENGTH.pack(len(body)) + b"\x01" + body
