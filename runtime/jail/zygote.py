"""Children forked from a zygote: a process that has everything loaded, waits, and holds no authority itself.

The zygote is started once, at the second call or before, and serves as soon as it is ready; until then, and
where it can not be, children are started cold, with the same nets. One that died is replaced at the next
call. One fork stands ready for the call to come; each serves one call all the same.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import signal
import socket
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import IO, Any

from runtime.core.errors import Unavailable
from runtime.jail.launcher import (
    Child,
    ColdLauncher,
    Launcher,
    closed_environment,
    end_of,
    no_child,
    worker_command,
)
from runtime.jail.limits import JailLimits
from runtime.jail.zygote_request import ANSWER, FORK, HELLO_BYTES, LIMITS, REAP, REQUEST

MAX_FAILURES = 3
"""After so many zygotes that never got ready no other is tried."""

# No module is told of a fork: what they do then costs a child most of its start. The zygote has one thread:
# no lock is held by another, and its children start their random numbers anew themselves.
_START = (
    "import os, sys; os.register_at_fork = lambda **_: None; sys.path[len(sys.path):] = sys.argv[1:]; "
    "from runtime.jail.zygote_worker import main; main()"
)
# Functions of libraries are looked up when it starts, not by each child when it first calls one.
_BOUND = {"LD_BIND_NOW": "1"}
_ANSWER_SECONDS = 10.0
_READY_SECONDS = 30.0


class ZygoteGone(Exception):
    """The zygote does not answer any more."""


def zygote_command() -> tuple[str, ...]:
    """Return the command line of the zygote."""
    return worker_command(start=_START)


class Zygote:
    """The host's end of one zygote."""

    def __init__(self, command: Sequence[str]) -> None:
        """Start the process; raise OSError where there is none. Its parent is the thread that calls."""
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control.setblocking(False)
        with theirs:
            try:
                self._process = subprocess.Popen(
                    list(command),
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    stderr=None,
                    cwd="/",
                    env={**closed_environment(), **_BOUND},
                    close_fds=True,
                    start_new_session=True,
                    umask=0o077,
                )
            except BaseException:
                self._control.close()
                raise
        self._lock = asyncio.Lock()
        self._number = 0
        self.ready = False

    @property
    def pid(self) -> int:
        """The process."""
        return int(self._process.pid)

    @property
    def alive(self) -> bool:
        """Whether the process is there."""
        return self._process.poll() is None

    def look(self) -> bool:
        """Return whether it is ready, without waiting; raise ZygoteGone where it never will be."""
        if not self.ready:
            with contextlib.suppress(BlockingIOError):
                self._take_hello(self._control.recv(HELLO_BYTES))
        return self.ready

    async def until_ready(self) -> None:
        """Wait for it to be ready; raise ZygoteGone where it never will be."""
        async with self._lock:
            if not self.ready:
                data = await self._receive(HELLO_BYTES, _READY_SECONDS)
                self._take_hello(data)

    async def fork(self, limits: JailLimits, pipes: Sequence[int]) -> int:
        """Return the pid of a new child with `limits`, or a negative errno; raise ZygoteGone."""
        return await self._ask(FORK, 0, [getattr(limits, name) for name in LIMITS], pipes)

    async def reap(self, pid: int) -> int:
        """Return the status of a child that has ended; raise ZygoteGone."""
        return await self._ask(REAP, pid, [0] * len(LIMITS))

    async def _ask(self, what: int, pid: int, limits: Sequence[int], pipes: Sequence[int] = ()) -> int:
        """Return the answer to one request; raise ZygoteGone. Never cancel it: shield it."""
        async with self._lock:
            self._number += 1
            try:
                socket.send_fds(self._control, [REQUEST.pack(what, self._number, pid, *limits)], list(pipes))
            except OSError as error:
                raise ZygoteGone from error
            number, answer = ANSWER.unpack(await self._receive(ANSWER.size, _ANSWER_SECONDS))
            if number != self._number:
                raise ZygoteGone
            return int(answer)

    def close(self) -> None:
        """End the process, and with it its children."""
        self._control.close()
        self._process.kill()
        self._process.wait()

    def _take_hello(self, data: bytes) -> None:
        if not data:
            raise ZygoteGone
        self.ready = True

    async def _receive(self, size: int, seconds: float) -> bytes:
        try:
            async with asyncio.timeout(seconds):
                data = await asyncio.get_running_loop().sock_recv(self._control, size)
        except (OSError, TimeoutError) as error:
            raise ZygoteGone from error
        if not data:
            raise ZygoteGone
        return data


@dataclass(slots=True)
class ForkedChild:
    """A child of the zygote; `handle` is its pidfd, which can mean no other process."""

    pid: int
    stdin: IO[bytes]
    stdout: IO[bytes]
    stderr: IO[bytes]
    handle: int
    zygote: Zygote
    limits: JailLimits
    reaped: asyncio.Future[None]
    loaded: bool = True
    then: Callable[[], None] = lambda: None
    """Called when it is gone."""

    def kill(self) -> None:
        """Kill the child, and its process group while the child's number is surely its own."""
        if self.handle >= 0:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                signal.pidfd_send_signal(self.handle, signal.SIGKILL)
                if self.zygote.alive:
                    os.killpg(self.pid, signal.SIGKILL)

    def forget(self) -> None:
        """Close the pipes and the handle of a child that serves nobody."""
        for pipe in (self.stdin, self.stdout, self.stderr):
            pipe.close()
        if self.handle >= 0:
            os.close(self.handle)
            self.handle = -1

    async def gone(self) -> None:
        """Wait for the end of the process."""
        if self.handle >= 0:
            await end_of(self.handle)
        then, self.then = self.then, lambda: None
        then()

    async def reap(self) -> int:
        """Return the exit status once the process is gone."""
        await self.gone()
        try:
            status = await self.zygote.reap(self.pid)
        except ZygoteGone:
            status = signal.SIGKILL  # they died together, and the system reaped
        os.close(self.handle)
        self.handle = -1
        self.reaped.set_result(None)
        return os.waitstatus_to_exitcode(status) if status >= 0 else -signal.SIGKILL


@dataclass(frozen=True, slots=True)
class _Spare:
    """The child for the next call, where that has the same limits."""

    limits: JailLimits
    task: asyncio.Task[ForkedChild]


class ZygoteLauncher:
    """Forks children from a zygote that it starts at the first need; `cold` serves where that can not."""

    def __init__(self, command: Sequence[str] | None = None, cold: Launcher | None = None) -> None:
        self._command = command
        self._cold = cold or ColdLauncher()
        self._zygote: Zygote | None = None
        self._failures = 0 if _has_handles() else MAX_FAILURES
        self._launched = False
        self._spare: _Spare | None = None
        self._children: set[asyncio.Future[None]] = set()
        self._drops: set[asyncio.Task[None]] = set()

    def prewarm(self) -> None:
        """Start the zygote, if there is none, without waiting for it; call it in a thread that stays."""
        if self._zygote is not None or self._failures >= MAX_FAILURES:
            return
        try:
            self._zygote = Zygote(self._command or zygote_command())
        except OSError:
            self._failures += 1

    async def ready(self) -> Zygote:
        """Return the zygote, started and ready; raise Unavailable where there can be none."""
        self.prewarm()
        zygote = self._zygote
        try:
            if zygote is None:
                raise ZygoteGone
            await zygote.until_ready()
        except ZygoteGone:
            self._bury()
            raise Unavailable("no zygote can start", details={"part": "jail"}) from None
        return zygote

    async def launch(self, limits: JailLimits) -> Child:
        """Return a new child, from the zygote where it is ready; raise Unavailable when none can start.

        The first call starts no zygote: there may be no second.
        """
        if self._launched:
            self.prewarm()
        self._launched = True
        zygote = self._zygote
        try:
            if zygote is not None and zygote.look():
                return await self._fork(zygote, limits)
        except ZygoteGone:
            self._bury()
        return await self._cold.launch(limits)

    def close(self) -> None:
        """End the zygote; another one starts with the next call."""
        zygote, self._zygote = self._zygote, None
        if zygote is not None:
            zygote.close()
        self._let_spare_go()

    def _bury(self) -> None:
        zygote, self._zygote = self._zygote, None
        if zygote is not None:
            self._failures = 0 if zygote.ready else self._failures + 1
            zygote.close()
        self._let_spare_go()

    async def _fork(self, zygote: Zygote, limits: JailLimits) -> ForkedChild:
        if self._spare is not None and self._spare.limits != limits:
            self.drop_spare()
        if self._spare is not None and _is_lost(self._spare.task):
            self.drop_spare()
        spare, self._spare = self._spare, None
        task = spare.task if spare is not None else asyncio.create_task(_forked(zygote, limits))
        try:
            child = task.result() if task.done() else await asyncio.shield(task)
        except asyncio.CancelledError:
            self._drop(task)
            raise
        child.then = lambda: self._make_spare(zygote, limits)
        self._children.add(child.reaped)
        child.reaped.add_done_callback(self._children.discard)
        return child

    def _drop(self, task: asyncio.Task[ForkedChild]) -> None:
        drop = asyncio.create_task(_drop(task))
        self._drops.add(drop)
        drop.add_done_callback(self._drops.discard)

    def _make_spare(self, zygote: Zygote, limits: JailLimits) -> None:
        """Fork the child for the next call now that this one is over and its end is waited for."""
        if self._spare is None and self._zygote is zygote:
            task = asyncio.create_task(_forked(zygote, limits))
            task.add_done_callback(lambda task: task.cancelled() or task.exception())
            self._spare = _Spare(limits, task)

    def drop_spare(self) -> None:
        """End the child that stands ready: the next call has one forked for it."""
        spare, self._spare = self._spare, None
        if spare is not None:
            self._drop(spare.task)

    async def settled(self) -> None:
        """Wait until the child for the next call stands ready and those that were killed are reaped."""
        while True:
            waits: list[asyncio.Future[Any]] = [*self._children, *self._drops]
            if self._spare is not None and not self._spare.task.done():
                waits.append(self._spare.task)
            if not waits:
                return
            await asyncio.wait(waits)

    def _let_spare_go(self) -> None:
        """Close what belongs to the child that stood ready; it has died with its zygote."""
        spare, self._spare = self._spare, None
        if spare is None:
            return
        task = spare.task
        if task.done() and not task.cancelled() and task.exception() is None:
            task.result().forget()
        else:
            task.cancel()


def _is_lost(task: asyncio.Task[ForkedChild]) -> bool:
    """Whether there is no child to be had from a task: it failed, or its child has ended since."""
    if not task.done() or task.cancelled():
        return False
    if task.exception() is not None:
        return True
    ended = select.poll()
    ended.register(task.result().handle, select.POLLIN)
    return bool(ended.poll(0))


async def _forked(zygote: Zygote, limits: JailLimits) -> ForkedChild:
    """Return a child that knows its limits and puts up its last nets."""
    theirs: list[int] = []
    ours: list[int] = []
    try:
        for write_end in (True, False, False):
            read, write = os.pipe()
            ours.append(write if write_end else read)
            theirs.append(read if write_end else write)
        pid = await zygote.fork(limits, theirs)
        if pid < 0:
            raise no_child(os.strerror(-pid))
        handle = await _handle_of(pid, zygote)
        stdin, stdout, stderr = map(_pipe, ours, ("wb", "rb", "rb"))
        ours = []
        reaped = asyncio.get_running_loop().create_future()
        return ForkedChild(pid, stdin, stdout, stderr, handle, zygote, limits, reaped)
    except OSError as error:
        raise no_child(error.strerror or str(error)) from error
    finally:
        for end in (*theirs, *ours):
            os.close(end)


def _has_handles() -> bool:
    """Return whether the system has handles of processes: without, a zygote's child is not safe to kill."""
    try:
        os.close(os.pidfd_open(os.getpid()))
    except (AttributeError, OSError):
        return False
    return True


async def _handle_of(pid: int, zygote: Zygote) -> int:
    """Return the handle of a new child; where the host can open none any more the child ends."""
    try:
        return os.pidfd_open(pid)
    except OSError:
        os.kill(pid, signal.SIGKILL)  # it is not reaped, so its number is its own
        while await zygote.reap(pid) == 0:  # noqa: ASYNC110 - nothing tells of its end but this
            await asyncio.sleep(0.001)
        raise


def _pipe(end: int, mode: str) -> IO[bytes]:
    return os.fdopen(end, mode, buffering=0)


async def _drop(task: asyncio.Task[ForkedChild]) -> None:
    """See to the end of a child that nobody waits for any more."""
    with contextlib.suppress(ZygoteGone, Unavailable, OSError):
        child = await task
        child.kill()
        await child.reap()
        child.forget()
