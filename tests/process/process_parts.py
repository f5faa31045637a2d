"""Real parts for tests of tasks: the whole library of modules, Lua threads, and a table over them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from runtime.lua.dispatch import Caller, Dispatcher
from runtime.lua.library import Library
from runtime.lua.messages import Output, TaskLimits
from runtime.lua.program import Program, link
from runtime.lua.thread import LuaThread
from runtime.process.confine import Confine
from runtime.process.host import NewThread
from runtime.process.tasks import Tasks
from runtime.registry.entry import Entry, Origin

LIBRARY = Library.discover()
HOST = "app:processes"
DEADLINE = 20.0


def new_thread(name: str, deliver: Callable[[list[Output]], None]) -> LuaThread:
    return LuaThread(name, LIBRARY, deliver)


def program(
    source: str, *, id: str = "app:main", modules: Sequence[str] = (), origin: Origin = Origin.FILE
) -> Program:
    """Link `source`, the body of a function that gets the arguments as `...`."""
    text = f"return {{ main = function(...)\n{source}\nend }}"
    data = {"source": text, "method": "main", "modules": list(modules)}
    return link(Entry(id, "function.lua", {}, data, origin), lambda _: None, LIBRARY)


class House:
    """A dispatcher and a table of tasks with one open host."""

    def __init__(
        self,
        confine: Confine | None = None,
        thread: NewThread = new_thread,
        limits: TaskLimits | None = None,
        insist_seconds: float = 2.0,
    ) -> None:
        self.dispatcher = Dispatcher()
        self.threads: list[LuaThread] = []

        def made(name: str, deliver: Callable[[list[Output]], None]) -> LuaThread:
            self.threads.append(thread(name, deliver))
            return self.threads[-1]

        self.tasks = Tasks(
            self.dispatcher, made, confine=confine, limits=limits, insist_seconds=insist_seconds
        )
        self.tasks.open_host(HOST)

    def on(self, name: str, handler: Callable[[Caller, list[Any]], Awaitable[object]]) -> None:
        self.dispatcher.register(name, handler)

    async def run(self, program: Program, *args: Any) -> Any:
        return await self.tasks.wait(self.tasks.spawn(program, args, host=HOST))


def run(test: Callable[[House], Awaitable[None]], **options: Any) -> None:
    """Run `test` with a house, within the deadline, and close the house."""

    async def main() -> None:
        house = House(**options)
        try:
            async with asyncio.timeout(DEADLINE):
                await test(house)
        finally:
            await house.tasks.close()

    asyncio.run(main())


@contextmanager
def raised(kind: type[Exception], text: str) -> Iterator[list[Exception]]:
    """Expect an error of `kind` whose message holds `text`."""
    caught: list[Exception] = []
    try:
        yield caught
    except kind as error:
        assert text in str(error), str(error)
        caught.append(error)
        return
    raise AssertionError(f"no {kind.__name__} was raised")
