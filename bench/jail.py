"""A call in the jail beside a bare child with lupa that has no net, in one run: medians and their ratio.

Run `python bench/jail.py [ROUNDS]` from the root of the repository. The rounds of all cases take turns: what
else the machine does falls on all of them alike. A trial of another make is measured where it is installed.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import struct
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from runtime.core.errors import Timeout
from runtime.jail.child import Jail
from runtime.jail.launcher import ColdLauncher, import_paths
from runtime.jail.limits import JailLimits
from runtime.jail.zygote import ZygoteLauncher
from runtime.lua.library import Library
from runtime.lua.machine import Exited, Machine, MachineLimits, Spawn, TaskLimits
from runtime.lua.program import Program, link
from runtime.lua.state import new_lua
from runtime.registry.entry import Entry

# A child that answers each request with what one Lua function makes of it; nothing limits it.
BARE = """
import sys; sys.path += sys.argv[1:]
import os, struct, lupa.lua54 as lupa
answer = lupa.LuaRuntime(encoding=None).eval(b"function(request) return request .. '!' end")
while request := os.read(0, 65536):
    os.write(1, answer(request))
"""
CALLS = 200
WALL = 0.25
LOOP = "local s = 0 for i = 1, 10000000 do s = s + i % 7 end return s"

Case = Callable[[], Awaitable[float]]
"""Runs once and returns seconds."""


class Bench:
    """The parts that the cases share."""

    def __init__(self) -> None:
        self.library = Library.discover()
        self.zygote = ZygoteLauncher()
        self.cold = Jail(self.library, launcher=ColdLauncher())
        self.forked = Jail(self.library, launcher=self.zygote)
        self.plain = self.tool("return ...")
        self.with_json = self.tool("return json.decode(...)", "json")
        self.loop = self.tool("while true do end")
        self.calling = self.tool("env.get('A') local count = ... for i = 1, count do env.get('A') end", "env")

    def tool(self, body: str, *modules: str) -> Program:
        """Return the program of a tool born at run time with that body."""
        source = f"return {{ handler = function(...) {body} end }}"
        data: dict[str, Any] = {"source": source, "method": "handler", "modules": list(modules)}
        return link(Entry("app.generated:tool", "function.lua", {}, data), lambda _: None, self.library)

    async def bare_start(self) -> float:
        """From nothing to the first answer of a bare child, and to its end."""
        started = time.perf_counter()
        child = bare_child()
        ask(child)
        end(child)
        return time.perf_counter() - started

    async def bare_request(self) -> float:
        """One request to a bare child that has answered before."""
        child = bare_child()
        ask(child)
        started = time.perf_counter()
        for _ in range(CALLS):
            ask(child)
        taken = time.perf_counter() - started
        end(child)
        return taken / CALLS

    async def call_cold(self) -> float:
        """A call in an interpreter of its own, all nets up, until its child is dead."""
        return await timed(self.cold.call(self.plain, ["x"], answer))

    async def call_cold_json(self) -> float:
        """The same for a program whose module has functions in Python."""
        return await timed(self.cold.call(self.with_json, ["[1]"], answer))

    async def call_at_once(self) -> float:
        """A call that finds no fork ready: all of fork, nets, program, answer and end."""
        await self.quiet()
        self.zygote.drop_spare()
        await self.quiet()
        return await timed(self.forked.call(self.plain, ["x"], answer))

    async def call_ready(self) -> float:
        """A call for which a fork stands ready."""
        await self.quiet()
        await asyncio.sleep(0.01)  # as somebody who thinks between two calls
        return await timed(self.forked.call(self.plain, ["x"], answer))

    async def call_in_a_row(self) -> float:
        """One of ten calls, each as soon as the one before it has returned."""
        started = time.perf_counter()
        for _ in range(10):
            await self.forked.call(self.plain, ["x"], answer)
        return (time.perf_counter() - started) / 10

    async def warm(self) -> float:
        """One question of a program to the host and its answer, in a child that runs already."""
        await self.quiet()
        moments = [0.0, 0.0]

        async def first_and_last(_name: str, _args: list[Any]) -> tuple[Any, ...]:
            moments[0] = moments[0] or time.perf_counter()
            moments[1] = time.perf_counter()
            return (True,)

        await self.forked.call(self.calling, [CALLS], first_and_last)
        return (moments[1] - moments[0]) / CALLS

    async def kill(self) -> float:
        """From the kill of a child that computes until it is dead."""
        await self.quiet()
        child = await self.zygote.launch(JailLimits())
        started = time.perf_counter()
        child.kill()
        await child.gone()
        taken = time.perf_counter() - started
        await child.reap()
        for pipe in (child.stdin, child.stdout, child.stderr):
            pipe.close()
        return taken

    async def verdict(self) -> float:
        """From the wall clock of a call that computes to its error."""
        await self.quiet()
        started = time.perf_counter()
        with contextlib.suppress(Timeout):
            await self.forked.call(self.loop, [], answer, limits=JailLimits(wall_clock=WALL))
        return time.perf_counter() - started - WALL

    async def quiet(self) -> None:
        """Wait until nothing is left of what was before."""
        await self.forked.settled()
        await self.zygote.settled()


async def main(rounds: int) -> None:
    """Print one line a case."""
    bench = Bench()
    started = time.perf_counter()
    await bench.zygote.ready()
    ready = time.perf_counter() - started
    slow: list[Case] = [bench.bare_start, bench.call_cold, bench.call_cold_json]
    quick: list[Case] = [
        *(bench.bare_request, bench.call_at_once, bench.call_ready, bench.call_in_a_row),
        *(bench.warm, bench.kill),
    ]
    found = await medians([*slow, *quick], rounds)
    found |= await medians([bench.verdict], max(3, rounds // 5))
    bench.zygote.close()
    base, request = found[bench.bare_start], found[bench.bare_request]
    show("bare child with lupa, no net: cold", base)
    show("cold call, all nets", found[bench.call_cold], base)
    show("cold call that uses json", found[bench.call_cold_json], base)
    show("forked call, none stands ready", found[bench.call_at_once], base)
    show("forked call, one stands ready", found[bench.call_ready], base)
    show("forked call, one behind the other", found[bench.call_in_a_row], base)
    show("bare child: one request, warm", request)
    show("one host call of a program, warm", found[bench.warm], request)
    show("from kill to death", found[bench.kill])
    show("from wall clock to verdict", found[bench.verdict])
    show("zygote from start to ready", ready)
    speed_of_lua()
    other_trial(base)


async def medians(cases: list[Case], rounds: int) -> dict[Case, float]:
    """Return the median of `rounds` runs of each case, after one that does not count."""
    taken: dict[Case, list[float]] = {case: [] for case in cases}
    for number in range(rounds + 1):
        for case in cases:
            seconds = await case()
            if number:
                taken[case].append(seconds)
    return {case: median(each) for case, each in taken.items()}


def speed_of_lua() -> None:
    """Print how fast a loop runs in a bare state, in a child and in a trusted VM."""
    library = Library([])
    source = f"return {{ handler = function() {LOOP} end }}"
    data: dict[str, Any] = {"source": source, "method": "handler"}
    program = link(Entry("app:loop", "function.lua", {}, data), lambda _: None, library)
    limits = TaskLimits(running_seconds=60.0)

    def run(*, hooks: bool, bell: bool = True) -> float:
        machine = Machine(library, limits=MachineLimits(hooks=hooks, bell=bell))
        started = time.perf_counter()
        outputs, _ = machine.step([Spawn("t", program, (), {}, {"id": "x"}, limits)])
        taken = time.perf_counter() - started
        assert isinstance(outputs[0], Exited) and outputs[0].error is None
        return taken

    def bare() -> float:
        lua = new_lua(0)
        started = time.perf_counter()
        lua.execute(LOOP.encode())
        return time.perf_counter() - started

    rows = [(bare(), run(hooks=False), run(hooks=True), run(hooks=True, bell=False)) for _ in range(5)]
    base, off, on, armed = (median(each) for each in zip(*rows, strict=True))
    show("Lua, ten million rounds: bare state", base)
    show("the same, limits of the VM off", off, base)
    show("the same, limits of the VM on", on, base)
    show("the same, with an armed hook", armed, base)


def other_trial(base: float) -> None:
    """Print what ActiveGraph's trial of nothing, its own check of the child, costs where it is installed."""
    if find_spec("activegraph") is None:
        print("ActiveGraph is not installed: its trial is not measured")
        return
    sandbox = import_module("activegraph.sandbox")
    taken = []
    for _ in range(5):
        started = time.perf_counter()
        sandbox.preflight(limits=sandbox.TrialLimits())
        taken.append(time.perf_counter() - started)
    show("ActiveGraph: a trial of nothing", median(taken), base)


def show(what: str, seconds: float, base: float | None = None) -> None:
    """Print one line: milliseconds, and how many times `base` they are."""
    beside = f"{seconds / base:7.2f} x" if base else ""
    print(f"{what:38}{seconds * 1000:10.3f} ms{beside}")


async def answer(_name: str, _args: list[Any]) -> tuple[Any, ...]:
    """Answer every command."""
    return (True,)


async def timed(call: Awaitable[object]) -> float:
    """Return the seconds of a call."""
    started = time.perf_counter()
    await call
    return time.perf_counter() - started


def bare_child() -> subprocess.Popen[bytes]:
    """Start a bare child."""
    command = [sys.executable, "-I", "-S", "-c", BARE, *import_paths()]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, cwd="/", env={}
    )


def ask(child: subprocess.Popen[bytes]) -> None:
    """Send one request and read the answer."""
    assert child.stdin and child.stdout
    os.write(child.stdin.fileno(), struct.pack(">I", 1))
    os.read(child.stdout.fileno(), 65536)


def end(child: subprocess.Popen[bytes]) -> None:
    """Kill a bare child and wait for its end."""
    assert child.stdin and child.stdout
    child.kill()
    child.wait()
    child.stdin.close()
    child.stdout.close()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 20))
