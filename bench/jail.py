"""A call in the jail beside a bare child with lupa, in one run: medians in milliseconds and their ratio.

Run `python bench/jail.py [ROUNDS]` from the root of the repository.
"""

from __future__ import annotations

import asyncio
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from runtime.core.errors import Timeout
from runtime.jail.child import Jail
from runtime.jail.launcher import import_paths
from runtime.jail.limits import JailLimits
from runtime.jail.zygote import ZygoteLauncher
from runtime.lua.library import Library
from runtime.lua.program import Program, link
from runtime.registry.entry import Entry

BARE = "import sys; sys.path += sys.argv[1:]; import lupa.lua54 as l; l.LuaRuntime().execute('return 1')"


async def main(rounds: int) -> None:
    """Print one line a case."""
    library = Library.discover()
    jail = Jail(library)
    launcher = ZygoteLauncher()
    forked = Jail(library, launcher=launcher)
    paths = import_paths()
    wall = JailLimits(wall_clock=0.25)

    async def answer(_name: str, _args: list[Any]) -> tuple[Any, ...]:
        return (True,)

    async def bare() -> None:
        command = [sys.executable, "-I", "-S", "-c", BARE, *paths]
        subprocess.run(command, cwd="/", env={}, check=True)  # noqa: ASYNC221 - the same blocking start

    async def cold() -> None:
        await jail.call(tool(library, "return ..."), [1], answer)

    async def from_zygote() -> None:
        await forked.call(tool(library, "return ..."), [1], answer)

    async def hundred_calls() -> None:
        await jail.call(tool(library, "for i = 1, 100 do env.get('A') end", "env"), [], answer)

    async def killed() -> None:
        try:
            await jail.call(tool(library, "while true do end"), [], answer, limits=wall)
        except Timeout:
            return

    base = await median(bare, rounds)
    print(f"bare child with lupa          {base:8.1f} ms")
    call = await median(cold, rounds)
    print(f"cold call in the jail         {call:8.1f} ms   {call / base:5.1f} x")
    started = time.perf_counter()
    await launcher.ready()
    print(f"zygote from start to ready    {(time.perf_counter() - started) * 1000:8.1f} ms")
    call_forked = await median(from_zygote, rounds, between=lambda: settled(launcher))
    print(f"call forked from the zygote   {call_forked:8.1f} ms   {call_forked / base:5.2f} x")
    at_once = await median(from_zygote, rounds)
    print(f"the same, one behind the other{at_once:8.1f} ms   {at_once / base:5.2f} x")
    print("no child serves two calls: there is no warm call to measure")
    ends = [await kill_of(launcher) for _ in range(rounds)]
    print(f"from kill to reaped           {statistics.median(ends):8.1f} ms")
    launcher.close()
    hundred = await median(hundred_calls, rounds)
    print(f"one of 100 host calls inside  {(hundred - call) / 100:8.3f} ms")
    late = await median(killed, max(3, rounds // 5)) - wall.wall_clock * 1000
    print(f"from wall clock to the verdict{late:8.1f} ms")


def tool(library: Library, body: str, *modules: str) -> Program:
    """Return the program of a tool born at run time with that body."""
    source = f"return {{ handler = function(...) {body} end }}"
    data = {"source": source, "method": "handler", "modules": list(modules)}
    return link(Entry("app.generated:tool", "function.lua", {}, data), lambda _: None, library)


async def settled(launcher: ZygoteLauncher) -> None:
    """Wait as long as somebody who thinks between two calls: the next child stands ready."""
    await launcher.spare()
    await asyncio.sleep(0.01)


async def kill_of(launcher: ZygoteLauncher) -> float:
    """Return the milliseconds from the kill of a child to its end."""
    child = await launcher.launch()
    started = time.perf_counter()
    child.kill()
    await child.reap()
    taken = (time.perf_counter() - started) * 1000
    for pipe in (child.stdin, child.stdout, child.stderr):
        pipe.close()
    return taken


async def nothing() -> None:
    """Do nothing between two rounds."""


async def median(
    case: Callable[[], Awaitable[None]], rounds: int, between: Callable[[], Awaitable[None]] = nothing
) -> float:
    """Return the median of `rounds` runs in milliseconds, after one that does not count."""
    await case()
    taken = []
    for _ in range(rounds):
        await between()
        started = time.perf_counter()
        await case()
        taken.append((time.perf_counter() - started) * 1000)
    return statistics.median(taken)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 20))
