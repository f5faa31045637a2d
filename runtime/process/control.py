"""The command `process.send`: a message to another process needs an allow, one to oneself does not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runtime.core.errors import Invalid
from runtime.lua.dispatch import Caller, Handler
from runtime.process.tasks import Tasks
from runtime.security.guard import Guard


class ProcessCommands:
    """Answers `process.*` for Lua code; what has no handler here is refused by name."""

    def __init__(self, tasks: Tasks, guard: Guard) -> None:
        self._tasks = tasks
        self._guard = guard

    def handlers(self) -> Mapping[str, Handler]:
        """Return the handlers by command name."""
        return {"process.send": self._send}

    async def _send(self, caller: Caller, args: list[Any]) -> bool:
        wanted = args[0] if args and isinstance(args[0], dict) else {}
        dest, topic = wanted.get("dest"), wanted.get("topic")
        if not isinstance(dest, str) or not isinstance(topic, str) or not dest or not topic:
            raise Invalid("send requires at least destination and topic arguments")
        if topic.startswith("@"):
            raise Invalid("cannot send to @ topics")
        if dest != caller.task:
            self._guard.require(caller.context, "process.send", dest)
        self._tasks.send(dest, topic, args[1:], sender=caller.task)
        return True
