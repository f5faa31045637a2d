"""What one task says to the host is taken up in the order in which it was said.

A cast is finished before anything behind it starts. A command that wants an answer is started, and what is
behind it does not wait for that answer; one that waits for nothing is answered on the spot. The end of the
task comes after every cast that it made before.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any

from runtime.core.errors import Error
from runtime.lua.dispatch import Pending
from runtime.lua.messages import Cast, Command, Exited
from runtime.process.commands import Commands

_log = logging.getLogger(__name__)

Reply = Callable[[int, tuple[Any, ...], Error | None], None]
"""Answers the command of that number with results, or with an error."""


class Line:
    """The queue of one task; `on_exit` hears of the task's own end, once all casts before it are done."""

    __slots__ = ("_calls", "_commands", "_on_exit", "_pump", "_queue", "_reply", "_unstarted")

    def __init__(self, commands: Commands, reply: Reply, on_exit: Callable[[Exited], None]) -> None:
        self._commands = commands
        self._reply = reply
        self._on_exit = on_exit
        # Most tasks say little, and there may be many tasks.
        self._queue: deque[Command | Cast | Exited] | None = None
        self._pump: asyncio.Task[None] | None = None
        self._calls: set[asyncio.Task[None]] | None = None
        self._unstarted = 0

    def put(self, output: Command | Cast | Exited) -> None:
        """Queue `output`; after the end of a task only its casts are still wanted."""
        if isinstance(output, Exited):
            self._queue = deque(each for each in self._queue or () if isinstance(each, Cast)) or None
            if not self._queue and self._pump is None:
                self._on_exit(output)
                return
        elif not self._queue and self._pump is None and not self._unstarted and self._begin(output):
            return
        if self._queue is None:
            self._queue = deque()
        self._queue.append(output)
        if self._pump is None:
            self._pump = asyncio.create_task(self._run())

    def attend(self, call: int, work: Coroutine[Any, Any, Any]) -> None:
        """Answer the command `call` with the one value that `work` gives, or with its Error."""
        self._start(self._answer(call, self._commands.hold(_one(work))))

    def close(self) -> None:
        """Forget what was not started."""
        self._queue = None

    def _begin(self, output: Command | Cast) -> bool:
        """Take up `output` without the pump; False for a cast that waits."""
        if self._commands.is_prompt(output.name) and self._at_once(output):
            return True
        if isinstance(output, Cast):
            return False
        self._start(self._answer(output.call, self._commands.attend(output.name, output.args)))
        return True

    def _at_once(self, output: Command | Cast) -> bool:
        """Answer `output` without an asyncio task; False where that can not be."""

        def reply(results: tuple[Any, ...], error: Error | None) -> None:
            if isinstance(output, Command):
                self._reply(output.call, results, error)
            elif error is not None:
                self._warn(output, error)

        try:
            answer = self._commands.answer(output.name, output.args)
        except Error as error:
            reply((), error)
            return True
        if answer is None:
            return False
        if isinstance(answer, Pending):
            answer.then(reply)
        else:
            reply(answer, None)
        return True

    async def _run(self) -> None:
        try:
            await asyncio.sleep(0)  # what was started before runs before
            while self._queue:
                await self._take(self._queue.popleft())
        finally:
            self._pump = None

    async def _take(self, output: Command | Cast | Exited) -> None:
        if isinstance(output, Exited):
            self._on_exit(output)
        elif isinstance(output, Cast) and not self._commands.is_immediate(output.name):
            await self._cast(output)
        else:
            self._begin(output)
            if self._unstarted:
                await asyncio.sleep(0)  # it starts before what is behind it

    async def _cast(self, cast: Cast) -> None:
        try:
            await self._commands.run(cast.name, cast.args)
        except Error as error:
            self._warn(cast, error)

    def _warn(self, cast: Cast, error: Error) -> None:
        _log.warning("`%s` of `%s`: %s", cast.name, self._commands.caller.entry, error.message)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        if self._calls is None:
            self._calls = set()
        self._unstarted += 1
        call = asyncio.create_task(work)
        self._calls.add(call)
        call.add_done_callback(self._calls.discard)

    async def _answer(self, call: int, work: Coroutine[Any, Any, tuple[Any, ...]]) -> None:
        self._unstarted -= 1
        try:
            results = await work
        except Error as error:
            self._reply(call, (), error)
        else:
            self._reply(call, results, None)


async def _one(work: Coroutine[Any, Any, Any]) -> tuple[Any, ...]:
    return (await work,)
