"""One Lua state with its kernel, no thread: inputs in, outputs and the time of the next timer out.

Lua is entered once per batch, with bytes, and answers with bytes; the one Python object that Lua holds is the
kernel's upvalue `_answer`, which takes and gives bytes and never raises. A state that fails as a whole (its memory
is gone, its kernel raised) ends all its tasks with an error and is replaced.
"""

from __future__ import annotations

import struct
import time
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import lupa.lua54 as lupa
import msgpack

from runtime.core.clock import Clock, SystemClock
from runtime.core.errors import Error, Internal, Invalid
from runtime.core.wire import pack, unpack
from runtime.lua.library import Library
from runtime.lua.messages import (
    Cast,
    Command,
    Exited,
    Input,
    Interrupt,
    Kill,
    Message,
    Output,
    Reply,
    Spawn,
    TaskLimits,
    decode_inputs,
    decode_outputs,
    encode_inputs,
    encode_outputs,
)
from runtime.lua.program import Program

__all__ = [
    "Cast",
    "Command",
    "Exited",
    "Input",
    "Interrupt",
    "Kill",
    "Machine",
    "MachineLimits",
    "Message",
    "Output",
    "Reply",
    "Spawn",
    "TaskLimits",
    "decode_inputs",
    "decode_outputs",
    "encode_inputs",
    "encode_outputs",
]

# The files of the kernel in the order in which they build on each other.
KERNEL = (
    "objects errors wire copy limits timers coroutines scheduler channels subscriptions"
    " cost strings patterns tables host sandbox modules programs step"
).split()

_SPAWN, _REPLY, _MESSAGE, _KILL, _PROGRAM, _MODULE, _FORGET, _INTERRUPT = range(8)
_COMMAND, _CAST, _EXITED = range(3)
_BATCH = 1024 * 1024
_KNOWN_PROGRAMS = 512


@dataclass(frozen=True, slots=True)
class MachineLimits:
    """Limits of one Lua state.

    `memory_bytes` is the soft limit of its heap, which fails the task that runs; twice that is the hard one.
    `hooks` is False only where something outside (a jail's wall clock) stops a task that runs on.
    """

    memory_bytes: int = 64 * 1024 * 1024
    hooks: bool = True


@cache
def _kernel_source(name: str) -> bytes:
    return resources.files("runtime.lua").joinpath("kernel", f"{name}.lua").read_bytes()


class Machine:
    """A Lua state that runs tasks. Not thread-safe but for `interrupt` and `idle_seconds`."""

    def __init__(
        self, library: Library, *, limits: MachineLimits | None = None, clock: Clock | None = None
    ) -> None:
        self._library = library
        self._limits = limits or MachineLimits()
        self._clock = clock or SystemClock()
        self._interrupts: set[bytes] = set()
        self._entered: float | None = None
        self._failure: BaseException | None = None
        self._start()

    @property
    def tasks(self) -> frozenset[str]:
        """The names of the tasks that have not ended."""
        return frozenset(self._live)

    def step(self, inputs: Sequence[Input]) -> tuple[list[Output], float | None]:
        """Take `inputs`, run what is ready, return the outputs and when to step again at the latest.

        The time is in the clock's monotonic seconds; None when only an input can change anything. Inputs for
        tasks that have ended are ignored. Raises nothing for what a task does.
        """
        outputs: list[Output] = []
        due: float | None = None
        for batch in self._batches(inputs, outputs):
            due = self._enter(batch, outputs)
        return outputs, due

    def interrupt(self, task: str) -> None:
        """From any thread: raise Canceled in what `task` computes at its next look at the clock."""
        self._interrupts.add(task.encode())

    def heartbeat(self) -> float | None:
        """From any thread: seconds since Lua last gave a sign of life, None when it is not running."""
        entered = self._entered
        return None if entered is None else time.monotonic() - entered

    # -- the state -------------------------------------------------------------------------------------------

    def _start(self) -> None:
        self._live: set[str] = set()
        self._programs: OrderedDict[str, None] = OrderedDict()
        self._modules: set[str] = set()
        hard = self._limits.memory_bytes * 2
        self._lua: Any = lupa.LuaRuntime(
            encoding=None,
            register_eval=False,
            register_builtins=False,
            unpack_returned_tuples=False,
            attribute_filter=_deny,
            max_memory=hard,
        )
        self._hard = hard
        kernel = self._lua.table()
        run = self._lua.execute
        run(_kernel_source("base"), kernel, self._answer, name=b"=[kernel]/base.lua", mode=b"t")
        doors: Any = None
        for name in KERNEL:
            source = b"=[patterns]" if name == "patterns" else f"=[kernel]/{name}.lua".encode()
            doors = run(_kernel_source(name), kernel, name=source, mode=b"t")
        self._step, set_limits, set_names, self._collect = doors
        set_limits(self._limits.hooks, self._limits.memory_bytes)
        set_names(pack(self._library.names()))
        ambient = [
            row
            for module in self._library.ambient()
            for row in self._module_rows([module.name], ambient=True)
        ]
        if ambient:
            try:
                self._step(_rows(ambient))
            except lupa.LuaError as error:
                raise Internal(_text(error)) from None

    def _fail(self, error: BaseException, outputs: list[Output]) -> None:
        """End every task with an error and begin anew: the state can not be trusted any more."""
        why = (
            "its memory is used up" if isinstance(error, MemoryError | lupa.LuaMemoryError) else _text(error)
        )
        outputs.extend(
            Exited(task, None, Internal(f"the Lua state of `{task}` failed: {why}"))
            for task in sorted(self._live)
        )
        self._start()

    # -- in ---------------------------------------------------------------------------------------------------

    def _batches(self, inputs: Sequence[Input], outputs: list[Output]) -> Iterable[list[bytes]]:
        batch: list[bytes] = []
        size = 0
        for item in inputs:
            try:
                rows = self._rows_of(item, outputs)
            except Error as error:
                rows = self._refuse(item, error, outputs)
            batch.extend(rows)
            size += sum(map(len, rows))
            if size > _BATCH:
                yield batch
                batch, size = [], 0
        yield batch

    def _rows_of(self, item: Input, outputs: list[Output]) -> list[bytes]:
        match item:
            case Spawn(task, program, args, values, info, limits):
                if task in self._live:
                    raise Invalid(f"task `{task}` is running: give each task its own name")
                rows = self._program_rows(program)
                row = [_SPAWN, task, program.key, pack(list(args)), pack(dict(values)), pack(dict(info))]
                row += [float(limits.running_seconds), limits.total_seconds, limits.memory_bytes]
                rows.append(_row(row))
                self._live.add(task)
                return rows
            case Reply(task, call, values, error):
                body = pack(list(values)) if error is None else pack(error)
                return [_row([_REPLY, task, call, error is None, body])]
            case Message(task, topic, sender, payloads):
                return [_row([_MESSAGE, task, topic, sender, pack(list(payloads))])]
            case Kill(task, error):
                return [_row([_KILL, task, pack(error)])]
            case Interrupt(task):
                return [_row([_INTERRUPT, task])]

    def _refuse(self, item: Input, error: Error, outputs: list[Output]) -> list[bytes]:
        """A value that can not cross fails the one input that carries it."""
        match item:
            case Spawn(task):
                outputs.append(Exited(task, None, error))
                return []
            case Reply(task, call):
                return [_row([_REPLY, task, call, False, pack(error)])]
            case Kill(task):
                return [_row([_KILL, task, pack(type(item.error)(item.error.message))])]
            case _:
                return []

    def _program_rows(self, program: Program) -> list[bytes]:
        if program.key in self._programs:
            self._programs.move_to_end(program.key)
            return []
        rows = self._module_rows(program.modules)
        value = program.to_value()
        rows.append(_row([_PROGRAM, program.key, value["libraries"], value["main"], value["aliases"]]))
        self._programs[program.key] = None
        if len(self._programs) > _KNOWN_PROGRAMS:
            oldest, _ = self._programs.popitem(last=False)
            rows.append(_row([_FORGET, oldest]))
        return rows

    def _module_rows(self, names: Iterable[str], *, ambient: bool = False) -> list[bytes]:
        rows = []
        for name in names:
            module = self._library.get(name)
            if name not in self._modules:
                self._modules.add(name)
                rows.append(_row([_MODULE, name, module.lua, ambient]))
        return rows

    # -- through ----------------------------------------------------------------------------------------------

    def _enter(self, batch: list[bytes], outputs: list[Output]) -> float | None:
        data = _rows(batch) if batch else b""
        self._entered = time.monotonic()
        try:
            # A value pushed near the hard limit would end the process, so there is room before it is pushed.
            if self._lua.get_memory_used() + 3 * len(data) > self._hard:
                self._collect()
            if self._lua.get_memory_used() + 3 * len(data) > self._hard:
                raise MemoryError
            answer = self._step(data)
        except (lupa.LuaError, MemoryError) as error:
            self._fail(error, outputs)
            return None
        finally:
            self._entered = None
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure
        (due,) = struct.unpack_from("<d", answer)
        self._read(answer, outputs)
        return None if due < 0 else due

    def _read(self, answer: bytes, outputs: list[Output]) -> None:
        unpacker = msgpack.Unpacker(raw=False, max_buffer_size=0, unicode_errors="surrogateescape")
        unpacker.feed(memoryview(answer)[8:])
        for row in unpacker:
            if row[0] == _COMMAND:
                outputs.append(Command(row[1], row[2], row[3], _list(row[4])))
            elif row[0] == _CAST:
                outputs.append(Cast(row[1], row[2], _list(row[3])))
            else:
                self._live.discard(row[1])
                self._interrupts.discard(row[1].encode())
                value = unpack(row[3])
                if row[2]:
                    outputs.append(
                        Exited(row[1], None, value if isinstance(value, Error) else Internal("unknown error"))
                    )
                else:
                    outputs.append(Exited(row[1], value, None))

    # -- back: the one door from Lua ----------------------------------------------------------------------------

    def _answer(self, name: bytes, packed: bytes) -> bytes:
        """Answer the kernel. Whatever happens is data: no Python exception ever enters Lua."""
        try:
            self._entered = time.monotonic()
            if name == b"clock":
                interrupted = packed in self._interrupts
                if interrupted:
                    self._interrupts.discard(packed)
                return struct.pack("<dB", self._clock.monotonic(), interrupted)
            if name == b"wall":
                now = self._clock.now()
                seconds = int(now.timestamp() // 1)
                return struct.pack("<qqd", seconds, now.microsecond * 1000, self._clock.monotonic())
            return self._call(name.decode(), packed)
        except Exception:
            return _FAULT
        except BaseException as error:
            self._failure = error
            return _FAULT

    def _call(self, name: str, packed: bytes) -> bytes:
        module_name, _, function = name.rpartition(".")
        try:
            call = self._library.get(module_name).functions.get(function)
            if call is None:
                raise Internal(f"module `{module_name}` has no function `{function}`")
            args = unpack(packed)
            answer = pack([True, call(*args)])  # type: ignore[misc]
        except Error as error:
            answer = pack([False, error])
        if self._lua.get_memory_used() + 3 * len(answer) > self._hard:
            return pack(
                [False, Internal(f"the answer of `{name}` does not fit into the memory of the Lua state")]
            )
        return answer


_FAULT = pack([False, Internal("a function of the runtime failed")])


def _deny(_object: object, _name: object, _setting: bool) -> object:
    raise AttributeError("not available in the sandbox")


def _row(fields: list[Any]) -> bytes:
    return bytes(msgpack.packb(fields, use_bin_type=True))


def _rows(rows: list[bytes]) -> bytes:
    return b"\xdd" + len(rows).to_bytes(4, "big") + b"".join(rows)


def _list(data: bytes) -> list[Any]:
    value = unpack(data)
    return value if isinstance(value, list) else []


def _text(error: BaseException) -> str:
    text = error.args[0] if error.args else type(error).__name__
    return text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)
