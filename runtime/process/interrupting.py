"""An interrupt reaches a task and its calls: what they wait for, compute, and would start next."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from runtime.core.errors import Error
from runtime.lua.messages import Input, Interrupt, Withhold
from runtime.process.commands import interrupted
from runtime.process.task import Task


class Interrupts:
    """Interrupts tasks. `post` hands an input to a host's Lua thread, `kill` ends a task with an error."""

    def __init__(
        self, post: Callable[[str, Input], None], kill: Callable[[Task, Error], None], insist_seconds: float
    ) -> None:
        self._post = post
        self._kill = kill
        self._insist_seconds = insist_seconds

    def interrupt(self, task: Task) -> None:
        """Stop what `task` and its calls wait for with Canceled, and keep new long commands from starting.

        It holds until the task reads the next line. Where nothing is in flight the kernel raises Canceled in
        what the task computes, and so it does where nothing new has come of it `insist_seconds` later.
        """
        stopped = self._stop(task)
        if not stopped:
            self._raise(task)
        asyncio.get_running_loop().call_later(self._insist_seconds, self._insist, task, task.commands.started)

    def _stop(self, task: Task) -> int:
        stopped = task.commands.interrupt()
        if not task.jailed:
            self._post(task.host, Withhold(task.id))
        return stopped + sum(self._stop(child) for child in task.calls)

    def _insist(self, task: Task, started: int) -> None:
        if task.alive and task.commands.interrupted and task.commands.started == started:
            self._raise(task)

    def _raise(self, task: Task) -> None:
        if task.jailed:
            self._kill(task, interrupted())
        else:
            self._post(task.host, Interrupt(task.id))
