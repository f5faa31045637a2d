"""A Lua machine, no thread: inputs in, outputs and the time of the next timer out.

Lua is entered once per batch. A value that can not cross fails the one input that carries it. A state that
fails as a whole (its memory is gone, its kernel raised) ends all its tasks with an error and is replaced.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgpack

from runtime.core.clock import Clock, SystemClock
from runtime.core.errors import Error, Internal, Invalid
from runtime.core.wire import pack, unpack
from runtime.lua import rows
from runtime.lua.bell import WATCH
from runtime.lua.functions import Functions
from runtime.lua.kernel_code import kernel
from runtime.lua.library import Library
from runtime.lua.messages import (
    Become,
    Cast,
    Command,
    Drop,
    Exited,
    Input,
    Interrupt,
    Kill,
    Message,
    Output,
    Reply,
    Retire,
    Spawn,
    Started,
    TaskLimits,
    Withhold,
    decode_inputs,
    decode_outputs,
    encode_inputs,
    encode_outputs,
)
from runtime.lua.module import SyncFunction
from runtime.lua.program import Program
from runtime.lua.state import State, StateFailed

__all__ = [
    "Become",
    "Cast",
    "Command",
    "Drop",
    "Exited",
    "Input",
    "Interrupt",
    "Kill",
    "Machine",
    "MachineLimits",
    "Message",
    "Output",
    "Reply",
    "Retire",
    "Spawn",
    "Started",
    "TaskLimits",
    "Withhold",
    "decode_inputs",
    "decode_outputs",
    "encode_inputs",
    "encode_outputs",
]

_BATCH = 1024 * 1024
_KNOWN_PROGRAMS = 512
_PROGRAM_SHARE = 32  # one part in so many of the memory may be source of known programs


@dataclass(frozen=True, slots=True)
class MachineLimits:
    """Limits of one Lua state.

    `memory_bytes` is the soft limit of its heap, which fails the task that runs; twice that is the hard one.
    `hooks` is False only where something outside (a jail's wall clock) stops a task that runs on; `bell` is
    False to do without what makes that cheap (see `bell`), as where there is none.
    """

    memory_bytes: int = 64 * 1024 * 1024
    hooks: bool = True
    bell: bool = True


class Machine:
    """A Lua state that runs tasks. Not thread-safe but for `interrupt`, `kill` and `heartbeat`."""

    def __init__(
        self, library: Library, *, limits: MachineLimits | None = None, clock: Clock | None = None
    ) -> None:
        """Raise Internal when an ambient module of the library does not load."""
        self._library = library
        self._limits = limits or MachineLimits()
        self._clock = clock or SystemClock()
        self._epoch = 0
        self._start()

    @property
    def tasks(self) -> frozenset[str]:
        """The names of the tasks that have not ended."""
        return frozenset(self._live)

    def step(self, inputs: Sequence[Input]) -> tuple[list[Output], float | None]:
        """Take `inputs`, run what is ready, return the outputs and when to step again at the latest.

        The time is in the clock's monotonic seconds (0: at once), None where only inputs change anything.
        Inputs for tasks that have ended are ignored. Raises nothing for what a task does.
        """
        outputs: list[Output] = []
        due: float | None = None
        for batch in self._batches(inputs, outputs):
            due = self._enter(batch, outputs)
        return outputs, due

    def interrupt(self, task: str) -> None:
        """From any thread: raise Canceled in what `task` computes, at its next look at the clock."""
        self._state.interrupt(task)

    def kill(self, task: str) -> None:
        """From any thread: end `task` where it computes; the `Kill` that follows ends it where it waits."""
        self._state.kill(task)

    def set_epoch(self, epoch: int) -> None:
        """From any thread: what was allowed under another epoch must be asked for again."""
        self._epoch = self._state.epoch = epoch

    def heartbeat(self) -> float | None:
        """From any thread: seconds since Lua last gave a sign of life, None when it is not running."""
        return self._state.heartbeat()

    def running(self) -> tuple[str, str]:
        """From any thread: the entry whose code runs, and where it was seen last; empty where not known."""
        number, doing = self._state.running()
        return self._numbers.get(number, ""), doing

    def _start(self) -> None:
        self._live: dict[str, str] = {}  # task -> the entry that it runs
        self._programs: OrderedDict[str, int] = OrderedDict()  # key -> bytes of source, oldest use first
        self._program_bytes = 0
        self._numbers: dict[int, str] = {}  # of each program that the state got -> its entry
        self._modules: set[str] = set()
        self._state = State(
            kernel(),
            Functions(self._find),
            memory_bytes=self._limits.memory_bytes,
            hooks=self._limits.hooks,
            watch=WATCH if self._limits.bell else None,
            monotonic=self._clock.monotonic,
            wall=self._wall,
        )
        self._state.epoch = self._epoch
        self._state.set_module_names(pack(self._library.names()))
        names = [module.name for module in self._library.ambient()]
        ambient = list(self._module_rows(names, ambient=True))
        if ambient:
            try:
                self._state.step(rows.join(ambient))
            except StateFailed as error:
                raise Internal(str(error)) from None

    def _wall(self) -> tuple[int, int]:
        now = self._clock.now()
        return int(now.timestamp() // 1), now.microsecond * 1000

    def _find(self, module: str, function: str) -> SyncFunction | None:
        return self._library.get(module).functions.get(function) if module in self._library else None

    def _enter(self, batch: list[bytes], outputs: list[Output]) -> float | None:
        try:
            due, packed = self._state.step(rows.join(batch) if batch else b"")
        except StateFailed as error:
            for task, entry in sorted(self._live.items()):
                outputs.append(Exited(task, None, Internal(f"the Lua state of `{entry}` failed: {error}")))
            self._start()
            return None
        for output in _read(packed):
            if isinstance(output, Exited):
                self._live.pop(output.task, None)
                self._state.forget(output.task)
            elif isinstance(output, Started):
                self._live.update(dict.fromkeys(output.tasks, output.entry))
            outputs.append(output)
        return None if due < 0 else due

    def _batches(self, inputs: Sequence[Input], outputs: list[Output]) -> Iterator[list[bytes]]:
        """Pack the inputs, in batches small enough for the state's memory; at least one batch."""
        batch: list[bytes] = []
        size = 0
        for item in inputs:
            try:
                packed = list(self._rows(item))
            except Error as error:
                packed = _refuse(item, error, outputs)
            batch.extend(packed)
            size += sum(map(len, packed))
            if size > _BATCH:
                yield batch
                batch, size = [], 0
        yield batch

    def _rows(self, item: Input) -> Iterator[bytes]:
        match item:
            case Spawn():
                yield from self._spawn_rows(item)
            case Reply(task, call, values, error):
                yield rows.reply(task, call, values, error)
            case Message(task, topic, sender, payloads):
                yield rows.message(task, topic, sender, payloads)
            case Become(task, program, args):
                if task in self._live:
                    row = rows.become(task, program, args)  # where it can not cross nothing is sent
                    yield from self._program_rows(program)
                    yield row
            case Kill(task, error):
                self._state.forget(task)
                yield rows.kill(task, error)
            case Retire(task, topic, event, error, patient):
                yield rows.retire(task, topic, event, error, patient=patient)
            case Drop(kept_as):
                yield rows.drop(kept_as)
            case Interrupt(task):
                self._state.forget(task)
                yield rows.interrupt(task)
            case Withhold(task):
                yield rows.withhold(task)

    def _spawn_rows(self, item: Spawn) -> Iterator[bytes]:
        if item.task in self._live:
            raise Invalid(f"task `{item.task}` is running: give each task its own name")
        limits = item.limits
        row = rows.spawn(
            item.task,
            item.program.key,
            item.args,
            item.values,
            item.info,
            running_seconds=limits.running_seconds,
            total_seconds=limits.total_seconds,
            memory_bytes=limits.memory_bytes,
            kept_as=item.kept_as,
        )
        yield from self._program_rows(item.program)
        yield row
        self._live[item.task] = item.program.entry

    def _program_rows(self, program: Program) -> Iterator[bytes]:
        if program.key in self._programs:
            self._programs.move_to_end(program.key)
            return
        yield from self._module_rows(program.modules)
        number = len(self._numbers) + 1
        yield rows.program(program, program.key, looks=self._state.looks, number=number)
        self._numbers[number] = program.entry
        size = sum(len(chunk.source) for chunk in (program.main, *program.libraries))
        self._programs[program.key] = size
        self._program_bytes += size
        # Compiled programs take memory of the state: what was not run for long is forgotten, and sent again.
        while len(self._programs) > 1 and (
            len(self._programs) > _KNOWN_PROGRAMS
            or self._program_bytes * _PROGRAM_SHARE > self._limits.memory_bytes
        ):
            key, size = self._programs.popitem(last=False)
            self._program_bytes -= size
            yield rows.forget(key)

    def _module_rows(self, names: Iterable[str], *, ambient: bool = False) -> Iterator[bytes]:
        for module in [self._library.get(name) for name in names]:  # all are there, or nothing is sent
            if module.name not in self._modules:
                self._modules.add(module.name)
                yield rows.module(module, ambient=ambient, looks=self._state.looks)


def _refuse(item: Input, error: Error, outputs: list[Output]) -> list[bytes]:
    match item:
        case Spawn(task):
            outputs.append(Exited(task, None, error))
        case Reply(task, call):
            return [rows.reply(task, call, (), error)]
        case Become(task):
            return [rows.kill(task, error)]
        case Kill(task):
            return [rows.kill(task, type(item.error)(item.error.message))]
    return []


def _read(packed: bytes) -> Iterator[Output]:
    # A name that is no text is nobody's: it is heard, and refused where it is looked up.
    unpacker = msgpack.Unpacker(raw=False, max_buffer_size=0, unicode_errors="replace")
    unpacker.feed(packed)
    for row in unpacker:
        kind = row[0]
        if kind == 0:
            yield Command(row[1], row[2], row[3], _list(row[4]))
        elif kind == 1:
            yield Cast(row[1], row[2], _list(row[3]))
        elif kind == 2:
            yield _exited(row[1], row[2], row[3])
        else:
            yield Started(*row[1:])


def _exited(task: str, failed: bool, body: bytes) -> Exited:
    try:
        value = unpack(body)
    except Error as error:
        return Exited(task, None, error)
    if not failed:
        return Exited(task, value, None)
    return Exited(task, None, value if isinstance(value, Error) else Internal("the task failed"))


def _list(data: bytes) -> list[Any]:
    value = unpack(data)
    return value if isinstance(value, list) else []
