"""A task: one process or one function call - who it is, for whom it works, and how it ends."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from runtime.core.errors import Canceled, Error, Internal
from runtime.core.values import Value
from runtime.lua.dispatch import Caller, Dispatcher
from runtime.lua.program import Program
from runtime.process.commands import Commands
from runtime.process.line import Line
from runtime.security.actor import Context

NO_VALUES: Mapping[str, Value] = MappingProxyType({})


def pid_text(host: str, number: int) -> str:
    """Return the PID of the task `number` on `host`, as scripts see it."""
    return f"{{{host}|0x{number:05x}}}"


def own_failure(entry: str, error: Canceled) -> Internal:
    """Return what a function's own error of kind Canceled is to its caller, who was not interrupted."""
    return Internal(
        f"`{entry}` gave up: {error.message}",
        retryable=error.retryable,
        details={**error.details, "kind": str(error.kind)},
        place=error.place,
    )


def host_of(pid: str) -> str:
    """Return the host of a PID."""
    return pid[1:].rpartition("|")[0]


@dataclass(frozen=True, slots=True)
class Start:
    """For whom a task works; all of it is what a handler finds in its `Caller`.

    `values` are those of `ctx`, `session` is where its events belong, `cause` the seq of what it answers,
    `kept_as` the name of the kept environment that it runs in (see `runtime.lua.messages.Spawn`).
    """

    context: Context = Context.EMPTY
    values: Mapping[str, Value] = field(default_factory=lambda: NO_VALUES)
    session: str | None = None
    cause: int | None = None
    kept_as: str = ""


class Task:
    """One row of the table of tasks.

    `jailed` tells where it runs, `depth` how many calls it is away from its process; `result` is done when it
    has ended. `trap_links` makes the bad end of a linked process an event instead of its own end,
    `upgradable` a change of its `program` in the registry an event. What most tasks never need is made when
    it is first asked for: there may be many of them.
    """

    __slots__ = (
        *(
            "_caller",
            "_commands",
            "_dispatcher",
            "_ended",
            "_error",
            "_like",
            "_result",
            "_value",
            "_listeners",
        ),
        *("child", "children", "depth", "ending", "host", "id", "jailed", "line", "parent"),
        *("program", "trap_links", "upgradable"),
    )

    def __init__(
        self,
        id: str,
        like: Caller,
        dispatcher: Dispatcher,
        program: Program,
        parent: Task | None = None,
        *,
        jailed: bool = False,
    ) -> None:
        """`id` is the PID as text; it works for whom `like` works, on the host of that."""
        self.id = id
        self.host = like.host or ""
        self.program = program
        self.jailed = jailed
        self.parent = parent
        self.depth: int = 1 if parent is None else parent.depth + 1
        self.children: set[Task] | None = None
        self.line: Line | None = None
        self.child: asyncio.Task[None] | None = None
        self.ending: Error | None = None
        self.trap_links = False
        self.upgradable = False
        self._like = like
        self._caller: Caller | None = None
        self._dispatcher = dispatcher
        self._commands: Commands | None = None
        self._result: asyncio.Future[Any] | None = None
        self._listeners: list[Callable[[Task], object]] | None = None
        self._ended = False
        self._value: Any = None
        self._error: Error | None = None
        if parent is not None:
            if parent.children is None:
                parent.children = set()
            parent.children.add(self)

    @property
    def caller(self) -> Caller:
        """Who it is for those who answer its commands."""
        if self._caller is None:
            like = self._like
            self._caller = Caller(  # `replace` takes longer
                *(self.id, self.program.entry, self.program.origin, like.context, like.values, like.session),
                host=like.host,
                cause=like.cause,
            )
        return self._caller

    @property
    def alive(self) -> bool:
        """Whether it has not ended."""
        return not self._ended

    @property
    def commands(self) -> Commands:
        """What it has in flight."""
        if self._commands is None:
            self._commands = Commands(self._dispatcher, self.caller)
        return self._commands

    @property
    def result(self) -> asyncio.Future[Any]:
        """What it ends with; nobody needs to look at it."""
        if self._result is None:
            self._result = asyncio.get_running_loop().create_future()
            self._result.add_done_callback(lambda done: done.cancelled() or done.exception())
            if self._ended:
                self._settle(self._result)
        return self._result

    def when_ended(self, call: Callable[[Task], object]) -> None:
        """Call `call` with the task as soon as it has ended."""
        if self._ended:
            call(self)
        else:
            self._listeners = [*(self._listeners or ()), call]

    async def wait(self) -> None:
        """Wait until it has ended; being cancelled changes nothing for it."""
        if not self._ended:
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()

            def wake(_: Task) -> None:
                if not waiter.done():
                    waiter.set_result(None)

            self.when_ended(wake)
            await waiter

    @property
    def calls(self) -> list[Task]:
        """The function calls that it waits for."""
        return list(self.children or ())

    def become(self, program: Program) -> None:
        """Let it run another program from now on."""
        self.program, self._caller = program, None
        if self._commands is not None:
            self._commands.caller = self.caller

    def leave(self) -> None:
        """Be no call of its caller any more."""
        if self.parent is not None and self.parent.children is not None:
            self.parent.children.discard(self)

    def stop(self) -> list[asyncio.Task[Any]]:
        """Start nothing any more, cancel what is in flight and return it."""
        if self.line is not None:
            self.line.close()
        return self.commands.end()

    def end(self, value: Any, error: Error | None) -> None:
        """Note once what it ended with, and tell those who wait for it."""
        if not self._ended:
            self._ended, self._value, self._error = True, value, error
            if self._result is not None:
                self._settle(self._result)
            for call in self._listeners or ():
                call(self)

    @property
    def error(self) -> Error | None:
        """What it failed with, once it has ended."""
        return self._error

    def outcome(self) -> Any:
        """Return what it ended with, or raise its Error."""
        if self._error is not None:
            raise self._error
        return self._value

    def _settle(self, result: asyncio.Future[Any]) -> None:
        if result.done():
            return
        if self._error is None:
            result.set_result(self._value)
        else:
            result.set_exception(self._error)
