"""Real parts for tests of the jail: the library, programs born at run time, and children that break rules."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from runtime.jail.child import Jail, Killed
from runtime.jail.launcher import ColdLauncher, Launcher, import_paths
from runtime.jail.level import Agree, Level
from runtime.jail.limits import JailLimits
from runtime.lua.library import Library
from runtime.lua.program import Program, link
from runtime.registry.entry import Entry

LIBRARY = Library.discover()
CHILDREN = Path(__file__).parent / "children"
DEADLINE = 30.0
TOOL = "app.generated:tool"

_RUN_FILE = (
    "import sys; sys.path += sys.argv[2:];"
    "exec(compile(open(sys.argv[1]).read(), sys.argv[1], 'exec'), {'__name__': '__main__'})"
)


def program(body: str, modules: Sequence[str] = ()) -> Program:
    """Link `body`, that of a function that gets the arguments as `...`, as a tool born at run time."""
    source = f"return {{ handler = function(...)\n{body}\nend }}"
    data = {"source": source, "method": "handler", "modules": list(modules)}
    return link(Entry(TOOL, "function.lua", {}, data), lambda _: None, LIBRARY)


def crafted(name: str) -> Launcher:
    """Return what launches the file `name` of `children` in the place of the worker."""
    command = (sys.executable, "-I", "-S", "-c", _RUN_FILE, str(CHILDREN / name), str(CHILDREN))
    return ColdLauncher((*command, *import_paths()))


async def refuse(name: str, args: list[Any]) -> tuple[Any, ...]:
    raise AssertionError(f"`{name}` was dispatched with {args}")


class Yard:
    """A jail that remembers what it killed."""

    def __init__(
        self,
        limits: JailLimits | None = None,
        launcher: Launcher | None = None,
        level: Level = Level.FULL,
        agree: Agree | None = None,
    ) -> None:
        self.killed: list[Killed] = []
        self.jail = Jail(
            LIBRARY,
            launcher=launcher,
            limits=limits,
            on_killed=self.killed.append,
            level=level,
            agree=agree,
        )

    @property
    def reasons(self) -> list[str]:
        return [killed.reason for killed in self.killed]


def run(test: Callable[[], Awaitable[None]]) -> None:
    """Run `test` within the deadline."""

    async def main() -> None:
        async with asyncio.timeout(DEADLINE):
            await test()

    asyncio.run(main())


def is_gone(pid: int) -> bool:
    """Whether the process is dead, reaped or not."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return True
    return status.rpartition(")")[2].split()[0] in "ZX"


async def until(holds: Callable[[], bool]) -> None:
    """Wait until `holds`, which is another process's doing and has no event; the deadline is the test's."""
    while not holds():  # noqa: ASYNC110
        await asyncio.sleep(0)
