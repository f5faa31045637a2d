"""The program of a jailed child: one Lua machine, two pipes, one task, and then the end.

It imports no more than it runs, sets its own limits before it runs anything, and knows nothing of the host:
what the task asks for goes out as a numbered call. Hooks are off, since the wall clock is outside.
"""

from __future__ import annotations

import importlib
import os
import select
import time
from typing import Any

from runtime.core.errors import Internal
from runtime.jail import nets
from runtime.jail.protocol import (
    FROM_HOST,
    HEADER,
    Call,
    Cast,
    Exit,
    Frame,
    Ready,
    Reply,
    Run,
    decode,
    encode,
    read_header,
)
from runtime.lua import messages
from runtime.lua.library import Library
from runtime.lua.machine import Machine, MachineLimits
from runtime.lua.program import Program

TASK = "task"


class _Pipe:
    """Frames over two descriptors, blocking."""

    def __init__(self, source: int, sink: int) -> None:
        self._source = source
        self._sink = sink

    def send(self, frame: Frame) -> None:
        data = memoryview(encode(frame))
        while data:
            data = data[os.write(self._sink, data) :]

    def receive(self) -> Frame:
        cls, length = read_header(self._read(HEADER.size), FROM_HOST)
        return decode(cls, self._read(length))

    def waits(self, seconds: float | None) -> bool:
        """Return whether a frame comes within `seconds` (None: for ever)."""
        return bool(select.select([self._source], [], [], seconds)[0])

    def _read(self, size: int) -> bytes:
        data = bytearray()
        while len(data) < size:
            piece = os.read(self._source, size - len(data))
            if not piece:
                os._exit(1)  # the host is gone: nobody wants the answer
            data += piece
        return bytes(data)


def main() -> None:
    """Run one program for the host at the other end of standard input and output."""
    pipe = _Pipe(0, 1)
    run = pipe.receive()
    if not isinstance(run, Run):
        raise Internal("the host did not begin with a program")
    limits: dict[str, Any] = dict(run.limits)
    on = nets.apply(limits)
    machine = Machine(
        Library(_modules(limits["modules"])),
        limits=MachineLimits(memory_bytes=limits["memory"] // 2, hooks=False),  # the hard limit is twice that
    )
    pipe.send(Ready([*on]))
    pipe.send(_run(machine, pipe, run, limits))


def _run(machine: Machine, pipe: _Pipe, run: Run, limits: dict[str, Any]) -> Exit:
    seconds = float(limits["seconds"])
    spawn = messages.Spawn(
        TASK,
        Program.from_value(run.program),
        tuple(run.args),
        run.values,
        run.info,
        messages.TaskLimits(seconds, None, limits["memory"] // 2),
    )
    inputs: list[messages.Input] = [spawn]
    while True:
        outputs, due = machine.step(inputs)
        for output in outputs:
            if isinstance(output, messages.Exited):
                return Exit(output.value, output.error)
            pipe.send(_frame(output))
        inputs = _next_inputs(pipe, due)


def _frame(output: messages.Command | messages.Cast) -> Frame:
    if isinstance(output, messages.Command):
        return Call(output.call, output.name, output.args)
    return Cast(output.name, output.args)


def _next_inputs(pipe: _Pipe, due: float | None) -> list[messages.Input]:
    """Wait for an answer, or until `due` in monotonic seconds."""
    if not pipe.waits(None if due is None else max(0.0, due - time.monotonic())):
        return []
    reply = pipe.receive()
    if not isinstance(reply, Reply):
        raise Internal("the host sent something else than an answer")
    return [messages.Reply(TASK, reply.number, tuple(reply.results), reply.error)]


def _modules(names: list[str]) -> list[Any]:
    return [importlib.import_module(f"runtime.lua.modules.{name}").MODULE for name in names]
