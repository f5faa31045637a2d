"""Hosts and services of a project: as whom services run, and how changes of the registry reach what runs.

A host is there for as long as its entry. A service whose entry changed is started anew, and so is one whose
code changed, unless its process asked to be told (OUTDATED) and sees to that itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

from runtime.app.subjects import service_subject
from runtime.core.errors import Canceled, Invalid, NotFound, Place
from runtime.core.ids import qualify
from runtime.core.nearest import did_you_mean
from runtime.process.drain import drain
from runtime.process.lifecycle import read_lifecycle, requirements
from runtime.process.outdated import closure, tell_outdated
from runtime.process.programs import Programs
from runtime.process.start_order import KIND
from runtime.process.supervisor import Supervisor
from runtime.process.task import Start, Task
from runtime.process.tasks import Tasks
from runtime.registry.entry import Change, Entry
from runtime.registry.frozen import thaw
from runtime.registry.handlers import Step, Undo
from runtime.registry.registry import Registry
from runtime.registry.snapshot import Snapshot
from runtime.security.guard import Guard

HOST = "process.host"
HOSTS = (HOST, "terminal.host")


class Services:
    """Keeps the hosts and services of `registry` for the run whose events go to the stream `session`."""

    def __init__(
        self,
        registry: Registry,
        tasks: Tasks,
        programs: Programs,
        guard: Guard,
        session: str,
        notice: Callable[[str], None],
        stop_seconds: float = 30.0,
    ) -> None:
        self._registry = registry
        self._tasks = tasks
        self._programs = programs
        self._guard = guard
        self._session = session
        self._notice = notice
        self._stop_seconds = stop_seconds
        self._loop: asyncio.AbstractEventLoop | None = None
        self._turn = asyncio.Lock()
        self._changes: set[asyncio.Task[None]] = set()
        self._hurried = False
        self.supervisor = Supervisor(tasks, self._spawn, notice)
        registry.handle(HOST, self._accept)
        registry.subscribe(self._changed)

    # -- start and end ---------------------------------------------------------------------------------------

    def open_hosts(self) -> None:
        """Open the hosts that the project declares."""
        for entry in self._registry.current.kind(HOST):
            self._open(entry)

    def start(self) -> None:
        """Start what starts by itself; raise what keeps a required service from it."""
        self._loop = asyncio.get_running_loop()
        self.supervisor.start_all(self._registry.current)

    async def stop(self) -> None:
        """End the services, the last started first, then every other process; nothing runs after this."""
        self._loop = None
        with suppress(TimeoutError):
            async with asyncio.timeout(self._stop_seconds):
                async with self._turn:
                    await self.supervisor.stop_all()
                hosts = [each for each in self._tasks.hosts() if self._tasks.processes(each)]
                await asyncio.gather(*map(self._drain, hosts))
        left = self._tasks.processes()
        if left and not self._hurried:
            self._notice(f"{len(left)} processes did not end in time: they are ended")
        for task in left:
            self._tasks.kill(task, Canceled("the program ends"))
        if left:
            await asyncio.wait({task.result for task in left})

    def hurry(self) -> None:
        """Wait for nobody any more."""
        self._hurried = True
        self.supervisor.hurry()
        if self._loop is None:  # services and processes are being ended
            for task in self._tasks.processes():
                self._tasks.kill(task, Canceled("the program ends"))

    async def _drain(self, host: str) -> list[Task]:
        entry = self._registry.current.get(host)
        seconds = read_lifecycle(entry).stop_timeout if entry is not None else 0.0
        return await drain(self._tasks, host, "the program ends", seconds)

    def _open(self, entry: Entry, loop: asyncio.AbstractEventLoop | None = None) -> None:
        limits: Any = entry.fields.get("host") or {}
        self._tasks.open_host(entry.id, limits.get("max_processes"), loop=loop)

    def _spawn(self, entry: Entry) -> Task:
        process, host = _parts(entry, self._registry.current)
        given: Any = thaw(entry.fields.get("input") or [])
        context = service_subject(entry).context(self._guard.engine)
        start = Start(context, session=self._session)
        return self._tasks.spawn(self._programs.get(process), given, host=host.id, start=start)

    # -- change ----------------------------------------------------------------------------------------------

    def _accept(self, step: Step) -> Undo | None:
        """Open a new host before its entry is in force: one that can not run takes its change back."""
        if self._loop is None or step.after is None or step.before is not None:
            return None
        self._open(step.after, self._loop)
        return partial(self._tasks.close_host, step.after.id)

    def _changed(self, change: Change) -> None:
        """Called on any thread, with every change; services are of the loop."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._take_up, change)

    def _take_up(self, change: Change) -> None:
        if self._loop is None:
            return
        told = tell_outdated(self._tasks, change)
        outdated = [
            service.entry.id
            for service in self.supervisor.services()
            if service.task is not None and service.task not in told and _is_touched(service.task, change)
        ]
        gone = [op.entry.id for op in change.ops if _was_host(change, op.entry.id)]
        for op in change.ops:
            entry = change.after.get(op.entry.id)
            if entry is not None and entry.kind == HOST:
                self._open(entry)
        if gone or outdated or any(_is_service(change, op.entry.id) for op in change.ops):
            work = asyncio.get_running_loop().create_task(self._reconcile(change, outdated, gone))
            self._changes.add(work)
            work.add_done_callback(self._changes.discard)

    async def _reconcile(self, change: Change, outdated: list[str], gone: list[str]) -> None:
        async with self._turn:
            await self.supervisor.reconcile(change, outdated)
            for host in gone:
                entry = change.before.get(host)
                if entry is not None and self._registry.current.get(host) is None:
                    await drain(self._tasks, host, "the host is gone", read_lifecycle(entry).stop_timeout)
                    self._tasks.close_host(host)


def check_service(entry: Entry, view: Snapshot) -> None:
    """Raise NotFound or Invalid where a service, or what has a lifecycle, names what is not there."""
    if entry.kind == KIND:
        _parts(entry, view)
    for required in requirements(entry):
        if required not in view:
            meant = did_you_mean(required, [each.id for each in view.entries()])
            raise NotFound(
                f"`{required}`, which `{entry.id}` requires, is not there{meant}",
                place=_place_of(entry, required),
            )


def _parts(entry: Entry, view: Snapshot) -> tuple[Entry, Entry]:
    """Return the process and the host of a service; raise NotFound or Invalid where it has none."""
    process, host = _part(entry, "process", view), _part(entry, "host", view)
    if not process.kind.startswith("process.") or process.kind in (KIND, HOST):
        raise Invalid(
            f"`{process.id}` is a `{process.kind}`, not a `process.lua` that service `{entry.id}` could run",
            place=entry.place_of("data", "process"),
        )
    if host.kind not in HOSTS:
        raise Invalid(
            f"`{host.id}` is a `{host.kind}`: the host of service `{entry.id}` must be a `{HOST}`",
            place=entry.place_of("data", "host"),
        )
    return process, host


def _place_of(entry: Entry, required: str) -> Place | None:
    """Return where `entry` requires what has the id `required`."""
    lifecycle: Any = entry.fields.get("lifecycle")
    for field in ("requires", "depends_on"):
        for index, name in enumerate(lifecycle.get(field) or ()):
            if qualify(str(name), entry.namespace) == required:
                return entry.place_of("data", "lifecycle", field, index)
    return entry.place_of("data", "lifecycle")


def _part(entry: Entry, name: str, view: Snapshot) -> Entry:
    wanted = qualify(str(entry.fields.get(name)), entry.namespace)
    found = view.get(wanted)
    if found is None:
        kinds = HOSTS if name == "host" else ("process.lua",)
        meant = did_you_mean(wanted, [each.id for kind in kinds for each in view.kind(kind)])
        raise NotFound(
            f"{name} `{wanted}` of service `{entry.id}` is not there{meant}",
            place=entry.place_of("data", name),
        )
    return found


def _is_touched(task: Task, change: Change) -> bool:
    return not closure(task).isdisjoint(op.entry.id for op in change.ops)


def _entries(change: Change, entry_id: str) -> Iterator[Entry]:
    for view in (change.before, change.after):
        if (entry := view.get(entry_id)) is not None:
            yield entry


def _is_service(change: Change, entry_id: str) -> bool:
    return any(entry.kind == KIND for entry in _entries(change, entry_id))


def _was_host(change: Change, entry_id: str) -> bool:
    before = change.before.get(entry_id)
    return before is not None and before.kind == HOST and change.after.get(entry_id) is None
