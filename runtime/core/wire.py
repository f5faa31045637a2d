"""The one byte format in which values cross between the host, a Lua state and a child process: MessagePack.

The sender tags its strings: valid UTF-8 as text, which arrives as `str`, anything else as binary, which
arrives as `bytes`. An error crosses as extension type 1 whose body is the packed map of `Error.to_value`; no
other extension is used. Integers are those of Lua, signed and of 64 bits. Whatever is decoded is bounded in
size, number of values and depth, so hostile bytes raise Invalid and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

import msgpack

from runtime.core.bounds import MAX_DEPTH, MAX_NODES, check_bounds, locate
from runtime.core.errors import Error, Invalid, from_value
from runtime.core.values import Value, is_unicode

ERROR_TYPE = 1
MAX_BYTES = 16 * 1024 * 1024
MAX_ITEMS = 200_000
MAX_ERRORS = 8
"""How deep errors may hold errors in their details."""

Wire = Value | Error

_Container = TypeVar("_Container", list[object], dict[object, object])
_UINT64 = b"\xcf"
_READ_FAILURES = (ValueError, TypeError, RecursionError, MemoryError, msgpack.exceptions.UnpackException)


def pack(value: object) -> bytes:
    """Return `value` (plain data, errors allowed anywhere) as bytes; raise Invalid where it is no data."""
    check_bounds(value)
    try:
        packed = bytes(msgpack.packb(value, default=_default, use_bin_type=True))
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise Invalid(f"value can not cross to Lua: {locate(value, _fault) or error}") from error
    if len(packed) > MAX_BYTES:
        raise Invalid(f"value of {len(packed)} bytes is over the limit of {MAX_BYTES}")
    if _UINT64 in packed and (reason := locate(value, _fault)):
        raise Invalid(f"value can not cross to Lua: {reason}")
    return packed


def unpack(data: bytes) -> object:
    """Return the value of `data`; raise Invalid when it is too large, too deep or not of the format."""
    if len(data) > MAX_BYTES:
        raise Invalid(f"value of {len(data)} bytes is over the limit of {MAX_BYTES}")
    try:
        return _Reader(len(data)).read(data)
    except Error:
        raise
    except _READ_FAILURES as error:
        raise Invalid(f"value can not be read: {str(error) or type(error).__name__}") from error


class _Reader:
    """Decodes one message; the errors inside it are messages of their own that share its bounds."""

    def __init__(self, size: int) -> None:
        self._nodes = 0
        self._errors = 0
        # Every value takes a byte at least, so only a message longer than the bound can hold too many.
        self._hook: Callable[[_Container], _Container] | None = self._count if size > MAX_NODES else None

    def read(self, data: bytes) -> object:
        value: object = msgpack.unpackb(
            data,
            raw=False,
            unicode_errors="strict",
            strict_map_key=False,
            ext_hook=self._extension,
            object_hook=self._hook,
            list_hook=self._hook,
            max_array_len=MAX_ITEMS,
            max_map_len=MAX_ITEMS,
            timestamp=1,  # the format's own extension, decoded before ours is asked: a plain float
        )
        if len(data) > MAX_DEPTH:
            check_bounds(value)
        return value

    def _count(self, container: _Container) -> _Container:
        self._nodes += len(container) + 1
        if self._nodes > MAX_NODES:
            raise Invalid(f"value holds more than {MAX_NODES} values")
        return container

    def _extension(self, code: int, body: bytes) -> object:
        if code != ERROR_TYPE:
            raise ValueError(f"unknown extension type {code}")
        if self._errors >= MAX_ERRORS:
            raise ValueError(f"errors hold errors deeper than {MAX_ERRORS} levels")
        self._errors += 1
        try:
            value = self.read(body)
        finally:
            self._errors -= 1
        if not isinstance(value, dict):
            raise ValueError("an error is not a map")
        return from_value(value)


def _default(item: object) -> object:
    if isinstance(item, Error):
        return msgpack.ExtType(ERROR_TYPE, msgpack.packb(item.to_value(), default=_default))
    if isinstance(item, Mapping):  # frozen views of entries
        return dict(item)
    raise TypeError(f"`{type(item).__name__}` is not plain data")


def _fault(item: object) -> str | None:
    """Return why `item` itself, not what it holds, can not cross."""
    if isinstance(item, int) and not -(2**63) <= item < 2**63:
        return "an integer outside the 64 bits of Lua"
    if isinstance(item, str):
        return None if is_unicode(item) else "a string that is no valid unicode"
    if isinstance(item, Mapping):
        return next((reason for key in item if (reason := _fault(key))), None)
    if item is None or isinstance(item, bool | int | float | bytes | list | tuple | Error):
        return None
    return f"`{type(item).__name__}` is not plain data"
