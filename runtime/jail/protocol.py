"""The frames between the host and a jailed child: few kinds, fixed shapes, each bounded before it is decoded.

A frame is one byte for its kind, four for the length of its body, and the body. What a child sends is a
packed list of the fields in the order of the class. It names nothing but a call's number, a command's name
and its arguments: task, entry and context are the host's own record. What breaks a rule is a `BrokenFrame`,
and the child that sent it is killed. What the host sends can be used where nothing is loaded (see `frames`).
"""

from __future__ import annotations

import marshal
from collections.abc import Mapping
from typing import Any, NamedTuple

from runtime.core.errors import Error, Invalid
from runtime.core.values import Value
from runtime.core.wire import pack, unpack
from runtime.jail import frames
from runtime.jail.frames import HEADER, TASK
from runtime.jail.limits import JailLimits
from runtime.lua import rows
from runtime.lua.program import Program

MAX_NAME = 100
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


Frame = Ready | Call | Cast | Exit

_KINDS: Mapping[int, type[Frame]] = {
    frames.READY: Ready,
    frames.CALL: Call,
    frames.CAST: Cast,
    frames.EXIT: Exit,
}
_NUMBERS = {cls: number for number, cls in _KINDS.items()}
_SHAPES: dict[type[Frame], tuple[type | tuple[type, ...], ...]] = {
    Ready: (list, dict),
    Call: (int, str, list),
    Cast: (str, list),
    Exit: (object, (Error, type(None))),
}

Bounds = Mapping[type[Frame], int]
"""The kinds that a child may send, each with the most bytes that its body may hold."""


def from_child(*, argument_bytes: int, output_bytes: int) -> Bounds:
    """Return what a child may send."""
    return {Ready: MAX_READY, Call: argument_bytes, Cast: argument_bytes, Exit: output_bytes}


def setup(limits: JailLimits, image: Any) -> bytes:
    """Return the first frame of the host: the limits, and the `image` of all that the child has loaded.

    All of it is the host's own word: nothing here was written by a program.
    """
    numbers = {
        "cpu": limits.cpu,
        "memory": limits.memory,
        "address_space": limits.address_space,
        "open_files": limits.open_files,
    }
    return frames.frame(frames.SETUP, marshal.dumps((numbers, image)))


def run(
    program: Program,
    args: list[Any],
    values: Mapping[str, Value],
    info: Mapping[str, Value],
    limits: JailLimits,
) -> bytes:
    """Return the frame that has a child run `program`, once it is ready; raise Invalid for what is no data.

    `values` are those of the module `ctx`, `info` is what the module `process` tells.
    """
    task = rows.spawn(
        TASK,
        TASK,
        args,
        values,
        info,
        running_seconds=limits.wall_clock,
        total_seconds=None,
        memory_bytes=limits.memory // 2,
    )
    return frames.frame(frames.RUN, rows.join([rows.program(program, TASK), task]))


def reply(number: int, results: list[Any], error: Error | None) -> bytes:
    """Return the frame that answers call `number`; raise Invalid for what is no data or too large."""
    return frames.frame(frames.REPLY, rows.reply(TASK, number, results, error))


def encode(frame: Frame) -> bytes:
    """Return the bytes of a child's frame; raise Invalid when a field is no plain data or too large."""
    return frames.frame(_NUMBERS[type(frame)], pack(list(frame)))


def read_header(header: bytes, bounds: Bounds) -> tuple[type[Frame], int]:
    """Return (kind, length of the body) of a header; raise BrokenFrame for what is not within `bounds`."""
    number, length = HEADER.unpack(header)
    cls = _KINDS.get(number)
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
