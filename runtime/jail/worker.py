"""The program of a jailed child: one Lua machine, two pipes, one task, and then the end.

It imports no more than it runs, puts up its nets before it reads what it runs, and knows nothing of the host:
what the task asks for goes out as a numbered call. Hooks are off, since the wall clock is outside.
"""

from __future__ import annotations

import os
import select
import sys
import time
from collections.abc import Mapping
from typing import Any

from runtime.core.errors import Internal
from runtime.jail import nets, preload
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
    Setup,
    decode,
    encode,
    read_header,
)
from runtime.lua import messages
from runtime.lua.library import Library
from runtime.lua.machine import Machine, MachineLimits
from runtime.lua.program import Chunk, Program

TASK = "task"


class Pipe:
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
    sys.excepthook = complain
    pipe = Pipe(0, 1)
    setup = receive_setup(pipe)
    machine = new_machine(preload.load(setup.modules, setup.late), memory_of(setup.limits))
    serve(pipe, machine, setup.limits, nets.walls(forks=False))


def receive_setup(pipe: Pipe) -> Setup:
    """Return the first frame of the host, which holds nothing that a program chose."""
    setup = pipe.receive()
    if not isinstance(setup, Setup):
        raise Internal("the host did not begin with a setup")
    return setup


def memory_of(limits: Mapping[str, Any]) -> int:
    """Return the bytes that the machine of a call may use."""
    return int(limits["memory"])


def new_machine(library: Library, memory: int) -> Machine:
    """Return a machine of `memory` bytes at most, without hooks: what runs on is stopped from outside."""
    return Machine(
        library, limits=MachineLimits(memory_bytes=memory // 2, hooks=False)
    )  # the hard one is twice


def rehearse(machine: Machine) -> None:
    """Run a program that does nothing, so that what a fork shares is copied before a call waits for it."""
    machine.reseed()
    chunk = Chunk("", "return { main = function() end }", "=rehearsal", "main")
    program = Program("", "main", (), chunk, (), (), "module")
    frame = encode(Run(program.to_value(), [], {}, {}))
    run = decode(Run, frame[HEADER.size :])
    assert isinstance(run, Run)
    program = Program.from_value(run.program, key="rehearsal")
    machine.step([messages.Spawn("rehearsal", program)])
    nets.rehearse()


def serve(pipe: Pipe, machine: Machine, limits: Mapping[str, Any], walls: nets.State) -> None:
    """Put up the last nets, read the task, run it and answer."""
    state = {**walls, **nets.seal(limits)}
    pipe.send(Ready([net for net, why in state.items() if not why], {k: v for k, v in state.items() if v}))
    run = pipe.receive()
    if not isinstance(run, Run):
        raise Internal("the host sent something else than a program")
    pipe.send(_run(machine, pipe, run, limits))
    os._exit(0)  # an interpreter that winds up asks the system for more than is left


def _run(machine: Machine, pipe: Pipe, run: Run, limits: Mapping[str, Any]) -> Exit:
    seconds = float(limits["seconds"])
    spawn = messages.Spawn(
        TASK,
        Program.from_value(run.program, key=TASK),  # the only one that this machine ever knows
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


def _next_inputs(pipe: Pipe, due: float | None) -> list[messages.Input]:
    """Wait for an answer, or until `due` in monotonic seconds."""
    if not pipe.waits(None if due is None else max(0.0, due - time.monotonic())):
        return []
    reply = pipe.receive()
    if not isinstance(reply, Reply):
        raise Internal("the host sent something else than an answer")
    return [messages.Reply(TASK, reply.number, tuple(reply.results), reply.error)]


def complain(kind: type[BaseException], error: BaseException, _trace: object) -> None:
    """Say what broke without looking for its source, since no file can be opened any more, and end."""
    os.write(2, f"{kind.__name__}: {error}\n".encode("utf-8", "replace"))
    os._exit(1)
