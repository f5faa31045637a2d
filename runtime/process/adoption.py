"""Tasks that a Lua state started by itself, as the host had allowed, get their row in the table of tasks.

They work for whom their starter works. A process is spawned in the eyes of all from then on; a call is a
command in flight of its caller. What was started for somebody who has ended is ended too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runtime.core.errors import Canceled
from runtime.lua.dispatch import Dispatcher
from runtime.lua.messages import Started
from runtime.process.allowed import AllowedPrograms
from runtime.process.commands import interrupted
from runtime.process.task import Task, host_of, own_failure

if TYPE_CHECKING:
    from runtime.process.tasks import Tasks


class Adoption:
    """Enters tasks into `tasks`; `allowed` are the programs that they may run."""

    def __init__(self, tasks: Tasks, dispatcher: Dispatcher) -> None:
        self._tasks = tasks
        self._dispatcher = dispatcher
        self.allowed = AllowedPrograms()

    def adopt(self, started: Started) -> None:
        """Take up what a Lua state says that it started."""
        tasks = self._tasks
        parent, program = tasks.get(started.parent), self.allowed.get(started.program)
        if parent is None or program is None:
            for id in started.tasks:
                tasks.discard(host_of(id), id, Canceled("who started it has ended"))
            return
        caller = parent.caller
        for id in started.tasks:
            task = Task(id, caller, self._dispatcher, program, parent if started.call else None)
            tasks.enter(task)
            if started.call:
                tasks.line_of(parent).attend(started.call, self._outcome(task, parent))
                continue
            if "monitored" in started.form:
                tasks.ties.monitor(parent, task)
            if "linked" in started.form:
                tasks.ties.link(parent, task)
            tasks.tell_spawned(task)

    async def _outcome(self, task: Task, parent: Task) -> Any:
        """Return what a call ends with."""
        canceled = Canceled(f"the call of `{task.caller.entry}` was canceled")
        if parent.commands.interrupted:
            self._tasks.kill(task, canceled)
            raise interrupted()
        try:
            return await self._tasks.wait(task, or_kill=canceled)
        except Canceled as error:
            raise own_failure(task.caller.entry, error) from error
