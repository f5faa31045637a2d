"""The one byte format in which values cross between the host, a Lua state and a child process: MessagePack.

Strings that are valid UTF-8 arrive as `str`, others as `bytes`. An error crosses as extension type 1 whose
body is the packed map of `Error.to_value`. Whatever is decoded is bounded in size first and in depth by the
decoder, so hostile bytes raise Invalid and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgpack

from runtime.core.errors import Error, Invalid, from_value
from runtime.core.values import Value

ERROR_TYPE = 1
MAX_BYTES = 16 * 1024 * 1024
MAX_ITEMS = 200_000

Wire = Value | Error


def _default(item: object) -> object:
    if isinstance(item, Error):
        return msgpack.ExtType(ERROR_TYPE, msgpack.packb(item.to_value(), default=_default))
    if isinstance(item, Mapping):  # frozen views of entries
        return dict(item)
    raise TypeError(f"`{type(item).__name__}` is not plain data")


def _extension(code: int, body: bytes) -> object:
    if code == ERROR_TYPE:
        value = _unpack(body)
        if isinstance(value, dict):
            return from_value(value)
    raise ValueError(f"unknown extension type {code}")


def _unpack(data: bytes) -> object:
    return msgpack.unpackb(
        data,
        raw=False,
        unicode_errors="strict",
        strict_map_key=False,
        ext_hook=_extension,
        max_buffer_size=MAX_BYTES,
        max_array_len=MAX_ITEMS,
        max_map_len=MAX_ITEMS,
    )


def pack(value: object) -> bytes:
    """Return `value` (plain data, errors allowed anywhere) as bytes; raise Invalid where it is no data."""
    try:
        packed = msgpack.packb(value, default=_default, use_bin_type=True)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise Invalid(f"value can not cross to Lua: {error}") from error
    if len(packed) > MAX_BYTES:
        raise Invalid(f"value of {len(packed)} bytes is over the limit of {MAX_BYTES}")
    return bytes(packed)


def unpack(data: bytes) -> object:
    """Return the value of `data`; raise Invalid when it is too large, too deep or not of the format."""
    if len(data) > MAX_BYTES:
        raise Invalid(f"value of {len(data)} bytes is over the limit of {MAX_BYTES}")
    try:
        return _unpack(data)
    except Error:
        raise
    except (ValueError, TypeError, RecursionError, msgpack.exceptions.UnpackException) as error:
        raise Invalid(f"value can not be read: {error}") from error
