"""What one task says to the host is taken up in the order in which it was said.

A cast is finished before anything behind it starts. A command that wants an answer is started, and what is
behind it does not wait for that answer. The end of the task comes after every cast that it made before.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from typing import Any

from runtime.core.errors import Error
from runtime.lua.machine import Cast, Command, Exited
from runtime.process.commands import Commands

_log = logging.getLogger(__name__)

Reply = Callable[[int, tuple[Any, ...], Error | None], None]
"""Answers the command of that number with results, or with an error."""


class Line:
    """The queue of one task; `on_exit` hears of the task's own end, once all casts before it are done."""

    def __init__(self, commands: Commands, reply: Reply, on_exit: Callable[[Exited], None]) -> None:
        self._commands = commands
        self._reply = reply
        self._on_exit = on_exit
        self._queue: deque[Command | Cast | Exited] = deque()
        self._pump: asyncio.Task[None] | None = None
        self._calls: set[asyncio.Task[None]] = set()

    def put(self, output: Command | Cast | Exited) -> None:
        """Queue `output`; after the end of a task only its casts are still wanted."""
        if isinstance(output, Exited):
            self._queue = deque(each for each in self._queue if isinstance(each, Cast))
            if not self._queue and self._pump is None:
                self._on_exit(output)
                return
        self._queue.append(output)
        if self._pump is None:
            self._pump = asyncio.create_task(self._run())

    def close(self) -> None:
        """Forget what was not started."""
        self._queue.clear()

    async def _run(self) -> None:
        try:
            while self._queue:
                await self._take(self._queue.popleft())
        finally:
            self._pump = None

    async def _take(self, output: Command | Cast | Exited) -> None:
        if isinstance(output, Exited):
            self._on_exit(output)
        elif isinstance(output, Cast):
            await self._cast(output)
        else:
            call = asyncio.create_task(self._call(output))
            self._calls.add(call)
            call.add_done_callback(self._calls.discard)
            await asyncio.sleep(0)  # it starts before what is behind it

    async def _cast(self, cast: Cast) -> None:
        try:
            await self._commands.run(cast.name, list(cast.args))
        except Error as error:
            _log.warning("`%s` of `%s`: %s", cast.name, self._commands.caller.entry, error.message)

    async def _call(self, command: Command) -> None:
        try:
            results = await self._commands.run(command.name, list(command.args))
        except Error as error:
            self._reply(command.call, (), error)
        else:
            self._reply(command.call, results, None)
