"""The one inversion of the floors: handlers that upper floors register answer the commands that Lua yields.

A handler that raises an `Error` gives `nil, err` in Lua; whatever else it raises becomes an Internal error
that tells nothing of the host's insides.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from runtime.core.errors import AlreadyExists, Canceled, Error, Internal, NotFound
from runtime.core.values import Value

_log = logging.getLogger("runtime.lua")


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: what every handler checks before it does anything.

    `task` is the machine's name of the task, `entry` the id of the entry that it runs, `origin` that entry's
    origin, `context` the security context (actor and scope), `values` the context values of `ctx`, `host`
    the id of the process host, `cause` the seq of the journal event that this answers.
    """

    task: str
    entry: str
    origin: str = "file"
    context: Any = None
    values: Mapping[str, Value] = field(default_factory=dict)
    session: str | None = None
    host: str | None = None
    cause: int | None = None


class Values(tuple[Any, ...]):
    """Several results of one command; any other result is one value."""

    __slots__ = ()

    def __new__(cls, *values: Any) -> Values:
        """Return the results `values`, in order."""
        return super().__new__(cls, values)


Handler = Callable[[Caller, list[Any]], Awaitable[object]]


class Immediate:
    """A handler that waits for nothing: `answer` is a plain function, run where the command arrives."""

    __slots__ = ("answer",)

    def __init__(self, answer: Callable[[Caller, list[Any]], object]) -> None:
        self.answer = answer

    async def __call__(self, caller: Caller, args: list[Any]) -> object:
        """Return what `answer` returns."""
        return self.answer(caller, args)


class Pending:
    """An answer that is there later, without an asyncio task that waits for it.

    Who asked may cancel it once; `stop` is called then, and ends what was begun.
    """

    __slots__ = ("_error", "_results", "_settled", "_stop", "_then")

    def __init__(self, stop: Callable[[], None]) -> None:
        self._stop = stop
        self._settled = False
        self._results: tuple[Any, ...] = ()
        self._error: Error | None = None
        self._then: list[Callable[[tuple[Any, ...], Error | None], None]] = []

    def settle(self, results: tuple[Any, ...], error: Error | None) -> None:
        """Give the answer: results, or an error; what comes after the first is ignored."""
        if self._settled:
            return
        self._settled, self._results, self._error = True, results, error
        for call in self._then:
            call(results, error)

    def then(self, call: Callable[[tuple[Any, ...], Error | None], None]) -> None:
        """Call `call` with the answer: when it is there, or now."""
        if self._settled:
            call(self._results, self._error)
        else:
            self._then.append(call)

    def cancel(self, error: Error) -> bool:
        """Answer with `error` and stop what was begun; return whether there was no answer yet."""
        if self._settled:
            return False
        self.settle((), error)
        self._stop()
        return True

    async def wait(self) -> Values:
        """Return the results or raise the error; being cancelled stops what was begun."""
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def wake(_results: tuple[Any, ...], _error: Error | None) -> None:
            if not waiter.done():
                waiter.set_result(None)

        self.then(wake)
        try:
            await waiter
        except asyncio.CancelledError:
            self.cancel(Canceled("canceled", retryable=False))
            raise
        if self._error is not None:
            raise self._error
        return Values(*self._results)


LATER: Final = object()
"""What an attempt returns that is to be answered by the handler that may wait."""


class Prompt(Immediate):
    """A handler that mostly need not wait: `answer` returns a value, a `Pending`, or LATER for `handler`."""

    __slots__ = ("handler",)

    def __init__(self, answer: Callable[[Caller, list[Any]], object], handler: Handler) -> None:
        super().__init__(answer)
        self.handler = handler

    async def __call__(self, caller: Caller, args: list[Any]) -> object:
        """Return what `handler` returns."""
        return await self.handler(caller, args)


class Dispatcher:
    """The table of handlers by command name."""

    def __init__(self) -> None:
        self._handlers: dict[str, Handler] = {}

    def register(self, name: str, handler: Handler) -> None:
        """Let `handler` answer the command `name`; raise AlreadyExists when one does."""
        if name in self._handlers:
            raise AlreadyExists(f"command `{name}` has a handler: register it once")
        self._handlers[name] = handler

    def names(self) -> list[str]:
        """Return the names of all commands that have a handler, sorted."""
        return sorted(self._handlers)

    def is_immediate(self, name: str) -> bool:
        """Whether `answer` always answers the command."""
        handler = self._handlers.get(name)
        return isinstance(handler, Immediate) and not isinstance(handler, Prompt)

    def is_prompt(self, name: str) -> bool:
        """Whether `answer` may answer the command."""
        return isinstance(self._handlers.get(name), Immediate)

    def answer(self, caller: Caller, name: str, args: list[Any]) -> tuple[Any, ...] | Pending | None:
        """Return the results of a command, what they are pending in, or None where only `dispatch` answers.

        Raises as `dispatch` does.
        """
        handler = self._handlers.get(name)
        if not isinstance(handler, Immediate):
            return None
        try:
            result = handler.answer(caller, args)
        except Error:
            raise
        except Exception as error:
            raise _failure(caller, name, error) from error
        if result is LATER:
            return None
        if isinstance(result, Pending):
            return result
        return tuple(result) if isinstance(result, Values) else (result,)

    async def dispatch(self, caller: Caller, name: str, args: Iterable[Any]) -> tuple[Any, ...]:
        """Return the results of the command; raise the handler's Error, NotFound or Internal."""
        handler = self._handlers.get(name)
        if handler is None:
            raise NotFound(f"command `{name}` is not available in this host", details={"command": name})
        try:
            result = await handler(caller, list(args))
        except Error:
            raise
        except Exception as error:
            raise _failure(caller, name, error) from error
        return tuple(result) if isinstance(result, Values) else (result,)


def _failure(caller: Caller, name: str, error: Exception) -> Internal:
    """Return what a handler's failure is to the script: it tells nothing of the host."""
    _log.error("the handler of `%s` failed for `%s`", name, caller.entry, exc_info=error)
    return Internal(f"command `{name}` failed inside the host")
