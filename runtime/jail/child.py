"""One call, one child: it lives as long as the call, and its whole process group is killed in every case.

The verdict is the host's: a child that says nothing, says it wrong, takes too long or too much has failed,
whatever it printed. What it wrote to standard error is carried in the details of that error, bounded.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runtime.core.errors import Error, Internal, PermissionDenied, Timeout, Unavailable
from runtime.core.values import Value
from runtime.jail import protocol
from runtime.jail.abilities import allowed_commands
from runtime.jail.conversation import Conversation, Dispatch, Verdict
from runtime.jail.image import image
from runtime.jail.launcher import Child, ColdLauncher, Launcher
from runtime.jail.level import Agree, Level, Nets, NetsMissing
from runtime.jail.limits import JailLimits
from runtime.jail.line import Ended, Line
from runtime.lua.library import Library
from runtime.lua.program import Program

_STDERR_SECONDS = 0.5  # a grandchild that left the group may hold the pipe open: nobody waits for it
_BURIAL_SECONDS = 5.0
_SIGSYS = 31  # the filter's end of a process; not every platform's signal module names it


@dataclass(frozen=True, slots=True)
class Killed:
    """A child that the host ended, or that died, before it answered.

    `reason` is one of wall_clock, cpu, budget, size, protocol, system_call, died, nets, start, canceled.
    """

    entry: str
    reason: str
    status: int

    def to_value(self) -> dict[str, Value]:
        """Return {entry, reason, status} as plain data."""
        return {"entry": self.entry, "reason": self.reason, "status": self.status}


class Jail:
    """Runs programs in children; `on_killed` hears of each that did not end by itself.

    At level `full` nothing runs where a required net is off, unless the owner agrees, whom `agree` asks once.
    """

    def __init__(
        self,
        library: Library,
        *,
        launcher: Launcher | None = None,
        limits: JailLimits | None = None,
        on_killed: Callable[[Killed], None] | None = None,
        level: Level = Level.FULL,
        agree: Agree | None = None,
    ) -> None:
        self._library = library
        self._launcher = launcher or ColdLauncher()
        self.limits = limits or JailLimits()
        self._on_killed = on_killed
        self._level = level
        self._agree = agree
        self._asking = asyncio.Lock()
        self.nets: Nets | None = None
        """The nets of the child that was ready last."""
        self._burials: set[asyncio.Task[None]] = set()

    async def call(
        self,
        program: Program,
        args: Sequence[Any],
        dispatch: Dispatch,
        *,
        abilities: Collection[str] | None = None,
        values: Mapping[str, Value] | None = None,
        info: Mapping[str, Value] | None = None,
        limits: JailLimits | None = None,
    ) -> Any:
        """Return what `program` returns for `args`.

        Its commands go to `dispatch`: those that its modules offer, and of them only `abilities` where given.
        `values` are what `ctx` reads, `info` is {id, pid, host}.

        Raises the program's own Error; Unavailable when no child can start; Timeout at the wall clock or the
        CPU limit; Invalid for what is too large or too much; Internal for a child that died or broke the
        protocol.
        """
        limits = limits or self.limits
        allowed = allowed_commands(program, self._library)
        if abilities is not None:
            allowed &= frozenset(abilities)
        task = _Task(
            program,
            protocol.run(program, [*args], dict(values or {}), dict(info or {}), limits),
            allowed,
            dispatch,
            limits,
        )
        try:
            return await self._run(task)
        except NetsMissing as error:
            if not await self._agreed(error.missing):
                raise
        return await self._run(task)

    async def settled(self) -> None:
        """Wait until nothing is left of the calls that have ended: they return when their child is dead."""
        while self._burials:
            await asyncio.wait(self._burials)

    async def _agreed(self, missing: list[str]) -> bool:
        async with self._asking:
            if self._agree is not None and self._level is Level.FULL:
                agree, self._agree = self._agree, None  # asked once, whatever the answer
                if await agree(missing):
                    self._level = Level.BASIC
        return self._level is Level.BASIC

    async def _run(self, task: _Task) -> Any:
        entry, limits = task.program.entry, task.limits
        child = await self._launcher.launch(limits)
        line = Line(child.stdin, child.stdout, child.stderr, limits.stderr_bytes)
        conversation = Conversation(
            line,
            child.kill,
            entry=entry,
            abilities=task.allowed,
            dispatch=task.dispatch,
            limits=limits,
            level=self._level,
        )
        grave = _Grave(child, line)
        verdict: Verdict | None = None
        answered = False
        try:
            async with asyncio.timeout(limits.wall_clock) as clock:
                try:
                    given = None if child.loaded else image(task.program, self._library)
                    setup = protocol.setup(limits, given) if given else b""
                    value = await conversation.hold(setup, task.run)
                finally:
                    self.nets = conversation.nets or self.nets
            answered = True
            return value
        except TimeoutError:
            if not clock.expired():
                raise
            child.kill()
            await conversation.last_words()
            verdict = Verdict("wall_clock", _too_long(entry, limits))
        except Verdict as reached:
            verdict = reached
        except Ended:
            pass
        except Error:
            answered = True
            raise
        except asyncio.CancelledError:
            self._tell(Killed(entry, "canceled", -signal.SIGKILL))
            raise
        finally:
            child.kill()
            await self._bury(grave, wait_for_status=not answered)
        verdict = verdict or _cause_of_death(entry, grave.status, conversation.nets is not None, limits)
        self._tell(Killed(entry, verdict.reason, grave.status))
        raise _with_stderr(verdict.error, line.complaints())

    async def _bury(self, grave: _Grave, *, wait_for_status: bool) -> None:
        """Wait until the child is gone, and until what it left is known where that matters."""
        burial = asyncio.create_task(grave.bury())
        self._burials.add(burial)
        burial.add_done_callback(self._burials.discard)
        waited = burial if wait_for_status else grave.gone
        await asyncio.wait({waited}, timeout=_BURIAL_SECONDS)  # the burial goes on when we are cancelled

    def _tell(self, killed: Killed) -> None:
        if self._on_killed:
            self._on_killed(killed)


@dataclass(frozen=True, slots=True)
class _Task:
    """One call: `run` is the frame that holds the program and its arguments."""

    program: Program
    run: bytes
    allowed: frozenset[str]
    dispatch: Dispatch
    limits: JailLimits


class _Grave:
    """Sees to the end of a child that was killed."""

    def __init__(self, child: Child, line: Line) -> None:
        self._child = child
        self._line = line
        self.gone: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.status = 0

    async def bury(self) -> None:
        """Wait for the child's end and close what belonged to it."""
        try:
            await self._child.gone()
            if not self._line.silent.is_set():  # what it has started holds the pipe until it is gone as well
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._line.silent.wait(), _STDERR_SECONDS)
            self.gone.set_result(None)
            self.status = await self._child.reap()
        finally:
            self._line.close()


def _too_long(entry: str, limits: JailLimits) -> Timeout:
    return Timeout(f"`{entry}` took longer than {limits.wall_clock:g} s: it was ended; do less in one call")


def _cause_of_death(entry: str, status: int, ready: bool, limits: JailLimits) -> Verdict:
    how = f"signal {signal.Signals(-status).name}" if status < 0 else f"exit status {status}"
    if not ready:
        return Verdict(
            "start",
            Unavailable(
                f"no jailed child can start ({how}): code born at run time does not run without one",
                details={"part": "jail", "status": status},
            ),
        )
    if status == -signal.SIGXCPU:
        return Verdict(
            "cpu",
            Timeout(f"`{entry}` used more than {limits.cpu} s of CPU: it was ended; do less in one call"),
        )
    if status == -_SIGSYS:
        return Verdict(
            "system_call",
            PermissionDenied(
                f"`{entry}` was ended: its process asked the system for something that the jail refuses",
                details={"part": "jail", "status": status},
            ),
        )
    return Verdict(
        "died", Internal(f"`{entry}` ended its process without an answer ({how})", details={"status": status})
    )


def _with_stderr(error: Error, text: str) -> Error:
    if text:
        error.details["stderr"] = text
    return error
