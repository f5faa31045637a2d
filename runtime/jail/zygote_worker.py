"""The program of the zygote: it has all loaded and walls around it, and forks a child for each call.

It reads one socket, on which nobody but the host speaks, and never sees a program. A request is one datagram,
an answer too (`zygote_request`). A child is reaped when the host says so, which is after the host has
seen its end: until then its number belongs to no other process.
"""

from __future__ import annotations

import errno
import gc
import os
import socket
import struct
import sys
from collections.abc import Callable, Mapping
from typing import Any

from runtime.core.wire import pack
from runtime.jail import nets, preload
from runtime.jail.limits import JailLimits
from runtime.jail.worker import Pipe, complain, heap, serve
from runtime.jail.zygote_request import ANSWER, FORK, LIMITS, PIPES, REQUEST
from runtime.lua import rows
from runtime.lua.kernel_code import kernel
from runtime.lua.program import Chunk, Program
from runtime.lua.state import State

_CONTROL = 0
_MOST_OPEN = 256
_ROOM = socket.CMSG_SPACE(PIPES * 4)
_REHEARSAL = "rehearsal"

Serve = Callable[[Pipe, State, Mapping[str, Any], nets.State], None]
"""What a child does with its pipe, behind the walls; it puts up the last nets, with its limits, itself."""


def main(run: Serve | None = None, walls: Callable[[], nets.State] | None = None) -> None:
    """Serve the host until it closes the socket.

    `run` is what a child does and `walls` what the zygote puts up around itself and them; they are another's
    only in the worker of the hostile corpus.
    """
    sys.excepthook = complain
    state = _loaded()
    nets.prepare()
    control = socket.socket(fileno=_CONTROL)
    gc.collect()
    gc.freeze()  # a child's collections shall not copy what it shares
    up = walls() if walls else nets.walls(forks=True)
    control.sendmsg([pack(dict(up))])
    zygote = os.getpid()
    while True:
        data, ancillary, _, _ = control.recvmsg(REQUEST.size, _ROOM)
        if len(data) < REQUEST.size:
            os._exit(0)  # the host is gone
        what, number, pid, *numbers = REQUEST.unpack(data)
        pipes = _descriptors(ancillary)
        if what != FORK:
            answer = _reap(pid)
        elif (answer := _fork()) == 0:
            _enter(zygote, pipes)
            (run or _serve)(Pipe(0, 1), state, dict(zip(LIMITS, numbers, strict=True)), up)
            os._exit(0)
        for pipe in pipes:
            os.close(pipe)
        control.sendmsg([ANSWER.pack(number, answer)])
        if what == FORK:
            _reseed(state)  # for the next one, while nobody waits


def _loaded() -> State:
    """Return a state with every module, which has run nothing but a program that does nothing."""
    modules, functions = preload.load_all()
    state = State(kernel(), functions, memory_bytes=heap({"memory": JailLimits().memory}), hooks=False)
    state.set_module_names(pack([module.name for module in modules]))
    state.step(rows.modules(modules))
    state.step(_SPARE)
    _reseed(state)
    return state


def _nothing() -> bytes:
    """Return the inputs that run a program that does nothing.

    A child runs it while it waits, so that the memory that it shares is copied before somebody waits for it.
    """
    chunk = Chunk("", "return { main = function() end }", "=rehearsal", "main")
    program = rows.program(Program("", "main", (), chunk, (), (), "module"), _REHEARSAL)
    task = rows.spawn(
        _REHEARSAL,
        _REHEARSAL,
        (),
        {},
        {},
        running_seconds=1.0,
        total_seconds=None,
        memory_bytes=JailLimits().memory,
    )
    return rows.join([program, task, rows.forget(_REHEARSAL)])


def _serve(pipe: Pipe, state: State, limits: Mapping[str, Any], walls: nets.State) -> None:
    if limits["memory"] != JailLimits().memory:
        state.set_memory(heap(limits))
    serve(pipe, state, limits, walls, spare=_SPARE)


def _reseed(state: State) -> None:
    """Start the random numbers of the next child anew: Lua's, and Python's where a module uses them."""
    seed = os.urandom(32)
    state.reseed(int.from_bytes(seed[:7]), int.from_bytes(seed[7:14]))
    random = sys.modules.get("random")
    if random is not None:
        random.seed(int.from_bytes(seed))


def _descriptors(ancillary: list[tuple[int, int, bytes]]) -> list[int]:
    found: list[int] = []
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            found += struct.unpack(f"{len(data) // 4}i", data[: len(data) // 4 * 4])
    return found


def _fork() -> int:
    try:
        return os.fork()
    except OSError as error:
        return -(error.errno or errno.EAGAIN)


def _reap(pid: int) -> int:
    try:
        return os.waitpid(pid, os.WNOHANG)[1]
    except OSError as error:
        return -(error.errno or errno.ECHILD)


def _enter(zygote: int, pipes: list[int]) -> None:
    """Make this fork of the zygote a process of its own that has its pipes and nothing else."""
    os.setsid()  # it raises where that fails, so the zygote's word on the net `session` holds here too
    if sys.platform == "linux":
        nets.die_with_parent(zygote)
    for number, pipe in enumerate(pipes):
        os.dup2(pipe, number)
    os.closerange(PIPES, _MOST_OPEN)


_SPARE = _nothing()
