"""Random Python values: plain ones that cross as they are, and odd ones that must be refused in words."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

from runtime.core.errors import Error, Invalid, RateLimited, Timeout

EDGES: list[Any] = [
    *(
        None,
        "a" * 70000,
        True,
        False,
        0,
        -1,
        127,
        128,
        255,
        256,
        65535,
        65536,
        2**31,
        -(2**31) - 1,
        2**53 + 1,
    ),
    *(2**63 - 1, -(2**63), 0.0, -0.0, 1.0, 1e308, 5e-324, math.inf, -math.inf, 0.1),
    *("", "x", "\0", "é", "\U0010ffff", "a" * 31, "a" * 32, "a" * 255, "a" * 256, "a" * 700),
    *(b"\xff", b"\xc3\x28", b"\x80" * 300, b"\xed\xa0\x80", [], {}, [[]], [{}], {"": ""}, {"__index": 1}),
]
ODD: list[Any] = [
    *(
        2**63,
        2**64,
        -(2**63) - 1,
        10**400,
        "\ud800",
        {"\udfff": 1},
        {1: "a"},
        {None: 1},
        {2.5: 1},
        {b"\xff": 1},
    ),
    *(object(), print, len, {1, 2}, frozenset(), (1, 2), range(3), 1j, bytearray(b"x"), memoryview(b"x")),
    *(MappingProxyType({"a": 1}), type, Exception("secret"), iter([]), lambda: None, ..., NotImplemented),
    *(math.nan, [math.nan], {True: 1}, {(): 1}),
]


def plain(dice: random.Random, depth: int = 0) -> Any:
    """Return plain data with names of text and, since Lua has no such tables, without None in them."""
    if depth > 4 or dice.random() < 0.6:
        return dice.choice(EDGES[2 if depth else 0 :]) if dice.random() < 0.7 else _scalar(dice)
    size = dice.choice((0, 1, 2, 3) if depth else (0, 1, 2, 3, 15, 16, 17))
    if dice.random() < 0.5:
        return [plain(dice, depth + 1) for _ in range(size)]
    return {_text(dice): plain(dice, depth + 1) for _ in range(size)}


def odd(dice: random.Random) -> Any:
    """Return what may be anything: cyclic, deep, huge, no data at all, or plain data with such a part."""
    return dice.choice(_ODD_MAKERS)(dice)


def normal(value: Any) -> Any:
    """Return plain data as it arrives: bytes that are text as text, and -0.0 and 0.0 told apart."""
    if isinstance(value, list):
        return [normal(item) for item in value]
    if isinstance(value, dict):
        return {normal(key): normal(item) for key, item in value.items()}
    if isinstance(value, float):
        return "float", repr(value)
    return (type(value).__name__, value)


def _scalar(dice: random.Random) -> Any:
    match dice.randrange(5):
        case 0:
            return dice.randint(-(2**63), 2**63 - 1)
        case 1:
            return dice.uniform(-1e9, 1e9)
        case 2:
            return dice.randbytes(dice.randrange(40)) + b"\xff"
        case 3:
            return dice.random() < 0.5
        case _:
            return _text(dice)


def _text(dice: random.Random) -> str:
    letters = "abc \0\n\"'é\u2028{}$%" + chr(0x1F600)
    return "".join(dice.choice(letters) for _ in range(dice.randrange(12)))


def _cyclic(dice: random.Random) -> Any:
    value: list[Any] = [plain(dice)]
    value.append(value if dice.random() < 0.5 else {"back": value})
    return value


def _deep(dice: random.Random) -> Any:
    value: Any = plain(dice)
    for _ in range(dice.choice((60, 64, 65, 127, 128, 129, 500))):
        value = [value] if dice.random() < 0.8 else {"a": value}
    return value


def _repeated(dice: random.Random) -> Any:
    value: Any = [1]
    for _ in range(dice.randrange(5, 18)):
        value = [value, value]
    return value


def _huge(dice: random.Random) -> Any:
    return dice.choice((lambda: "x" * 5_000_000, lambda: [None] * 250_000, lambda: b"\xff" * 5_000_000))()


def _error(dice: random.Random) -> Any:
    error: Error = Invalid(_text(dice), details={"a": plain(dice)})
    for _ in range(dice.choice((0, 1, 7, 8, 9, 30))):
        error = dice.choice((Invalid, Timeout, RateLimited))("outer", details={"inner": error})
    return error


def _hidden(dice: random.Random) -> Any:
    inner = dice.choice(ODD)
    return dice.choice(([1, inner], {"a": inner}, [[[inner]]], inner))


_ODD_MAKERS: list[Callable[[random.Random], Any]] = [
    *([_hidden] * 8),
    *([_error] * 3),
    *([plain] * 3),
    *([_cyclic] * 2),
    *([_deep] * 2),
    _repeated,
]
HUGE = _huge
