"""Random bytes for both ends of the jail's protocol: frames that are right, and what becomes of them."""

from __future__ import annotations

import random
import struct
from typing import Any

from fuzz_values import plain

from runtime.core.errors import Error, Invalid
from runtime.core.wire import pack
from runtime.jail import protocol
from runtime.jail.frames import CALL, CAST, EXIT, READY, REPLY, RUN, SETUP, frame
from runtime.jail.level import REQUIRED
from runtime.jail.limits import JailLimits
from runtime.lua.program import Program

KINDS = (SETUP, RUN, REPLY, READY, CALL, CAST, EXIT, 0, 255)
LENGTHS = (0, 1, 5, 4096, 4097, 65536, 2**20, 2**20 + 1, 2**31, 2**32 - 1)
READY_FRAME = protocol.encode(protocol.Ready(list(REQUIRED), {}))
NAMES = ("env.get", "logger.print", "process.send", "x" * 100, "x" * 101, "", "\0", "env.get\n")


def from_child(dice: random.Random) -> bytes:
    """Return what a child may say, or what it may not, in any order and cut anywhere."""
    said = [READY_FRAME] if dice.random() < 0.9 else []
    said += [_frame(dice) for _ in range(dice.randrange(6))]
    if dice.random() < 0.1:
        dice.shuffle(said)
    return _damaged(b"".join(said), dice)


def from_host(program: Program, dice: random.Random) -> bytes:
    """Return what the host sends to a child that is ready, damaged."""
    data = protocol.run(program, [plain(dice)], {"request": "r"}, {"id": "a:b"}, JailLimits())
    data += b"".join(protocol.reply(number, [plain(dice)], None) for number in range(dice.randrange(3)))
    return _damaged(data, dice)


def _frame(dice: random.Random) -> bytes:
    if dice.random() < 0.3:
        return frame(dice.choice(KINDS), pack(_odd_fields(dice)))
    number = dice.choice((1, 1, 2, 3, 0, -1, 2**63 - 1))
    name: Any = dice.choice(NAMES)
    error: Error | None = Invalid("no", details={"a": 1}) if dice.random() < 0.3 else None
    return protocol.encode(
        dice.choice(
            (
                protocol.Call(number, name, [plain(dice)]),
                protocol.Cast(name, [plain(dice)]),
                protocol.Exit(None if error else plain(dice), error),
                protocol.Ready([], {}),
            )
        )
    )


def _odd_fields(dice: random.Random) -> Any:
    fields = [plain(dice) for _ in range(dice.randrange(5))]
    return dice.choice((fields, plain(dice), [True, "env.get", fields], [1, "env.get", fields, None]))


def _damaged(data: bytes, dice: random.Random) -> bytes:
    """Return `data` with some bytes changed, or as it is, or other bytes altogether."""
    if dice.random() < 0.15:
        return data
    if dice.random() < 0.1:
        return dice.randbytes(dice.randrange(200))
    changed = bytearray(data)
    for _ in range(dice.randrange(1, 4)):
        at = dice.randrange(len(changed) + 1)
        match dice.randrange(6):
            case 0:
                changed[at : at + 1] = dice.randbytes(1)
            case 1:
                del changed[at:]
            case 2:
                changed[at:at] = dice.randbytes(dice.randrange(1, 9))
            case 3:
                changed[at : at + dice.randrange(20)] = b""
            case 4:
                changed[at : at + 4] = struct.pack(">I", dice.choice(LENGTHS))
            case _:
                changed[at:at] = changed[at : at + dice.randrange(40)]
    return bytes(changed)
