"""The event bus: what one says by system, kind and path, all hear who subscribed to it.

An event reaches a subscriber as a message on a topic of its own, in the order in which events were sent. A
subscription ends with its task. Policy is asked on the system as written: a pattern needs its own allow.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from runtime.core.errors import Invalid, Unavailable
from runtime.lua.dispatch import Caller, Handler
from runtime.process.task import Task
from runtime.process.tasks import Tasks
from runtime.security.guard import Guard

TOPIC = "@events/"
MOST = 1000
"""Subscriptions that one task may have."""


@dataclass(frozen=True, slots=True)
class _Subscription:
    task: Task
    topic: str
    system: str
    kind: str

    def wants(self, system: str, kind: str) -> bool:
        return _matches(self.system, system) and _matches(self.kind, kind)


class EventBus:
    """Answers `events.*`."""

    def __init__(self, tasks: Tasks, guard: Guard) -> None:
        self._tasks = tasks
        self._guard = guard
        self._numbers = itertools.count(1)
        self._subscriptions: dict[str, _Subscription] = {}

    def handlers(self) -> Mapping[str, Handler]:
        """Return the handlers by command name."""
        return {
            "events.subscribe": self._subscribe,
            "events.unsubscribe": self._unsubscribe,
            "events.send": self._send,
        }

    def publish(self, system: str, kind: str, path: str, data: Any = None) -> int:
        """Tell all who subscribed, and return how many that were."""
        event = {"system": system, "kind": kind, "path": path, "data": data}
        told = 0
        for found in list(self._subscriptions.values()):
            if not found.task.alive:
                del self._subscriptions[found.topic]
            elif found.wants(system, kind):
                self._tasks.notify(found.task, found.topic, event)
                told += 1
        return told

    async def _subscribe(self, caller: Caller, args: list[Any]) -> str:
        system, kind = _text(args, 0, "system"), args[1] if len(args) > 1 else None
        if kind is not None and not isinstance(kind, str):
            raise Invalid("kind must be a string")
        self._guard.require(caller.context, "events.subscribe", system)
        task = self._tasks.resolve(caller.task)
        if sum(each.task is task for each in self._subscriptions.values()) >= MOST:
            raise Unavailable(f"a task has at most {MOST} subscriptions: close one", retryable=False)
        topic = f"{TOPIC}{next(self._numbers)}"
        self._subscriptions[topic] = _Subscription(task, topic, system, kind or "*")
        return topic

    async def _unsubscribe(self, caller: Caller, args: list[Any]) -> bool:
        found = self._subscriptions.get(_text(args, 0, "topic"))
        if found is None or found.task.id != caller.task:
            return False
        del self._subscriptions[found.topic]
        return True

    async def _send(self, caller: Caller, args: list[Any]) -> bool:
        system, kind, path = (_text(args, at, name) for at, name in enumerate(("system", "kind", "path")))
        self._guard.require(caller.context, "events.send", system)
        self.publish(system, kind, path, args[3] if len(args) > 3 else None)
        return True


def _text(args: list[Any], at: int, name: str) -> str:
    value = args[at] if len(args) > at else None
    if not isinstance(value, str) or not value:
        raise Invalid(f"{name} must be a string that is not empty")
    return value


def _matches(pattern: str, value: str) -> bool:
    if pattern.endswith("*"):
        return value.startswith(pattern[:-1])
    return pattern == value
