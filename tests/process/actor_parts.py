"""A host program with processes that are declared in one file of Lua, each under its own name.

`--- name` begins the source of the process `app:name`; the first one is run, and must return true. Three
hosts are open: `app:processes`, `app:other`, and `app:small`, which takes two processes. Everybody may do
what begins with `process.`, unless the file begins with `-- allow:` and the actions that are allowed.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from runtime.core.clock import SystemClock
from runtime.journal.memory import MemoryJournal
from runtime.lua.dispatch import Dispatcher
from runtime.lua.library import Library
from runtime.lua.messages import Output
from runtime.lua.thread import LuaThread
from runtime.process.control import ProcessCommands
from runtime.process.events import EventBus
from runtime.process.outdated import tell_outdated
from runtime.process.programs import Programs
from runtime.process.spawning import SpawnCommands
from runtime.process.supervisor import Supervisor
from runtime.process.system import Run, SystemCommands
from runtime.process.task import Start, Task
from runtime.process.tasks import Tasks
from runtime.registry.entry import Change, Entry, Origin
from runtime.registry.registry import Registry
from runtime.security.actor import Actor, Context, Scope
from runtime.security.engine import Engine
from runtime.security.guard import Guard
from runtime.services.security_commands import SecurityCommands

CASES = sorted((Path(__file__).parent / "cases").glob("*.lua"))
LIBRARY = Library.discover()
HOSTS = {"app:processes": None, "app:other": None, "app:small": 2}
DEADLINE = 20.0
MODULES = ["time", "ctx", "security", "events", "env", "system"]
_PART = re.compile(r"^--- (\w+)\n", re.MULTILINE)


def policy(name: str, actions: list[str], resources: str | list[str] = "*", effect: str = "allow") -> Entry:
    rule = {"actions": actions, "resources": resources, "effect": effect}
    return Entry(f"app:{name}", "security.policy", {}, {"policy": rule}, Origin.FILE)


def process(name: str, source: str) -> Entry:
    return Entry(
        f"app:{name}", "process.lua", {}, {"source": source, "modules": MODULES}, Origin.FILE, None, name
    )


def declared(text: str) -> Iterator[Entry]:
    pieces = _PART.split(text)
    for name, body in zip(pieces[1::2], pieces[2::2], strict=True):
        # Blank lines in front keep the lines of messages those of the file.
        line = text[: text.index(f"--- {name}\n")].count("\n") + 1
        yield process(name, "\n" * line + body)


class ActorHouse:
    """All that stands behind `process.*`, with the processes of `text`."""

    def __init__(self, text: str, more: list[Entry] | None = None) -> None:
        first = text.partition("\n")[0]
        allowed = first.removeprefix("-- allow:").split() if first.startswith("-- allow:") else ["process.*"]
        self.processes = list(declared(text))
        hosts = [Entry(host, "process.host", {}, {}, Origin.FILE) for host in HOSTS]
        self.registry = Registry(MemoryJournal(), SystemClock())
        self.registry.load([*self.processes, *hosts, *(more or []), policy("all", allowed)])
        self.engine = Engine()
        self.engine.rebuild(self.registry.current.entries())
        guard = Guard(self.engine)
        self.dispatcher = dispatcher = Dispatcher()
        self.threads: list[LuaThread] = []

        def made(name: str, deliver: Callable[[list[Output]], None]) -> LuaThread:
            self.threads.append(LuaThread(name, LIBRARY, deliver))
            return self.threads[-1]

        self.tasks = Tasks(dispatcher, made)
        self.programs = Programs(self.registry, LIBRARY)
        self.exits: list[int] = []
        self.supervisor = Supervisor(self.tasks, self._serve, lambda _: None)
        self.registry.subscribe(self._changed)
        for commands in (
            ProcessCommands(self.tasks, guard),
            SpawnCommands(self.tasks, guard, self.programs, lambda: self.registry.current),
            SecurityCommands(guard),
            EventBus(self.tasks, guard),
            SystemCommands(self.tasks, guard, LIBRARY, Run(lambda: self.supervisor, self.exits.append)),
        ):
            for name, handler in commands.handlers().items():
                dispatcher.register(name, handler)
        for host, most in HOSTS.items():
            self.tasks.open_host(host, most)

    def _changed(self, change: Change) -> None:
        tell_outdated(self.tasks, change)

    def _serve(self, service: Entry) -> Task:
        """Start the process that a service names."""
        entry = self.registry.current.require(str(service.fields["process"]))
        return self.tasks.spawn(self.programs.get(entry), [], host="app:processes")

    def start(self, *args: Any, policies: Sequence[str] = ("app:all",)) -> Task:
        """Start the first process, for somebody with these policies."""
        context = Context(Actor("app:tester"), Scope(policies))
        program = self.programs.get(self.processes[0])
        return self.tasks.spawn(program, args, host="app:processes", start=Start(context, {"origin": "test"}))

    async def run(self, *args: Any, policies: Sequence[str] = ("app:all",)) -> Any:
        return await self.tasks.wait(self.start(*args, policies=policies))


def run_case(text: str) -> Any:
    """Return what the first process of `text` returns; raise its error."""

    async def main() -> Any:
        house = ActorHouse(text)
        try:
            async with asyncio.timeout(DEADLINE):
                return await house.run()
        finally:
            await house.tasks.close()

    return asyncio.run(main())
