"""A task: one process or one function call - who it is, for whom it works, and how it ends."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from runtime.core.errors import Error
from runtime.core.values import Value
from runtime.lua.dispatch import Caller
from runtime.lua.program import Program
from runtime.process.commands import Commands
from runtime.process.line import Line
from runtime.security.actor import Context

NO_VALUES: Mapping[str, Value] = MappingProxyType({})


def pid_text(host: str, number: int) -> str:
    """Return the PID of the task `number` on `host`, as scripts see it."""
    return f"{{{host}|0x{number:05x}}}"


@dataclass(frozen=True, slots=True)
class Start:
    """For whom a task works; all of it is what a handler finds in its `Caller`.

    `values` are those of `ctx`, `session` is where its events belong, `cause` the seq of what it answers.
    """

    context: Context = Context.EMPTY
    values: Mapping[str, Value] = field(default_factory=lambda: NO_VALUES)
    session: str | None = None
    cause: int | None = None


@dataclass(eq=False, slots=True)
class Task:
    """One row of the table of tasks.

    `jailed` tells where it runs, `depth` how many calls it is away from its process; `result` is done when it
    has ended. `trap_links` makes the bad end of a linked process an event instead of its own end,
    `upgradable` a change of its `program` in the registry an event.
    """

    caller: Caller
    commands: Commands
    result: asyncio.Future[Any]
    jailed: bool
    parent: Task | None = None
    children: set[Task] = field(default_factory=set)
    line: Line | None = None
    child: asyncio.Task[None] | None = None
    ending: Error | None = None
    depth: int = 1
    trap_links: bool = False
    upgradable: bool = False
    program: Program | None = None

    def __post_init__(self) -> None:
        if self.parent is not None:
            self.depth = self.parent.depth + 1

    @property
    def id(self) -> str:
        """The PID as text."""
        return self.caller.task

    @property
    def host(self) -> str:
        """The id of the process host."""
        return self.caller.host or ""

    @property
    def alive(self) -> bool:
        """Whether it has not ended."""
        return not self.result.done()
