"""Real parts for tests of function calls: journal, registry, policies, tasks, the jail, and one caller."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from runtime.core.clock import SystemClock
from runtime.funcs.calls import FunctionCalls
from runtime.jail.child import Jail
from runtime.jail.limits import JailLimits
from runtime.journal.events import Event
from runtime.journal.memory import MemoryJournal
from runtime.lua.dispatch import Dispatcher
from runtime.lua.library import Library
from runtime.lua.program import link
from runtime.lua.thread import LuaThread
from runtime.process.programs import Programs
from runtime.process.task import Start, Task
from runtime.process.tasks import Tasks
from runtime.registry.entry import Entry, Op, Origin
from runtime.registry.registry import Registry
from runtime.security.actor import Actor, Context, Scope
from runtime.security.engine import Engine
from runtime.security.guard import Denial, Guard

LIBRARY = Library.discover()
HOST = "app:processes"
STREAM = "session:s1"
DEADLINE = 10.0
CALLER = Context(Actor("app:agent", {"role": "agent"}), Scope(["app:calls"]))


def policy(name: str, actions: Sequence[str], resources: Sequence[str], effect: str = "allow") -> Entry:
    rule = {"actions": list(actions), "resources": list(resources), "effect": effect}
    return Entry(f"app:{name}", "security.policy", {}, {"policy": rule}, Origin.FILE)


def function(id: str, body: str, *, modules: Sequence[str] = (), meta: Any = None, **more: Any) -> Entry:
    """Return a function whose body gets its arguments as `...`; born at run time under `app.generated`."""
    source = f"return {{ handler = function(...)\n{body}\nend }}"
    origin = Origin.RUNTIME if id.startswith("app.generated:") else Origin.FILE
    data = {"source": source, "method": "handler", "modules": list(modules), **more}
    return Entry(id, "function.lua", meta or {}, data, origin)


def tool(id: str, body: str, **more: Any) -> Entry:
    return function(id, body, meta={"type": "tool", "llm_alias": id.partition(":")[2]}, **more)


class House:
    """Everything behind `funcs.call`, with one open host."""

    def __init__(
        self, entries: Sequence[Entry], limits: JailLimits | None = None, most_jailed: int = 32
    ) -> None:
        self.journal = MemoryJournal()
        self.registry = Registry(self.journal, SystemClock())
        self.denied: list[Denial] = []
        engine = Engine()
        self.guard = Guard(engine, True, self.denied.append)
        self.dispatcher = Dispatcher()
        self.jail = Jail(LIBRARY, limits=limits)
        self.tasks = Tasks(
            self.dispatcher,
            lambda name, deliver: LuaThread(name, LIBRARY, deliver),
            confine=self.jail.call,
            most_jailed=most_jailed,
        )
        self.programs = Programs(self.registry, LIBRARY)
        self.calls = FunctionCalls(self.tasks, self.programs, self.registry, self.guard, self.journal)
        for name, handler in self.calls.handlers().items():
            self.dispatcher.register(name, handler)
        self.tasks.open_host(HOST)
        born = [entry for entry in entries if entry.origin is Origin.RUNTIME]
        self.registry.load([entry for entry in entries if entry.origin is not Origin.RUNTIME])
        if born:
            self.apply(*[Op("create", entry) for entry in born])
        engine.rebuild(self.registry.current.kind("security.policy"))

    def apply(self, *ops: Op) -> None:
        self.registry.apply(list(ops), actor="app:agent", origin=Origin.RUNTIME)

    def start(
        self, body: str, context: Context = CALLER, *, modules: Sequence[str] = (), **values: Any
    ) -> Task:
        """Start a process whose code is `body`, with the module `funcs` and `modules`."""
        source = f"return {{ main = function(...)\n{body}\nend }}"
        data = {
            "source": source,
            "modules": ["funcs", "ctx", "time", "security", "contract", *modules],
            "method": "main",
        }
        entry = Entry("app:main", "process.lua", {}, data, Origin.FILE)
        program = link(entry, self.registry.current.get, LIBRARY)
        return self.tasks.spawn(
            program, [], host=HOST, start=Start(context, values, session=STREAM, cause=None)
        )

    async def run(
        self, body: str, context: Context = CALLER, *, modules: Sequence[str] = (), **values: Any
    ) -> Any:
        return await self.tasks.wait(self.start(body, context, modules=modules, **values))

    def events(self, *types: str) -> list[Event]:
        return list(self.journal.read(STREAM, types=types))

    def told(self) -> list[str]:
        """Return the types of the session's events, in order."""
        return [event.type for event in self.events()]


def run(
    test: Callable[[House], Awaitable[None]],
    *entries: Entry,
    limits: JailLimits | None = None,
    most_jailed: int = 32,
) -> None:
    """Run `test` with a house that holds `entries` and the policy `app:calls`, within the deadline."""

    async def main() -> None:
        declared = list(entries)
        if all(entry.id != "app:calls" for entry in declared):
            declared.append(policy("calls", ["funcs.call"], ["app:*", "app.tools:*", "app.generated:*"]))
        house = House(declared, limits, most_jailed)
        try:
            async with asyncio.timeout(DEADLINE):
                await test(house)
        finally:
            await house.tasks.close()

    asyncio.run(main())
