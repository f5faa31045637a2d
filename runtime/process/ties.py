"""What ties processes together: monitors, which hear of an end, and links, which share a bad one.

A tie is between two tasks that live; it is gone when one of them is. All of it is the event loop's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runtime.core.errors import AlreadyExists, Error, Internal, NotFound
from runtime.process.task import Task

EVENTS = "@pid/events"
CANCEL, EXIT, LINK_DOWN, OUTDATED = "pid.cancel", "pid.exit", "pid.link.down", "pid.outdated"


class Ties:
    """The table of ties. `tell` puts an event into a task's mailbox, `kill` ends a task with an error."""

    def __init__(
        self,
        tell: Callable[[Task, str, dict[str, Any]], None],
        kill: Callable[[Task, Error], None],
        seconds: Callable[[], float],
    ) -> None:
        self._tell = tell
        self._kill = kill
        self._seconds = seconds
        self._watchers: dict[Task, dict[Task, None]] = {}  # who is watched -> by whom, in order
        self._watched: dict[Task, dict[Task, None]] = {}
        self._linked: dict[Task, dict[Task, None]] = {}

    def monitor(self, watcher: Task, target: Task) -> None:
        """Tell `watcher` when `target` ends; raise AlreadyExists where it is told already."""
        if watcher in self._watchers.get(target, ()):
            raise AlreadyExists(f"already monitoring pid `{target.id}`", details={"pid": target.id})
        self._watchers.setdefault(target, {})[watcher] = None
        self._watched.setdefault(watcher, {})[target] = None

    def unmonitor(self, watcher: Task, target: Task) -> None:
        """Tell `watcher` no more; raise NotFound where it was not to be told."""
        if watcher not in self._watchers.get(target, ()):
            raise NotFound(f"pid not registered: `{target.id}` is not monitored", details={"pid": target.id})
        _drop(self._watchers, target, watcher)
        _drop(self._watched, watcher, target)

    def link(self, one: Task, other: Task) -> None:
        """Link two tasks; nothing happens where they are linked."""
        if one is not other:
            self._linked.setdefault(one, {})[other] = None
            self._linked.setdefault(other, {})[one] = None

    def unlink(self, one: Task, other: Task) -> None:
        """Take the link of two tasks away; nothing happens where there is none."""
        _drop(self._linked, one, other)
        _drop(self._linked, other, one)

    def event(self, kind: str, sender: str, **fields: Any) -> dict[str, Any]:
        """Return an event as scripts see it; `at` is in seconds since 1970."""
        return {"kind": kind, "from": sender, "at": self._seconds(), **fields}

    def ended(self, task: Task, value: Any, error: Error | None) -> None:
        """Forget all ties of `task`, then tell those who watch it, then those who are linked to it."""
        watchers, linked = self._watchers.pop(task, {}), self._linked.pop(task, {})
        for watcher in watchers:
            _drop(self._watched, watcher, task)
        for other in linked:
            _drop(self._linked, other, task)
        for target in self._watched.pop(task, {}):
            _drop(self._watchers, target, task)
        result = {"error": error} if error is not None else {"value": value}
        for watcher in watchers:
            self._tell(watcher, task.id, self.event(EXIT, task.id, result=result))
        if error is None:
            return
        for other in linked:
            if other.trap_links:
                self._tell(other, task.id, self.event(LINK_DOWN, task.id, result=result))
            else:
                self._kill(other, Internal("linked process failed", details={"pid": task.id}))


def _drop(table: dict[Task, dict[Task, None]], key: Task, item: Task) -> None:
    found = table.get(key)
    if found is not None:
        found.pop(item, None)
        if not found:
            del table[key]
