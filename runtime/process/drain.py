"""A host is emptied: its processes are asked to end, all at once, and given the time that the host allows."""

from __future__ import annotations

import asyncio

from runtime.process.task import Task
from runtime.process.tasks import Tasks


async def drain(tasks: Tasks, host: str, reason: str, seconds: float) -> list[Task]:
    """Ask the processes of `host` to end, wait at most `seconds`, and return those that go on."""
    asked = tasks.processes(host)
    for task in asked:
        tasks.retire(task, reason)
    if asked:
        await asyncio.wait({task.result for task in asked}, timeout=seconds)
    return [task for task in asked if task.alive]
