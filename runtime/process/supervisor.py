"""Services: processes that are started in order, again when they fail, and ended in the opposite order.

A clean end is an end, and so is one that nobody should try again: the service is done. After another error it
waits, longer each time, and starts again; a run that lasted makes earlier failures forgotten. A service is
ended by a wish (CANCEL), and by force when the time for that is over. All of it is the event loop's.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from runtime.core.errors import Canceled, Error, Invalid
from runtime.process.lifecycle import Lifecycle, read_lifecycle
from runtime.process.start_order import KIND, needs, start_order
from runtime.process.task import Task
from runtime.process.tasks import Tasks
from runtime.registry.entry import Change, Entry
from runtime.registry.snapshot import Snapshot

_DOWN = ("waiting", "failed", "stopping")


@dataclass(eq=False, slots=True)
class Service:
    """One service: what it declares, how it is, and what it runs.

    `state` is `running`, `waiting` (for its start or restart), `done`, `failed` (given up), `stopping` or
    `stopped`; `why` says more in words. `failures` counts those since it was last stable. `at` and `started`
    are in seconds since 1970: its last change, and its last start.
    """

    entry: Entry
    lifecycle: Lifecycle
    needs: tuple[str, ...] = ()
    state: str = "stopped"
    why: str = ""
    failures: int = 0
    at: float = 0.0
    started: float = 0.0
    task: Task | None = None
    watch: asyncio.Task[None] | None = None
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def become(self, state: str, why: str = "") -> None:
        """Note the new state, for whoever waits for one."""
        self.state, self.why, self.at = state, why, time.time()
        if state == "running":
            self.started = self.at
        self.changed.set()
        self.changed = asyncio.Event()


class Supervisor:
    """Keeps services running. `spawn` starts the process of a service entry, or raises why it can not.

    `notice` hears in one line of each failure, restart and giving up.
    """

    def __init__(self, tasks: Tasks, spawn: Callable[[Entry], Task], notice: Callable[[str], None]) -> None:
        self._tasks = tasks
        self._spawn = spawn
        self._notice = notice
        self._services: dict[str, Service] = {}  # in the order of their start
        self._stopping = self._hurried = False

    def get(self, entry_id: str) -> Service | None:
        """Return a service that was started."""
        return self._services.get(entry_id)

    def services(self) -> list[Service]:
        """Return the services, in the order of their start."""
        return list(self._services.values())

    # -- start -----------------------------------------------------------------------------------------------

    def start_all(self, view: Snapshot) -> None:
        """Start the services of `view` that start by themselves, and those that they require.

        Raises Invalid for a ring, and what keeps a required service from starting.
        """
        for entry in start_order(_automatic(view.kind(KIND)), view):
            self.start(entry, view)

    def start(self, entry: Entry, view: Snapshot, *, strict: bool = True) -> Service:
        """Start one service; while one that it requires does not run it waits.

        Where it is `strict` and its startup required, Invalid is raised with what keeps it from starting.
        """
        required = tuple(each.id for each in needs(entry, view))
        service = self._services[entry.id] = Service(entry, read_lifecycle(entry), required)
        if self._down(service):
            service.become("waiting", f"service `{self._down(service)}` does not run")
        else:
            try:
                service.task = self._spawn(entry)
                service.become("running")
            except Error as error:
                if strict and service.lifecycle.required:
                    del self._services[entry.id]
                    raise Invalid(
                        f"service `{entry.id}` does not start: {error.message}", place=entry.place
                    ) from error
                service.become("waiting", error.message)
        service.watch = asyncio.create_task(self._watch(service))
        return service

    def _down(self, service: Service) -> str | None:
        """Return a service that `service` requires and that does not run, if there is one."""
        for entry_id in service.needs:
            other = self._services.get(entry_id)
            if other is not None and other.state in _DOWN:
                return entry_id
        return None

    async def _watch(self, service: Service) -> None:
        """Follow a service from run to run until it is done or given up."""
        life, name = service.lifecycle, service.entry.id
        while True:
            try:
                if service.task is None:
                    await self._requirements(service)
                    service.task = self._spawn(service.entry)
                    service.become("running")
                started = time.monotonic()
                await self._tasks.wait(service.task)
                return service.become("done")
            except Error as error:
                if isinstance(error, Canceled) or error.retryable is False:
                    self._notice(f"service `{name}` has ended: {error.message}")
                    return service.become("done", error.message)
                reason = error.message
            if service.task is not None and time.monotonic() - started >= life.stable_threshold:
                service.failures = 0
            service.task = None
            service.failures += 1
            if life.restart.gives_up(service.failures):
                self._notice(f"service `{name}` failed and is given up: {reason}")
                return service.become("failed", reason)
            delay = life.restart.delay(service.failures)
            self._notice(f"service `{name}` failed and starts again in {delay:.1f} s: {reason}")
            service.become("waiting", reason)
            await asyncio.sleep(delay)

    async def _requirements(self, service: Service) -> None:
        while (missing := self._down(service)) is not None:
            await self._services[missing].changed.wait()

    # -- end -------------------------------------------------------------------------------------------------

    async def stop(self, service: Service) -> None:
        """End one service: by a wish, then by force."""
        if service.watch is not None:
            service.watch.cancel()
        task = service.task
        if task is not None and task.alive:
            service.become("stopping")
            self._tasks.retire(task, "the service is stopped")
            await self._end(service, task)
        service.become("stopped")
        if self._services.get(service.entry.id) is service:
            del self._services[service.entry.id]

    async def _end(self, service: Service, task: Task) -> None:
        if not self._hurried:
            done, _ = await asyncio.wait({task.result}, timeout=service.lifecycle.stop_timeout)
            if done:
                return
            if not self._hurried:
                self._notice(f"service `{service.entry.id}` did not end in time: it is ended")
        self._tasks.kill(task, Canceled("the service was stopped"))
        await asyncio.wait({task.result})  # what it required is ended after it

    async def stop_all(self) -> None:
        """End every service, the last started first."""
        self._stopping = True
        for service in reversed(self.services()):
            await self.stop(service)

    def hurry(self) -> None:
        """End at once what is being stopped, and without a wish what is still to be."""
        self._hurried = True
        for service in self.services():
            if service.state == "stopping" and service.task is not None:
                self._tasks.kill(service.task, Canceled("the service was stopped"))

    # -- change ----------------------------------------------------------------------------------------------

    async def reconcile(self, change: Change, outdated: Iterable[str] = ()) -> None:
        """Bring the services to what a change of the registry made of them.

        Those that it changed, and those whose ids are in `outdated`, are ended and started again.
        """
        touched = {op.entry.id for op in change.ops if KIND in _kinds(change, op.entry.id)} | set(outdated)
        ran = [service for service in reversed(self.services()) if service.entry.id in touched]
        for service in ran:
            if not self._stopping:
                await self.stop(service)
        found = (change.after.get(entry_id) for entry_id in sorted(touched))
        there = [entry for entry in found if entry is not None and entry.kind == KIND]
        again = {service.entry.id for service in ran}
        wanted = _automatic(entry for entry in there if entry.id not in again)
        try:
            ordered = start_order([*wanted, *(entry for entry in there if entry.id in again)], change.after)
        except Error as error:
            self._notice(error.message)
            return
        for entry in ordered:
            if not self._stopping and entry.id not in self._services:
                self.start(entry, change.after, strict=False)


def _automatic(entries: Iterable[Entry]) -> list[Entry]:
    return [entry for entry in entries if read_lifecycle(entry).auto_start]


def _kinds(change: Change, entry_id: str) -> tuple[str, ...]:
    views = (change.before.get(entry_id), change.after.get(entry_id))
    return tuple(entry.kind for entry in views if entry is not None)
