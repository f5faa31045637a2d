"""The commands of one task: which are in flight, and how an interrupt or the task's end reaches them.

An interrupt is sticky: until the task reads its next line from the terminal, the long commands that it still
issues are answered Canceled at once, so a turn that was stopped does not go on with the next tool or model.
A handler that must not be torn (a commit, a closing record) shields that part itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any, TypeVar

from runtime.core.errors import Canceled
from runtime.lua.dispatch import Caller, Dispatcher, Pending

READ_LINE = "io.readline"
LONG = frozenset({"llm.generate", "funcs.call", "http_client.request"})

Result = TypeVar("Result")


def interrupted() -> Canceled:
    """Return the error that an interrupted command is answered with."""
    return Canceled("interrupted", retryable=False)


class Commands:
    """Runs commands for `caller` and keeps hold of those in flight."""

    __slots__ = (
        "_dispatcher",
        "_ended",
        "_in_flight",
        "_pending",
        "_stopped",
        "caller",
        "interrupted",
        "started",
    )

    def __init__(self, dispatcher: Dispatcher, caller: Caller) -> None:
        self._dispatcher = dispatcher
        # Most tasks never have a command in flight, and there may be many tasks.
        self._in_flight: set[asyncio.Task[Any]] | None = None
        self._stopped: set[asyncio.Task[Any]] | None = None
        self._pending: set[Pending] | None = None
        self._ended = False
        self.caller = caller
        self.interrupted = False
        self.started = 0

    def is_immediate(self, name: str) -> bool:
        """Whether the command waits for nothing: `answer` runs it."""
        return self._dispatcher.is_immediate(name)

    def is_prompt(self, name: str) -> bool:
        """Whether `answer` may answer the command."""
        return self._dispatcher.is_prompt(name)

    def answer(self, name: str, args: list[Any]) -> tuple[Any, ...] | Pending | None:
        """Return the results of a command or what they are pending in; None where it must be waited for.

        Raises its Error.
        """
        self._begin(name)
        answer = self._dispatcher.answer(self.caller, name, args)
        if answer is None:
            self.started -= 1
        elif isinstance(answer, Pending):
            pending = answer
            if self._pending is None:
                self._pending = set()
            held = self._pending
            held.add(pending)
            pending.then(lambda _results, _error: held.discard(pending))
        return answer

    async def run(self, name: str, args: list[Any]) -> tuple[Any, ...]:
        """Return the results of the command; raise its Error, or Canceled when it is interrupted.

        It is run in a task of its own: an interrupt ends the command, and nothing else that the caller does.
        """
        self._begin(name)
        work = asyncio.ensure_future(self._dispatcher.dispatch(self.caller, name, args))
        return await self._follow(work, work)

    async def attend(self, name: str, args: list[Any]) -> tuple[Any, ...]:
        """Return what `run` returns, in the asyncio task that calls this and does nothing else."""
        self._begin(name)
        return await self.hold(self._dispatcher.dispatch(self.caller, name, args))

    async def hold(self, work: Awaitable[Result]) -> Result:
        """Return what `work` gives, as a command in flight; the caller's asyncio task does nothing else."""
        own = asyncio.current_task()
        assert own is not None
        return await self._follow(own, work)

    def _begin(self, name: str) -> None:
        if self._ended:
            raise Canceled(f"`{self.caller.entry}` has ended: `{name}` is not run")
        if name == READ_LINE:
            self.interrupted = False
        elif self.interrupted and name in LONG:
            raise interrupted()
        self.started += 1

    async def _follow(self, task: asyncio.Task[Any], work: Awaitable[Result]) -> Result:
        in_flight = self._in_flight
        if in_flight is None:
            in_flight = self._in_flight = set()
        in_flight.add(task)
        try:
            return await work
        except asyncio.CancelledError:
            if self._stopped and task in self._stopped:
                raise interrupted() from None
            raise
        finally:
            in_flight.discard(task)
            if self._stopped:
                self._stopped.discard(task)

    def interrupt(self) -> int:
        """Cancel what is in flight, and what is long until the next line is read; return how many were."""
        self.interrupted = True
        waiting = [work for work in self._in_flight or () if not work.done()]
        if waiting and self._stopped is None:
            self._stopped = set()
        for work in waiting:
            if self._stopped is not None:
                self._stopped.add(work)
            work.cancel()
        return len(waiting) + sum(pending.cancel(interrupted()) for pending in list(self._pending or ()))

    def end(self) -> list[asyncio.Task[Any]]:
        """Cancel what is in flight for good and return it; nothing runs after this."""
        self._ended = True
        for pending in list(self._pending or ()):
            pending.cancel(Canceled(f"`{self.caller.entry}` has ended"))
        in_flight = list(self._in_flight or ())
        for work in in_flight:
            work.cancel()
        return in_flight
