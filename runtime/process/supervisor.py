"""Services: processes that are started in order, again when they fail, and ended in the opposite order.

A clean end is an end: the service is done. After an error it waits, longer each time, and starts again; a
run that lasted makes earlier failures forgotten. A service is ended by a wish (CANCEL), and by force when the
time for that is over. All of it is the event loop's.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from runtime.core.errors import Canceled, Error, Invalid
from runtime.process.lifecycle import Lifecycle, in_order, read_lifecycle
from runtime.process.task import Task
from runtime.process.tasks import Tasks
from runtime.registry.entry import Change, Entry
from runtime.registry.snapshot import Snapshot

KIND = "process.service"

_log = logging.getLogger(__name__)


@dataclass(eq=False, slots=True)
class Service:
    """One service: what it declares, how it is, and what it runs.

    `state` is `running`, `waiting` (for its restart), `done`, `failed` or `stopped`; `failures` counts those
    since it was last stable.
    """

    entry: Entry
    lifecycle: Lifecycle
    state: str = "stopped"
    failures: int = 0
    task: Task | None = None
    watch: asyncio.Task[None] | None = None
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def become(self, state: str) -> None:
        """Note the new state, for whoever waits for one."""
        self.state = state
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
        self._stopping = False

    def get(self, entry_id: str) -> Service | None:
        """Return a service that was started."""
        return self._services.get(entry_id)

    def services(self) -> list[Service]:
        """Return the services, in the order of their start."""
        return list(self._services.values())

    def start_all(self, entries: Iterable[Entry]) -> None:
        """Start the services of `entries` that start by themselves, and those that they require.

        Raises Invalid for a ring, and what keeps a required service from starting.
        """
        declared = {entry.id: entry for entry in entries if entry.kind == KIND}
        wanted: dict[str, Entry] = {}

        def want(entry: Entry) -> None:
            if entry.id not in wanted:
                wanted[entry.id] = entry
                for name in read_lifecycle(entry).requires:
                    if name in declared:
                        want(declared[name])

        for entry in declared.values():
            if read_lifecycle(entry).auto_start:
                want(entry)
        for entry in in_order(wanted.values()):
            self.start(entry)

    def start(self, entry: Entry) -> Service:
        """Start one service; raise what keeps it from starting where its startup is required."""
        service = Service(entry, read_lifecycle(entry))
        self._services[entry.id] = service
        try:
            service.task = self._spawn(entry)
            service.become("running")
        except Error as error:
            if service.lifecycle.required:
                del self._services[entry.id]
                raise Invalid(
                    f"service `{entry.id}` does not start: {error.message}", place=entry.place
                ) from error
            self._notice(f"service `{entry.id}` does not start: {error.message}")
        service.watch = asyncio.create_task(self._watch(service))
        return service

    async def stop(self, service: Service) -> None:
        """End one service: by a wish, then by force."""
        self._services.pop(service.entry.id, None)
        if service.watch is not None:
            service.watch.cancel()
        task = service.task
        if task is not None and task.alive:
            self._tasks.cancel(task, "", "the service is stopped")
            done, _ = await asyncio.wait({task.result}, timeout=service.lifecycle.stop_timeout)
            if not done:
                self._notice(f"service `{service.entry.id}` did not end by itself: it is ended")
                self._tasks.kill(task, Canceled("the service was stopped"))
                await asyncio.wait({task.result})  # what it required is ended after it
        service.become("stopped")

    async def stop_all(self) -> None:
        """End every service, the last started first."""
        self._stopping = True
        for service in reversed(self.services()):
            await self.stop(service)

    async def reconcile(self, change: Change) -> None:
        """Bring the services to what a change of the registry made of them."""
        for op in change.ops:
            if self._stopping or KIND not in (op.entry.kind, _kind(change.before, op.entry.id)):
                continue
            old, new = self._services.get(op.entry.id), change.after.get(op.entry.id)
            if old is not None:
                await self.stop(old)
            if new is not None and new.kind == KIND and read_lifecycle(new).auto_start:
                try:
                    self.start(new)
                except Error as error:
                    self._notice(error.message)

    async def _watch(self, service: Service) -> None:
        """Follow a service from run to run until it is done or given up."""
        loop, life = asyncio.get_running_loop(), service.lifecycle
        name = service.entry.id
        while True:
            started = loop.time()
            try:
                if service.task is None:
                    service.task = self._spawn(service.entry)
                    service.become("running")
                await self._tasks.wait(service.task)
                return service.become("done")
            except Error as error:
                reason = error.message
            if service.task is not None and loop.time() - started >= life.stable_threshold:
                service.failures = 0
            service.task = None
            service.failures += 1
            if life.restart.gives_up(service.failures):
                self._notice(f"service `{name}` failed and is given up: {reason}")
                return service.become("failed")
            delay = life.restart.delay(service.failures)
            self._notice(f"service `{name}` failed and starts again in {delay:.1f} s: {reason}")
            service.become("waiting")
            await asyncio.sleep(delay)


def _kind(view: Snapshot, entry_id: str) -> str:
    entry = view.get(entry_id)
    return entry.kind if entry else ""
