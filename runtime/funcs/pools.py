"""Pools: functions that say so keep environments between calls, and with them what their chunk remembers.

A call takes a free environment, else a new one up to the size of the pool, else it waits its turn. An
environment belongs to the Lua state that it was made in, and a call that takes it runs there. When the code
of a function changes, later calls get environments of the new code; those of the old one are dropped when
their call ends.
"""

from __future__ import annotations

import asyncio
import itertools
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from runtime.core.errors import Unavailable
from runtime.lua.program import Program
from runtime.process.task import Task
from runtime.process.tasks import Tasks
from runtime.registry.entry import Change, Entry

IDLE_SECONDS = 30.0
"""How long an environment of a pool that shrinks waits for its next call."""

WORKERS, MAX_SIZE = 8, 16


@dataclass(frozen=True, slots=True)
class Size:
    """How many environments a pool has at most, and whether it gives up those that nobody uses."""

    most: int
    shrinks: bool


@dataclass(eq=False, slots=True)
class Slot:
    """One environment: the name that it is kept under, and the host whose Lua state it belongs to."""

    name: str
    host: str
    expiry: asyncio.TimerHandle | None = None


@dataclass(eq=False, slots=True)
class _Pool:
    """The environments of one function in one version."""

    program: str
    size: Size
    free: list[Slot] = field(default_factory=list)
    busy: set[Slot] = field(default_factory=set)
    waiting: deque[asyncio.Future[Slot]] = field(default_factory=deque)
    retired: bool = False


def read_size(entry: Entry) -> Size | None:
    """Return the size of the pool of a function, None where it declares none."""
    pool = entry.fields.get("pool")
    if not isinstance(pool, Mapping):
        return None
    given: Any = pool
    workers, size, most = (int(given.get(name) or 0) for name in ("workers", "size", "max_size"))
    match given.get("type"):
        case "inline":
            return Size(1, False)
        case "static":
            return Size(workers or size or WORKERS, False)
        case "lazy" | "adaptive":
            return Size(most or size or MAX_SIZE, True)
    if workers:
        return Size(workers, False)
    if size and not most:
        return Size(1, False)
    return Size(most or MAX_SIZE, True)


class Pools:
    """The pools by function; all of it is the event loop's."""

    def __init__(self, tasks: Tasks, idle_seconds: float = IDLE_SECONDS) -> None:
        self._tasks = tasks
        self._idle_seconds = idle_seconds
        self._pools: dict[str, _Pool] = {}
        self._numbers = itertools.count(1)
        self._loop: asyncio.AbstractEventLoop | None = None

    @asynccontextmanager
    async def slot(
        self, entry: Entry, program: Program, caller: str, host: str
    ) -> AsyncIterator[Slot | None]:
        """Hold an environment of `entry` for a call by the task `caller`; None where it keeps none.

        Raises Unavailable where the call would wait for itself.
        """
        size = read_size(entry) if entry.origin in ("file", "module") else None
        if size is None:
            yield None
            return
        self._loop = asyncio.get_running_loop()
        pool = self._current(entry.id, program, size)
        slot = self._take(pool, host) or await self._wait(pool, entry.id, caller)
        try:
            yield slot
        finally:
            self._give_back(pool, slot)

    def changed(self, change: Change) -> None:
        """Hear of a change, on any thread: the pools of what is gone are given up."""
        gone = [op.entry.id for op in change.ops if op.kind == "delete" and op.entry.id in self._pools]
        if gone and self._loop is not None:
            self._loop.call_soon_threadsafe(self._forget, gone)

    def environments(self, entry_id: str) -> int:
        """Return how many environments a function has now."""
        pool = self._pools.get(entry_id)
        return len(pool.free) + len(pool.busy) if pool else 0

    # -- steps -----------------------------------------------------------------------------------------------

    def _current(self, entry_id: str, program: Program, size: Size) -> _Pool:
        pool = self._pools.get(entry_id)
        if pool is None or pool.program != program.key or pool.size != size:
            self._forget([entry_id])
            pool = self._pools[entry_id] = _Pool(program.key, size)
        return pool

    def _forget(self, entry_ids: list[str]) -> None:
        for entry_id in entry_ids:
            if (pool := self._pools.pop(entry_id, None)) is not None:
                pool.retired = True
                for slot in pool.free:
                    self._drop(slot)
                pool.free.clear()

    def _take(self, pool: _Pool, host: str) -> Slot | None:
        """Return a free environment, one of the caller's host if there is any, or a new one."""
        open_hosts = set(self._tasks.hosts())
        pool.free = [slot for slot in pool.free if slot.host in open_hosts]
        if pool.free:
            own = [slot for slot in pool.free if slot.host == host]
            slot = (own or pool.free)[-1]
            pool.free.remove(slot)
            if slot.expiry is not None:
                slot.expiry.cancel()
        elif len(pool.busy) < pool.size.most:
            slot = Slot(f"pool {next(self._numbers)}", host)
        else:
            return None
        pool.busy.add(slot)
        return slot

    async def _wait(self, pool: _Pool, entry_id: str, caller: str) -> Slot:
        if self._above(entry_id, caller) >= pool.size.most:
            raise Unavailable(
                f"`{entry_id}` would wait for itself: its pool has {pool.size.most} environments, and the "
                "calls that lead here hold all of them",
                details={"target": entry_id},
                retryable=False,
            )
        turn: asyncio.Future[Slot] = asyncio.get_running_loop().create_future()
        pool.waiting.append(turn)
        try:
            return await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._give_back(pool, turn.result())
            raise

    def _above(self, entry_id: str, caller: str) -> int:
        """Return how many calls of the function lead to the task `caller`, itself included."""
        task: Task | None = self._tasks.get(caller)
        count = 0
        while task is not None:
            count += task.parent is not None and task.caller.entry == entry_id
            task = task.parent
        return count

    def _give_back(self, pool: _Pool, slot: Slot) -> None:
        while pool.waiting:
            turn = pool.waiting.popleft()
            if not turn.done():
                turn.set_result(slot)
                return
        pool.busy.discard(slot)
        if pool.retired:
            self._drop(slot)
            return
        pool.free.append(slot)
        if pool.size.shrinks:
            loop = asyncio.get_running_loop()
            slot.expiry = loop.call_later(self._idle_seconds, self._expire, pool, slot)

    def _expire(self, pool: _Pool, slot: Slot) -> None:
        if slot in pool.free:
            pool.free.remove(slot)
            self._drop(slot)

    def _drop(self, slot: Slot) -> None:
        if slot.expiry is not None:
            slot.expiry.cancel()
        self._tasks.drop_environment(slot.host, slot.name)
