"""The services of a project: as whom they run, and how changes of the registry reach their supervisor."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from runtime.app.subjects import service_subject
from runtime.core.errors import NotFound
from runtime.core.ids import qualify
from runtime.process.programs import Programs
from runtime.process.supervisor import KIND, Supervisor
from runtime.process.task import Start, Task
from runtime.process.tasks import Tasks
from runtime.registry.entry import Change, Entry
from runtime.registry.frozen import thaw
from runtime.registry.registry import Registry
from runtime.security.guard import Guard


class Services:
    """Starts the services of `registry` for the run whose events go to the stream `session`."""

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
        self._stop_seconds = stop_seconds
        self._loop: asyncio.AbstractEventLoop | None = None
        self._turn = asyncio.Lock()
        self._changes: set[asyncio.Task[None]] = set()
        self.supervisor = Supervisor(tasks, self._spawn, notice)
        registry.subscribe(self._changed)

    def start(self) -> None:
        """Start what starts by itself; raise what keeps a required service from it."""
        self._loop = asyncio.get_running_loop()
        self.supervisor.start_all(self._registry.current.kind(KIND))

    async def stop(self) -> None:
        """End all services, the last started first; what is not done in time ends with all other tasks."""
        self._loop = None
        with suppress(TimeoutError):
            async with asyncio.timeout(self._stop_seconds):
                await self.supervisor.stop_all()

    def _spawn(self, entry: Entry) -> Task:
        wanted = qualify(str(entry.fields.get("process")), entry.namespace)
        host = qualify(str(entry.fields.get("host")), entry.namespace)
        process = self._registry.current.get(wanted)
        if process is None or not process.kind.startswith("process."):
            raise NotFound(f"process `{wanted}` of service `{entry.id}` is not there")
        given: Any = thaw(entry.fields.get("input") or [])
        context = service_subject(entry).context(self._guard.engine)
        return self._tasks.spawn(
            self._programs.get(process), given, host=host, start=Start(context, session=self._session)
        )

    def _changed(self, change: Change) -> None:
        """Called on any thread, with every change; services are of the loop."""
        loop = self._loop
        if loop is not None and any(_is_service(change, op.entry.id) for op in change.ops):
            loop.call_soon_threadsafe(self._take_up, change)

    def _take_up(self, change: Change) -> None:
        work = asyncio.get_running_loop().create_task(self._reconcile(change))
        self._changes.add(work)
        work.add_done_callback(self._changes.discard)

    async def _reconcile(self, change: Change) -> None:
        async with self._turn:
            await self.supervisor.reconcile(change)


def _is_service(change: Change, entry_id: str) -> bool:
    views = (change.before.get(entry_id), change.after.get(entry_id))
    return any(entry is not None and entry.kind == KIND for entry in views)
