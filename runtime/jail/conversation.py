"""The host's side of one call in a child: frames in, commands out, answers back - and nothing on trust.

A command is answered only when it is among the abilities of the program; what is not there is refused without
anybody hearing of it. Commands are taken up in the order in which they were given; those that wait do not
hold back the ones behind them, until so many run at once that more would cost the host too much. Every bound
that is broken ends the call with a `Verdict` of the host.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Collection
from typing import Any

from runtime.core.errors import Error, Internal, Invalid, PermissionDenied
from runtime.jail.level import Level, Nets, refusal
from runtime.jail.limits import JailLimits
from runtime.jail.line import Ended, Line
from runtime.jail.protocol import (
    BrokenFrame,
    Call,
    Cast,
    Exit,
    Frame,
    FrameTooLarge,
    Ready,
    from_child,
    reply,
)
from runtime.journal.counting import EventCount, counting

Dispatch = Callable[[str, list[Any]], Awaitable[tuple[Any, ...]]]
"""Runs one command for the program; raises its Error."""

_ENDS_OTHERS = frozenset({"funcs.cancel"})  # it waits for no place among those that it may end
_SETTLE_SECONDS = 1.0  # for commands in flight to close their records once they are cancelled


class Verdict(Exception):
    """The host ends the call: `reason` in a word for the record, `error` for the caller."""

    def __init__(self, reason: str, error: Error) -> None:
        super().__init__(reason)
        self.reason = reason
        self.error = error


class Conversation:
    """One run of one program; `entry` names it in messages."""

    def __init__(
        self,
        line: Line,
        kill: Callable[[], None],
        *,
        entry: str,
        abilities: Collection[str],
        dispatch: Dispatch,
        limits: JailLimits,
        level: Level = Level.FULL,
    ) -> None:
        self._line = line
        self._kill = kill
        self._entry = entry
        self._abilities = abilities
        self._dispatch = dispatch
        self._limits = limits
        self._bounds = from_child(argument_bytes=limits.argument_bytes, output_bytes=limits.output_bytes)
        self._running: dict[int, asyncio.Task[None]] = {}
        self._places = asyncio.Semaphore(limits.commands_at_once)
        self._held = 0
        self._eased = asyncio.Event()
        self._commands = 0
        self._said = 0
        self._written = EventCount()
        self._casting: asyncio.Future[tuple[Any, ...]] | None = None
        self._replied = 0
        self._verdict: Verdict | None = None
        self._level = level
        self.nets: Nets | None = None
        """The nets of the child, once it is ready."""

    async def hold(self, setup: bytes, run: bytes) -> Any:
        """Return the value with which the program ends; raise its Error, a Verdict, or Ended.

        The program, in the frame `run`, leaves the host only after the child has told of all the nets that it
        must have; `setup` is what it gets before, empty where it has that already.
        """
        if setup:
            self._line.write(setup)
        with counting() as self._written:
            try:
                while True:
                    frame, length = await self._receive()
                    if isinstance(frame, Exit):
                        return self._result(frame)
                    if isinstance(frame, Ready):
                        self._check(frame)
                        self._line.write(run)
                        continue
                    await self._take(frame, length)
            finally:
                await self._cancel_running()

    async def last_words(self) -> None:
        """Hear what a child that was killed had said before, and nobody has heard: lines, no calls."""
        if self.nets is None:
            return
        try:
            async with asyncio.timeout(_SETTLE_SECONDS):
                if self._casting is not None:
                    await self._heard(self._casting)
                while True:
                    frame, length = await self._line.frame(self._bounds)
                    if isinstance(frame, Exit):
                        return
                    if isinstance(frame, Cast):
                        self._count_cast(length)
                        await self._cast(frame)
        except (TimeoutError, Ended, BrokenFrame, Verdict):
            return

    def _result(self, frame: Exit) -> Any:
        if self.nets is None:
            raise self._broken("it answered before it was ready")
        if frame.error is not None:
            raise frame.error
        return frame.value

    async def _receive(self) -> tuple[Frame, int]:
        try:
            return await self._line.frame(self._bounds)
        except Ended:
            raise self._verdict or Ended from None
        except FrameTooLarge as error:
            raise self._too_large(error) from error
        except BrokenFrame as error:
            raise self._broken(error.message) from error

    def _check(self, ready: Ready) -> None:
        if self.nets is not None:
            raise self._broken("it was ready twice")
        off = {str(net): str(why) for net, why in ready.off.items()}
        self.nets = Nets(tuple(map(str, ready.nets)), off)
        if self._level is Level.FULL and self.nets.missing():
            raise Verdict("nets", refusal(self.nets))

    async def _take(self, frame: Frame, length: int) -> None:
        if self.nets is None or not isinstance(frame, Call | Cast):
            raise self._broken("it spoke before it was ready")
        if isinstance(frame, Cast):
            self._count_cast(length)
            await self._cast(frame)
            return
        self._count()
        if frame.number in self._running:
            raise self._broken(f"call {frame.number} was made twice")
        self._held += length
        self._running[frame.number] = asyncio.create_task(self._attend(frame, length))
        await asyncio.sleep(0)  # it takes its first step before anything behind it
        while self._held > self._limits.held_bytes and self._verdict is None:
            self._eased.clear()
            await self._eased.wait()

    async def _cast(self, frame: Cast) -> None:
        if frame.name in self._abilities:
            self._casting = asyncio.ensure_future(self._dispatch(frame.name, frame.args))
            await self._heard(self._casting)
            self._check_events()

    async def _heard(self, casting: asyncio.Future[tuple[Any, ...]]) -> None:
        """Wait until a cast is taken up; who is cancelled here can wait for it again."""
        with contextlib.suppress(Error):  # nobody waits for an answer
            await asyncio.shield(casting)

    async def _attend(self, frame: Call, length: int) -> None:
        try:
            if frame.name in _ENDS_OTHERS:
                await self._answer(frame)
            else:
                async with self._places:
                    await self._answer(frame)
        finally:
            self._held -= length
            self._eased.set()
            self._running.pop(frame.number, None)

    async def _answer(self, frame: Call) -> None:
        try:
            if frame.name not in self._abilities:
                raise PermissionDenied(
                    f"`{self._entry}` has not declared the ability `{frame.name}`: "
                    "add the module that offers it to the entry's modules",
                    details={"command": frame.name, "entry": self._entry},
                )
            data = reply(frame.number, [*await self._dispatch(frame.name, frame.args)], None)
        except Error as error:
            data = _failure(frame.number, error)
        except asyncio.CancelledError:
            raise
        except Exception:
            data = _failure(frame.number, Internal(f"command `{frame.name}` failed inside the host"))
        self._send(data)

    def _send(self, data: bytes) -> None:
        self._replied += len(data)
        if self._replied > self._limits.reply_bytes:
            self._end(self._over(f"asked for more than {self._limits.reply_bytes} bytes of answers"))
            return
        try:
            self._check_events()
        except Verdict as verdict:
            self._end(verdict)
            return
        self._line.write(data)

    def _end(self, verdict: Verdict) -> None:
        """End the child from beside `hold`, which the end of its frames wakes."""
        self._verdict = self._verdict or verdict
        self._kill()

    def _check_events(self) -> None:
        if self._written.events > self._limits.events:
            raise self._over(f"caused more than {self._limits.events} events in the journal")

    def _count(self) -> None:
        self._commands += 1
        if self._commands > self._limits.host_calls:
            raise self._over(f"made more than {self._limits.host_calls} calls to the host")

    def _count_cast(self, length: int) -> None:
        self._count()
        self._said += length
        if self._said > self._limits.output_bytes:
            raise Verdict(
                "size",
                Invalid(
                    f"`{self._entry}` was ended: what it says takes more than {self._limits.output_bytes} "
                    "bytes in all; say less in one call"
                ),
            )

    def _over(self, what: str) -> Verdict:
        return Verdict("budget", Invalid(f"`{self._entry}` {what}: it was ended; do less in one call"))

    def _too_large(self, error: FrameTooLarge) -> Verdict:
        what = "its result" if error.sent is Exit else "the arguments of one of its calls"
        return Verdict(
            "size",
            Invalid(
                f"`{self._entry}` was ended: {what} takes {error.length} bytes, and {error.most} are allowed",
                details=error.details,
            ),
        )

    def _broken(self, why: str) -> Verdict:
        return Verdict("protocol", Internal(f"`{self._entry}` broke the protocol of the jail: {why}"))

    async def _cancel_running(self) -> None:
        running = list(self._running.values())
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running, timeout=_SETTLE_SECONDS)


def _failure(number: int, error: Error) -> bytes:
    try:
        return reply(number, [], error)
    except Invalid as worse:  # the details of the error are no plain data
        return reply(number, [], worse)
