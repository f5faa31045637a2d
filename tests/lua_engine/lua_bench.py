"""What the engine's tests share: entries as plain objects, and a bench that answers a machine's commands."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from runtime.core.errors import Error
from runtime.lua.library import Library
from runtime.lua.machine import (
    Cast,
    Command,
    Exited,
    Input,
    Machine,
    Output,
    Reply,
    Spawn,
    TaskLimits,
)
from runtime.lua.module import Module
from runtime.lua.program import Program, link

DEADLINE = 20.0


@dataclass(frozen=True)
class FakeEntry:
    """An entry as linking sees it."""

    id: str
    data: dict[str, Any]
    kind: str = "function.lua"
    origin: str = "file"
    place: Any = None
    source_name: str = ""


def bare() -> Library:
    """A library with one module that gives every command, cast and subscription to a script."""
    lua = """
        local host = ...
        return {
          call = host.call, cast = host.cast, sync = host.sync, error = host.error, sleep = host.sleep,
          subscribe = host.subscribe, unsubscribe = host.unsubscribe, post = host.post, task = host.task,
          values = host.values, array = host.array, is_array = host.is_array, offer = host.offer,
          timer = host.timer, cancel = host.cancel, now = host.now, channel = host.channel,
          is_error = host.is_error,
        }
    """
    functions = {
        "double": lambda value: value * 2,
        "fail": _fail,
        "echo": lambda value: value,
        "raise": _raise,
    }
    return Library(
        [
            Module("host", lua, functions),
            Module("secret", "return {key = function() return 42 end}", privileged=True),
        ]
    )


def _fail() -> None:
    from runtime.core.errors import RateLimited

    raise RateLimited("slow down", retryable=True, details={"after": 3})


def _raise() -> None:
    raise RuntimeError("secret of the host")


@dataclass
class Bench:
    """Runs tasks in one machine until they end; commands are answered by `answers`."""

    machine: Machine
    library: Library
    answers: dict[str, Callable[..., Any]] = field(default_factory=dict)
    casts: list[Cast] = field(default_factory=list)
    ends: dict[str, Exited] = field(default_factory=dict)
    waiting: list[Command] = field(default_factory=list)
    serial: int = 0

    def program(self, source: str, *, modules: tuple[str, ...] = ("host",), method: str = "main") -> Program:
        entry = FakeEntry("app:test", {"source": source, "method": method, "modules": list(modules)})
        return link(entry, lambda _: None, self.library)

    def spawn(self, program: Program, *args: Any, limits: TaskLimits | None = None, **fields: Any) -> str:
        self.serial += 1
        task = f"task{self.serial}"
        info = {"id": program.entry, "pid": f"{{host|{task}}}", "host": "app:host"}
        self.take(
            *self.machine.step(
                [Spawn(task, program, args, fields.get("values", {}), info, limits or TaskLimits())]
            )
        )
        return task

    def step(self, *inputs: Input) -> None:
        self.take(*self.machine.step(inputs))

    def take(self, outputs: list[Output], due: float | None) -> None:
        self.due = due
        for output in outputs:
            if isinstance(output, Exited):
                assert output.task not in self.ends, "a task ends once"
                self.ends[output.task] = output
            elif isinstance(output, Cast):
                self.casts.append(output)
            else:
                self.waiting.append(output)

    def answer(self) -> list[Reply]:
        replies = []
        for command in [item for item in self.waiting if item.name in self.answers]:
            self.waiting.remove(command)
            try:
                result = self.answers[command.name](*command.args)
                replies.append(
                    Reply(command.task, command.call, result if isinstance(result, tuple) else (result,))
                )
            except Error as error:
                replies.append(Reply(command.task, command.call, (), error))
        return replies

    def run(self, task: str) -> Exited:
        """Step until the task has ended; wait for timers by the clock."""
        stop = time.monotonic() + DEADLINE
        while task not in self.ends:
            assert time.monotonic() < stop, f"{task} does not end"
            replies = self.answer()
            if not replies and self.due is None:
                raise AssertionError(f"{task} waits for ever: {self.waiting}")
            self.take(*self.machine.step(replies))
        return self.ends[task]

    def call(self, source: str, *args: Any, **options: Any) -> Any:
        """Run the body of a function and return its value; raise its error."""
        limits = options.pop("limits", None)
        values = options.pop("values", {})
        program = self.program("return function(...)\n" + source + "\nend", **options)
        end = self.run(self.spawn(program, *args, limits=limits, values=values))
        if end.error is not None:
            raise end.error
        return end.value
