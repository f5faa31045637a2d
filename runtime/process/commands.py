"""The commands of one task: which are in flight, and how an interrupt or the task's end reaches them.

An interrupt is sticky: until the task reads its next line from the terminal, the long commands that it still
issues are answered Canceled at once, so a turn that was stopped does not go on with the next tool or model.
A handler that must not be torn (a commit, a closing record) shields that part itself.
"""

from __future__ import annotations

import asyncio
from typing import Any

from runtime.core.errors import Canceled
from runtime.lua.dispatch import Caller, Dispatcher

READ_LINE = "io.readline"
LONG = frozenset({"llm.generate", "funcs.call", "http_client.request"})


def interrupted() -> Canceled:
    """Return the error that an interrupted command is answered with."""
    return Canceled("interrupted", retryable=False)


class Commands:
    """Runs commands for `caller` and keeps hold of those in flight."""

    def __init__(self, dispatcher: Dispatcher, caller: Caller) -> None:
        self._dispatcher = dispatcher
        self._in_flight: set[asyncio.Task[tuple[Any, ...]]] = set()
        self._stopped: set[asyncio.Task[tuple[Any, ...]]] = set()
        self._ended = False
        self.caller = caller
        self.interrupted = False
        self.started = 0

    async def run(self, name: str, args: list[Any]) -> tuple[Any, ...]:
        """Return the results of the command; raise its Error, or Canceled when it is interrupted."""
        if self._ended:
            raise Canceled(f"`{self.caller.entry}` has ended: `{name}` is not run")
        if name == READ_LINE:
            self.interrupted = False
        elif self.interrupted and name in LONG:
            raise interrupted()
        self.started += 1
        work = asyncio.ensure_future(self._dispatcher.dispatch(self.caller, name, args))
        self._in_flight.add(work)
        try:
            return await work
        except asyncio.CancelledError:
            if work in self._stopped:
                raise interrupted() from None
            raise
        finally:
            self._in_flight.discard(work)
            self._stopped.discard(work)

    def interrupt(self) -> int:
        """Cancel what is in flight, and what is long until the next line is read; return how many were."""
        self.interrupted = True
        waiting = [work for work in self._in_flight if not work.done()]
        for work in waiting:
            self._stopped.add(work)
            work.cancel()
        return len(waiting)

    def end(self) -> list[asyncio.Task[tuple[Any, ...]]]:
        """Cancel what is in flight for good and return it; nothing runs after this."""
        self._ended = True
        for work in self._in_flight:
            work.cancel()
        return list(self._in_flight)
