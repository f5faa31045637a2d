"""The frames between the host and a jailed child: few kinds, fixed shapes, each bounded before it is decoded.

A frame is one byte for its kind, four for the length of its body, and the body, a packed list of the fields
in the order of the class. A child names nothing but a call's number, a command's name and its arguments:
task, entry and context are the host's own record. What breaks a rule is a `BrokenFrame`, and the child that
sent it is killed.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any, NamedTuple

from runtime.core.errors import Error, Invalid
from runtime.core.values import Value
from runtime.core.wire import MAX_BYTES, pack, unpack

HEADER = struct.Struct(">BI")
MAX_NAME = 100
MAX_SETUP = 64 * 1024
MAX_READY = 4096


class BrokenFrame(Invalid):
    """The other side sent bytes that are no frame that it may send now."""


class FrameTooLarge(BrokenFrame):
    """A frame of kind `sent` says that it holds more bytes than are taken; its body was not read."""

    def __init__(self, frame: type[Any], length: int, most: int) -> None:
        super().__init__(
            f"a {frame.__name__} frame holds {length} bytes: at most {most} are taken",
            details={"bytes": length, "most": most},
        )
        self.sent = frame
        self.length = length
        self.most = most


class Setup(NamedTuple):
    """Host to child, first: load `modules`, those of `late` whole, and put up the nets with `limits`.

    All of it is the host's own word: nothing here was written by a program.
    """

    modules: list[Any]
    late: list[Any]
    limits: dict[str, Value]


class Run(NamedTuple):
    """Host to child, once it is ready: run `program`, which is plain data, with `args`.

    `values` are those of the module `ctx`, `info` is what the module `process` tells.
    """

    program: dict[str, Value]
    args: list[Any]
    values: dict[str, Value]
    info: dict[str, Value]


class Reply(NamedTuple):
    """Host to child: the results of call `number`, or its error."""

    number: int
    results: list[Any]
    error: Error | None


class Ready(NamedTuple):
    """Child to host: all is loaded and the nets are up; `nets` are those on, `off` why others are not."""

    nets: list[Any]
    off: dict[str, Value]


class Call(NamedTuple):
    """Child to host: a command that wants an answer."""

    number: int
    name: str
    args: list[Any]


class Cast(NamedTuple):
    """Child to host: a command that wants no answer, such as a line for the log."""

    name: str
    args: list[Any]


class Exit(NamedTuple):
    """Child to host: the program has ended with `value`, or with `error`; nothing follows."""

    value: Any
    error: Error | None


Frame = Setup | Run | Reply | Ready | Call | Cast | Exit
FromHost = Setup | Run | Reply
FromChild = Ready | Call | Cast | Exit

_KINDS: tuple[type[Frame], ...] = (Setup, Run, Reply, Ready, Call, Cast, Exit)
_NUMBERS = {cls: number for number, cls in enumerate(_KINDS, 1)}
_SHAPES: dict[type[Frame], tuple[type | tuple[type, ...], ...]] = {
    Setup: (list, list, dict),
    Run: (dict, list, dict, dict),
    Reply: (int, list, (Error, type(None))),
    Ready: (list, dict),
    Call: (int, str, list),
    Cast: (str, list),
    Exit: (object, (Error, type(None))),
}

Bounds = Mapping[type[Frame], int]
"""The kinds that one side may send, each with the most bytes that its body may hold."""

FROM_HOST: Bounds = {Setup: MAX_SETUP, Run: MAX_BYTES, Reply: MAX_BYTES}


def from_child(*, argument_bytes: int, output_bytes: int) -> Bounds:
    """Return what a child may send."""
    return {Ready: MAX_READY, Call: argument_bytes, Cast: argument_bytes, Exit: output_bytes}


def encode(frame: Frame) -> bytes:
    """Return the bytes of `frame`; raise Invalid when a field is no plain data or too large."""
    body = pack(list(frame))
    return HEADER.pack(_NUMBERS[type(frame)], len(body)) + body


def read_header(header: bytes, bounds: Bounds) -> tuple[type[Frame], int]:
    """Return (kind, length of the body) of a header; raise BrokenFrame for what is not within `bounds`."""
    number, length = HEADER.unpack(header)
    cls = _KINDS[number - 1] if 1 <= number <= len(_KINDS) else None
    if cls is None or cls not in bounds:
        raise BrokenFrame(f"a frame of kind {number} is not expected here")
    if length > bounds[cls]:
        raise FrameTooLarge(cls, length, bounds[cls])
    return cls, length


def decode(cls: type[Frame], body: bytes) -> Frame:
    """Return the frame of `body`; raise BrokenFrame when it has not exactly the shape of its kind."""
    try:
        fields = unpack(body)
    except Error as error:
        raise BrokenFrame(f"a {cls.__name__} frame can not be read: {error.message}") from error
    if not isinstance(fields, list) or not _fits(fields, _SHAPES[cls]):
        raise BrokenFrame(f"a {cls.__name__} frame has not the fields of its kind")
    return cls(*fields)


def _fits(fields: list[object], shape: tuple[type | tuple[type, ...], ...]) -> bool:
    if len(fields) != len(shape):
        return False
    for field, kind in zip(fields, shape, strict=True):
        if not isinstance(field, kind) or (kind is int and isinstance(field, bool)):
            return False
        if kind is str and len(str(field)) > MAX_NAME:
            return False
    return True
