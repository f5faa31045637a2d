"""A byte inside a Lua state that another thread may set: the one thing that stops Lua from outside.

The byte is the tag of a boolean, held by a closed upvalue of the kernel, which stays where it is as long as
its state. Setting it makes `false` into `true` and changes nothing else, at whatever moment. It is found by
comparing: a state in which exactly one byte changes when Lua sets the boolean, and in which Lua sees the byte
that is set from here, has a bell; any other one has none, and arms hooks.
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable
from typing import Any

from runtime.lua.mark import Door, Mark, find_mark

_BYTES = 40  # of an upvalue with 64-bit pointers; with shorter ones it is smaller
TICK_SECONDS = 0.01

Look = Callable[[bool | None], tuple[bytes, bool]]
"""The kernel's door: sets the boolean unless the argument is None, returns its address and what it is."""


class Bell:
    """The bell of one state, which `anchor` keeps alive."""

    def __init__(self, anchor: Any, address: int, rung: int) -> None:
        self._anchor = anchor
        self._byte = ctypes.c_ubyte.from_address(address)
        self._rung = rung

    def ring(self) -> None:
        """From any thread: have what runs look at the clock, at its next loop or call."""
        self._byte.value = self._rung


def find_bell(anchor: Any, door: Look) -> Bell | None:
    """Return the bell behind `door`, None where it can not be told for sure."""
    address = int(door(False)[0], 16)
    before = ctypes.string_at(address, _BYTES)
    door(True)
    after = ctypes.string_at(address, _BYTES)
    door(False)
    changed = [at for at in range(_BYTES) if before[at] != after[at]]
    if len(changed) != 1:
        return None
    bell = Bell(anchor, address + changed[0], after[changed[0]])
    bell.ring()
    heard = door(None)[1]
    door(False)
    return bell if heard and not door(None)[1] else None


class Watch:
    """A thread that rings the bells of states that run, each ten milliseconds; it sleeps when none does."""

    def __init__(self) -> None:
        self._running: dict[Bell, float] = {}
        self._wanted = threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def find(self, anchor: Any, door: Look) -> Bell | None:
        """Return the bell behind `door` (see `find_bell`)."""
        return find_bell(anchor, door)

    def find_mark(self, anchor: Any, door: Door) -> Mark | None:
        """Return the mark behind `door` (see `mark`)."""
        return find_mark(anchor, door)

    def enter(self, bell: Bell) -> None:
        """Ring `bell` from a tick after now on."""
        self._running[bell] = time.monotonic()
        if not self._wanted.is_set():
            self._wanted.set()
            if self._thread is None:
                self._start()

    def leave(self, bell: Bell) -> None:
        """Ring it no more."""
        self._running.pop(bell, None)

    def _start(self) -> None:
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="lua watch", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        pause = threading.Event()
        while True:
            self._wanted.wait()
            pause.wait(TICK_SECONDS)
            running, now = self._running.copy(), time.monotonic()  # whole, whoever comes or goes
            for bell, since in running.items():
                if now - since > TICK_SECONDS / 2:
                    bell.ring()
            if not running:
                self._wanted.clear()
                if self._running:  # one came in between
                    self._wanted.set()


WATCH = Watch()
"""The one of this process."""
