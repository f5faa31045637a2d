"""The open hosts: their Lua threads, how many processes each takes, and the epoch of what was allowed."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence

from runtime.core.errors import Unavailable
from runtime.lua.messages import Input, Output
from runtime.process.heartbeat import Silence
from runtime.process.host import Host, NewThread


class Hosts:
    """The table of hosts; `heard` gets the outputs of all of them."""

    def __init__(self, new_thread: NewThread, heard: Callable[[Sequence[Output]], None]) -> None:
        self._new_thread = new_thread
        self._heard = heard
        self._open: dict[str, Host] = {}
        self._most: dict[str, int] = {}
        self._running: Counter[str] = Counter()
        self.epoch = 0

    def open(
        self, id: str, most: int | None = None, *, loop: asyncio.AbstractEventLoop | None = None
    ) -> None:
        """Start the Lua thread of the entry `id`, for `most` processes at once (None: any number).

        One that runs already only gets the new number; who is there stays. On a thread without an event
        loop, `loop` is the one that hears the host.
        """
        self._most.pop(id, None)
        if most is not None:
            self._most[id] = most
        if id in self._open:
            self.new_epoch()  # a Lua thread may start processes by itself only where any number may run
        else:
            self._open[id] = Host(id, self._new_thread, loop or asyncio.get_running_loop(), self._heard)
            self._open[id].set_epoch(self.epoch)

    def ids(self) -> list[str]:
        """Return the ids of the hosts that are open, sorted."""
        return sorted(self._open)

    def get(self, id: str) -> Host | None:
        """Return the host of that id while it is open."""
        return self._open.get(id)

    def post(self, id: str, *inputs: Input) -> None:
        """Hand inputs to a host; one that is closed hears nothing."""
        if (host := self._open.get(id)) is not None:
            host.post(*inputs)

    def running(self, id: str) -> int:
        """Return how many processes run on a host; function calls do not count."""
        return self._running[id]

    def check_room(self, id: str) -> None:
        """Raise Unavailable where a host takes no more processes."""
        most = self._most.get(id)
        if most is not None and self._running[id] >= most:
            raise Unavailable(
                f"host `{id}` is full: it runs {most} processes", details={"host": id}, retryable=True
            )

    def has_endless_room(self, id: str) -> bool:
        """Whether a host is open and takes any number of processes."""
        return id in self._open and id not in self._most

    def enter(self, id: str) -> None:
        """Note that a process runs on a host."""
        self._running[id] += 1

    def leave(self, id: str) -> None:
        """Note that one has ended."""
        self._running[id] -= 1

    def new_epoch(self) -> None:
        """Make every Lua thread ask again for what it was allowed before."""
        self.epoch += 1
        for host in self._open.values():
            host.set_epoch(self.epoch)

    def silences(self) -> list[Silence]:
        """Return, for each host whose Lua runs now, since when it gives no sign of life."""
        found = (host.silence() for host in self._open.values())
        return [silence for silence in found if silence is not None]

    def close(self, id: str) -> None:
        """End the Lua thread of a host; nothing happens where it is not open."""
        if (host := self._open.pop(id, None)) is not None:
            host.close()

    def close_all(self) -> None:
        """End every Lua thread; one that hangs inside C is left behind."""
        for id in self.ids():
            self.close(id)
