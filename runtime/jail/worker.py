"""The program of a jailed child: one Lua state, two pipes, one task, and then the end.

It imports no more than it runs, puts up its nets before it reads what it runs, and knows nothing of the host:
what the task asks for goes out as a numbered call. Hooks are off, since the wall clock is outside. What the
host says before the nets are up is its own word, so that comes in Python's own format.
"""

from __future__ import annotations

import marshal
import os
import select
import sys
import time

from runtime.jail import nets
from runtime.jail.frames import EXIT, HEADER, ONE_ROW, REPLY, RUN, SETUP, failed, ready, refused, said
from runtime.lua.state import State, StateFailed

TYPE_CHECKING = False  # without importing `typing` for it
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from runtime.lua.state import Calls


class Pipe:
    """Frames over two descriptors, blocking."""

    def __init__(self, source: int, sink: int) -> None:
        self._source = source
        self._sink = sink

    def send(self, frames: bytes) -> None:
        """Write all of `frames`."""
        rest = memoryview(frames)
        while rest:
            rest = rest[os.write(self._sink, rest) :]

    def receive(self, kind: int) -> bytes:
        """Return the body of the next frame; end where it is not of `kind`."""
        found, length = HEADER.unpack(self._read(HEADER.size))
        if found != kind:
            raise ValueError(f"the host sent a frame of kind {found} in the place of {kind}")
        return self._read(length)

    def waits(self, seconds: float | None) -> bool:
        """Return whether a frame comes within `seconds` (None: for ever)."""
        return seconds is None or bool(select.select([self._source], [], [], seconds)[0])

    def _read(self, size: int) -> bytes:
        data = os.read(self._source, size)
        while len(data) < size:
            piece = os.read(self._source, size - len(data))
            if not piece:
                os._exit(1)  # the host is gone: nobody wants the answer
            data += piece
        return data


class NotLoaded:
    """Stands for the functions of modules that no source names: they are not there."""

    fault = no_room = refused("Internal", "a function of the runtime failed")

    def call(self, name: str, _packed: bytes) -> bytes:
        """Say so."""
        return refused("Unavailable", f"`{name}` was not loaded: write the name of its module in the source")


def main() -> None:
    """Run one program for the host at the other end of standard input and output."""
    sys.excepthook = complain
    pipe = Pipe(0, 1)
    limits, image = marshal.loads(pipe.receive(SETUP))
    kernel, names, modules, functions, late = image
    state = State(kernel, _calls(functions, late), memory_bytes=heap(limits), hooks=False)
    state.set_module_names(names)
    state.step(modules)
    serve(pipe, state, limits, nets.walls(forks=False))


def heap(limits: Mapping[str, Any]) -> int:
    """Return the bytes at which a task fails; the hard limit is twice that."""
    return int(limits["memory"]) // 2


def serve(pipe: Pipe, state: State, limits: Mapping[str, Any], walls: nets.State, spare: bytes = b"") -> None:
    """Put up the last nets, read the task, run it and answer; `spare` is run where there is time for it."""
    pipe.send(ready({**walls, **nets.seal(limits)}))
    if spare and not pipe.waits(0):
        state.step(spare)
    state.say = lambda output: pipe.send(b"".join(data for _, data in said(output)))
    try:
        _run(pipe, state, pipe.receive(RUN))
    except StateFailed as error:
        pipe.send(failed(f"the Lua state failed: {error}"))
    os._exit(0)  # an interpreter that winds up asks the system for more than is left


def _run(pipe: Pipe, state: State, inputs: bytes) -> None:
    """Go on until the process ends with the task."""
    while True:
        due, output = state.step(inputs)
        frames, kind = [], 0
        for kind, data in said(output):
            frames.append(data)
            if kind == EXIT:
                break  # nothing that follows it counts
        if frames:
            pipe.send(b"".join(frames))
        if kind == EXIT:
            return
        wait = None if due < 0 else max(0.0, due - time.monotonic())
        inputs = ONE_ROW + pipe.receive(REPLY) if pipe.waits(wait) else b""


def complain(kind: type[BaseException], error: BaseException, _trace: object) -> None:
    """Say what broke without looking for its source, since no file can be opened any more, and end."""
    os.write(2, f"{kind.__name__}: {error}\n".encode("utf-8", "replace"))
    os._exit(1)


def _calls(functions: list[str], late: list[str]) -> Calls:
    if not functions and not late:
        return NotLoaded()
    from runtime.jail.preload import load

    return load(functions, late)
