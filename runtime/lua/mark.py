"""A number inside a Lua state that another thread may read: which program runs there now.

While Lua is inside one call of C it answers nothing; this is how the host can say all the same whose code
that is. The number is the integer of a closed upvalue of the kernel, which stays where it is as long as its
state. It is found by comparing, as the bell is (see `bell`); it is read and never written from here.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

_BYTES, _WORD = 40, 8  # of an upvalue with 64-bit pointers; of a number
_TRIALS = (0x5A17_C0DE_0BAD_F00D, 0x0123_4567_89AB_CDEF)

Door = Callable[[int | None], tuple[bytes, int]]
"""The kernel's door: sets the number unless the argument is None, returns its address and what it is."""


class Mark:
    """The mark of one state, which `anchor` keeps alive."""

    def __init__(self, anchor: Any, address: int) -> None:
        self._anchor = anchor
        self._number = ctypes.c_int64.from_address(address)

    def read(self) -> int:
        """From any thread: return the number of the program that runs, 0 where none does."""
        return self._number.value


def find_mark(anchor: Any, door: Door) -> Mark | None:
    """Return the mark behind `door`, None where it can not be told for sure."""
    places: list[set[int]] = []
    address = 0
    for trial in _TRIALS:
        address = int(door(trial)[0], 16)
        words, number = ctypes.string_at(address, _BYTES), trial.to_bytes(_WORD, "little")
        places.append({at for at in range(0, _BYTES, _WORD) if words[at : at + _WORD] == number})
    door(0)
    found = places[0] & places[1]
    return Mark(anchor, address + found.pop()) if len(found) == 1 else None
