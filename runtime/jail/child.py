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
from runtime.jail.abilities import allowed_commands, needed_modules
from runtime.jail.conversation import Conversation, Dispatch, Ended, Verdict
from runtime.jail.launcher import Child, ColdLauncher, Launcher
from runtime.jail.level import Agree, Level, Nets, NetsMissing
from runtime.jail.limits import JailLimits
from runtime.jail.preload import needed_late
from runtime.jail.protocol import Run, Setup
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
        modules = needed_modules(program, self._library)
        setup = Setup([*modules], [*needed_late(program, modules)], _for_child(limits))
        run = Run(program.to_value(), [*args], dict(values or {}), dict(info or {}))
        task = (program.entry, setup, run)
        try:
            return await self._run(task, allowed, dispatch, limits)
        except NetsMissing as error:
            if not await self._agreed(error.missing):
                raise
        return await self._run(task, allowed, dispatch, limits)

    async def _agreed(self, missing: list[str]) -> bool:
        async with self._asking:
            if self._agree is not None and self._level is Level.FULL:
                agree, self._agree = self._agree, None  # asked once, whatever the answer
                if await agree(missing):
                    self._level = Level.BASIC
        return self._level is Level.BASIC

    async def _run(
        self,
        task: tuple[str, Setup, Run],
        allowed: frozenset[str],
        dispatch: Dispatch,
        limits: JailLimits,
    ) -> Any:
        entry, setup, run = task
        grave = _Grave(await self._launcher.launch(), limits)
        verdict: Verdict | None = None
        ready = False
        try:
            async with asyncio.timeout(limits.wall_clock) as clock:
                reader = await grave.open()
                conversation = Conversation(
                    reader,
                    grave.write,
                    grave.kill,
                    entry=entry,
                    abilities=allowed,
                    dispatch=dispatch,
                    limits=limits,
                    level=self._level,
                )
                try:
                    return await conversation.hold(setup, run)
                finally:
                    self.nets = conversation.nets or self.nets
                    ready = conversation.nets is not None
        except TimeoutError:
            if not clock.expired():
                raise
            verdict = Verdict("wall_clock", _too_long(entry, limits))
        except Verdict as reached:
            verdict = reached
        except Ended:
            pass
        except asyncio.CancelledError:
            self._tell(Killed(entry, "canceled", -signal.SIGKILL))
            raise
        finally:
            grave.kill()
            await self._bury(grave)
        verdict = verdict or _cause_of_death(entry, grave.status, ready, limits)
        self._tell(Killed(entry, verdict.reason, grave.status))
        raise _with_stderr(verdict.error, grave.stderr())

    async def _bury(self, grave: _Grave) -> None:
        burial = asyncio.create_task(grave.bury())
        self._burials.add(burial)
        burial.add_done_callback(self._burials.discard)
        await asyncio.wait({burial}, timeout=_BURIAL_SECONDS)  # it goes on when we are cancelled

    def _tell(self, killed: Killed) -> None:
        if self._on_killed:
            self._on_killed(killed)


class _Grave:
    """Holds the pipes of a child and sees to its end."""

    def __init__(self, child: Child, limits: JailLimits) -> None:
        self._child = child
        self._tail = _Tail(limits.stderr_bytes)
        self._transports: list[asyncio.BaseTransport] = []
        self._writer: asyncio.WriteTransport | None = None
        self.status = 0

    async def open(self) -> asyncio.StreamReader:
        """Connect the pipes to the event loop and return the reader of frames."""
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader()
        out, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), self._child.stdout
        )
        err, _ = await loop.connect_read_pipe(lambda: self._tail, self._child.stderr)
        self._writer, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, self._child.stdin)
        self._transports = [out, err, self._writer]
        return reader

    def write(self, data: bytes) -> None:
        """Queue `data` for the child."""
        if self._writer is not None:
            self._writer.write(data)

    def kill(self) -> None:
        """Kill the process group."""
        self._child.kill()

    async def bury(self) -> None:
        """Wait for the child's end and close what belonged to it."""
        self.status = await self._child.reap()
        if self._transports:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._tail.closed.wait(), _STDERR_SECONDS)
        for transport in self._transports:
            if not transport.is_closing():
                transport.abort() if isinstance(transport, asyncio.WriteTransport) else transport.close()
        if not self._transports:
            for pipe in (self._child.stdin, self._child.stdout, self._child.stderr):
                pipe.close()

    def stderr(self) -> str:
        """Return the end of what the child wrote to standard error."""
        return self._tail.text()


class _Tail(asyncio.Protocol):
    """Keeps the last `most` bytes of a pipe and lets the rest go."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._data = bytearray()
        self.closed = asyncio.Event()

    def data_received(self, data: bytes) -> None:
        """Keep the end of what has come."""
        self._data += data[-self._most :]
        del self._data[: -self._most]

    def connection_lost(self, _exc: Exception | None) -> None:
        """Know that nothing more comes."""
        self.closed.set()

    def text(self) -> str:
        """Return what was kept, with what is no text replaced."""
        return bytes(self._data).decode("utf-8", "replace").strip()


def _for_child(limits: JailLimits) -> dict[str, Value]:
    return {
        "cpu": limits.cpu,
        "memory": limits.memory,
        "address_space": limits.address_space,
        "open_files": limits.open_files,
        "seconds": limits.wall_clock,
    }


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
