"""How a child comes to be: a fresh Python that knows nothing of its host but two pipes.

The interpreter runs isolated, without site packages of its own and with a closed environment, in `/`, in a
session of its own. Another way to make one (a zygote that forks) needs only to keep to `Launcher`.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Protocol

from runtime.core.errors import Unavailable
from runtime.jail.limits import JailLimits

START = "import sys; sys.path[len(sys.path):] = sys.argv[1:]; from runtime.jail.worker import main; main()"
NEEDED = ("runtime", "lupa", "msgpack")
"""The packages that a child imports; each comes from where the host's own comes from."""


class Child(Protocol):
    """A process that leads a process group of its own; the pipes are unbuffered."""

    pid: int
    stdin: IO[bytes]
    stdout: IO[bytes]
    stderr: IO[bytes]
    loaded: bool
    """Whether it has all loaded and its limits told, so that it needs no setup."""

    def kill(self) -> None:
        """Kill the process group, if the child is not reaped yet."""

    async def gone(self) -> None:
        """Wait for the end of the process; call it after the kill."""

    async def reap(self) -> int:
        """Return the exit status once the process is gone, negative for a signal; call it after the kill."""


class Launcher(Protocol):
    """Makes children."""

    async def launch(self, limits: JailLimits) -> Child:
        """Return a new child for a call with `limits`; raise Unavailable when none can start."""


async def end_of(handle: int) -> None:
    """Wait for the end of the process of a pidfd."""
    loop, gone = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(handle, gone.set)
    try:
        await gone.wait()
    finally:
        loop.remove_reader(handle)


@dataclass(slots=True)
class PopenChild:
    """A child started by the standard library; `wait` blocks until its end and returns the status."""

    pid: int
    stdin: IO[bytes]
    stdout: IO[bytes]
    stderr: IO[bytes]
    wait: Callable[[], int]
    reaped: bool = False
    loaded: bool = False

    def kill(self) -> None:
        """Kill the process group; before it is reaped its number can belong to no other."""
        if not self.reaped:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)

    async def gone(self) -> None:
        """Wait for the end of the process."""
        handle = -1 if self.reaped else _handle(self.pid)
        if handle < 0:
            await asyncio.to_thread(self.wait)
            return
        try:
            await end_of(handle)
        finally:
            os.close(handle)

    async def reap(self) -> int:
        """Return the exit status once the process is gone."""
        try:
            await self.gone()
        finally:
            status = self.wait()  # it was killed, so this is short also where nobody waits any more
            self.reaped = True
        return status


def _handle(pid: int) -> int:
    """Return a pidfd, -1 where the system has none."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return -1


def worker_command(python: str | None = None, start: str = START) -> tuple[str, ...]:
    """Return the command line of the worker, or of what `start` says, under this interpreter or `python`."""
    return (python or sys.executable, "-I", "-S", "-c", start, *import_paths())


def no_child(why: str) -> Unavailable:
    """Return the error of a call for which the system gives no process."""
    return Unavailable(
        f"no jailed child can start: {why}; code born at run time does not run without one",
        details={"part": "jail"},
    )


def import_paths() -> list[str]:
    """Return the folders, each once, from which the packages of `NEEDED` come."""
    paths: list[str] = []
    for name in NEEDED:
        spec = find_spec(name)
        if spec is None or spec.origin is None:
            raise Unavailable(f"package `{name}` can not be found: reinstall the program")
        folder = str(Path(spec.origin).resolve().parent.parent)
        if folder not in paths:
            paths.append(folder)
    return paths


def closed_environment() -> Mapping[str, str]:
    """Return all that a child sees of the environment: how to read text, and the local time zone.

    The zone is always named: the C library asks the file system again and again for one that is not.
    """
    return {"LC_ALL": "C.UTF-8", "TZ": os.environ.get("TZ") or ":/etc/localtime"}


@dataclass(frozen=True)
class ColdLauncher:
    """Starts an interpreter for every call; `command` is what runs."""

    command: Sequence[str] = field(default_factory=worker_command)

    async def launch(self, _limits: JailLimits) -> Child:
        """Return a new child; raise Unavailable with the system's reason when none can start."""
        try:
            process = subprocess.Popen(  # noqa: ASYNC220 - it returns when exec is done, in about a millisecond
                list(self.command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                cwd="/",
                env=closed_environment(),
                close_fds=True,
                start_new_session=True,
                umask=0o077,
            )
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            raise no_child(str(error)) from error
        assert process.stdin and process.stdout and process.stderr
        return PopenChild(process.pid, process.stdin, process.stdout, process.stderr, process.wait)
