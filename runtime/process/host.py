"""A process host: one Lua thread, and the way of its outputs to the event loop."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from typing import Any

from runtime.core.errors import Error
from runtime.lua.messages import Input, Output, Reply
from runtime.lua.thread import LuaThread
from runtime.process.heartbeat import Silence

NewThread = Callable[[str, Callable[[list[Output]], None]], LuaThread]
"""Makes a Lua thread, not yet started, of that name that delivers its outputs to the function."""


class Host:
    """The Lua thread of one `process.host` or `terminal.host`; `heard` gets its outputs on the event loop."""

    def __init__(
        self,
        id: str,
        new_thread: NewThread,
        loop: asyncio.AbstractEventLoop,
        heard: Callable[[Sequence[Output]], None],
    ) -> None:
        self._id = id
        self._loop = loop
        self._heard = heard
        self._thread = new_thread(f"host {id}", self._deliver)
        self._thread.start()

    def post(self, *inputs: Input) -> None:
        """Hand inputs to the Lua thread; their order is kept."""
        self._thread.post(*inputs)

    def set_epoch(self, epoch: int) -> None:
        """Make the Lua thread ask again for what it was allowed before."""
        self._thread.set_epoch(epoch)

    def replier(self, task: str) -> Callable[[int, tuple[Any, ...], Error | None], None]:
        """Return what answers the commands of `task`."""

        def reply(call: int, results: tuple[Any, ...], error: Error | None) -> None:
            self._thread.post(Reply(task, call, results, error))

        return reply

    def silence(self) -> Silence | None:
        """Return since when Lua gives no sign of life and in whose code; None where it is not running."""
        seconds = self._thread.heartbeat()
        return None if seconds is None else Silence(self._id, seconds, *self._thread.running())

    def close(self) -> None:
        """Ask the thread to end; it is a daemon, so one that hangs keeps nothing from ending."""
        self._thread.stop()

    def _deliver(self, outputs: list[Output]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended: nobody listens any more
            self._loop.call_soon_threadsafe(self._heard, outputs)
