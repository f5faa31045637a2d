"""Processes, messages, channels and calls as scripts use them, each beside the same in bare lupa coroutines.

`python -m bench.processes` prints medians of rounds of the same run; `--json` one object a line. Everything
goes through the public Lua API of a host program with a registry, policies in strict mode and two process
hosts. Costs are also taken with 100 and with 10,000 processes and entries about: none may grow.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

from runtime.core.clock import SystemClock
from runtime.funcs.calls import FunctionCalls
from runtime.journal.memory import MemoryJournal
from runtime.lua.dispatch import Dispatcher
from runtime.lua.library import Library
from runtime.lua.machine import MachineLimits
from runtime.lua.messages import TaskLimits
from runtime.lua.state import new_lua
from runtime.lua.thread import LuaThread
from runtime.process.control import ProcessCommands
from runtime.process.programs import Programs
from runtime.process.spawning import SpawnCommands
from runtime.process.task import Start
from runtime.process.tasks import Tasks
from runtime.registry.entry import Entry, Origin
from runtime.registry.registry import Registry
from runtime.security.actor import Actor, Context, Scope
from runtime.security.engine import Engine
from runtime.security.guard import Guard

LIBRARY = Library.discover()
MEMORY = 512 * 1024 * 1024
LIMITS = TaskLimits(running_seconds=60.0, memory_bytes=MEMORY)
WHO = Context(Actor("app:bench"), Scope(["app:processes", "app:calls"]))
IDLE = 10_000

# What the processes do. `...` holds the arguments; a process that measures returns seconds.
SOURCES = {
    "idle": """
        local parent = ...
        local inbox = process.inbox()
        if parent then process.send(parent, "ready", true) end
        inbox:receive()""",
    "spawner": """
        local count = ...
        local ready = process.listen("ready")
        local start = time.now()
        for _ = 2, count do process.spawn("app:idle", "app:one") end
        process.spawn("app:idle", "app:one", process.pid())
        ready:receive()
        return time.now():sub(start):seconds()""",
    "sink": """
        local parent, count = ...
        local inbox = process.inbox()
        process.send(parent, "ready", true)
        for _ = 1, count do inbox:receive() end
        process.send(parent, "done", true)""",
    "sender": """
        local count, on = ...
        local ready, done = process.listen("ready"), process.listen("done")
        local sink = process.spawn("app:sink", on, process.pid(), count)
        ready:receive()
        local start = time.now()
        for i = 1, count do process.send(sink, "number", i) end
        done:receive()
        return time.now():sub(start):seconds()""",
    "unbuffered": """
        local count = ...
        local ch = channel.new()
        local start = time.now()
        coroutine.spawn(function() for i = 1, count do ch:send(i) end end)
        for _ = 1, count do ch:receive() end
        return time.now():sub(start):seconds()""",
    "buffered": """
        local count = ...
        local ch = channel.new(64)
        local start = time.now()
        coroutine.spawn(function() for i = 1, count do ch:send(i) end end)
        for _ = 1, count do ch:receive() end
        return time.now():sub(start):seconds()""",
    "alone": """
        local count = ...
        local ch = channel.new(1)
        local start = time.now()
        for i = 1, count do ch:send(i) ch:receive() end
        return time.now():sub(start):seconds()""",
    "caller": """
        local id, count = ...
        local start = time.now()
        for i = 1, count do
          local value, err = funcs.call(id, i)
          if value ~= i then error(err or "another value") end
        end
        return time.now():sub(start):seconds()""",
    "node": """
        local parent = ...
        local inbox = process.inbox()
        local following = inbox:receive():payload():data()
        while true do
          process.send(following, "token", inbox:receive():payload():data())
        end""",
    "ring": """
        local count = ...
        local inbox, pids = process.inbox(), {}
        for i = 1, count do pids[i] = process.spawn("app:node", "app:one") end
        for i = 1, count do process.send(pids[i], "next", pids[i + 1] or process.pid()) end
        process.send(pids[1], "token", 1)
        inbox:receive()
        local start = time.now()
        process.send(pids[1], "token", 2)
        inbox:receive()
        return time.now():sub(start):seconds()""",
    "busy": "local n = 0 for i = 1, ... do n = n + i % 7 end return n",
    "timers": """
        local late = {}
        for i = 1, ... do
          local start = time.now()
          time.sleep("5ms")
          late[i] = time.now():sub(start):seconds() - 0.005
        end
        return late""",
    "one_spawn": """
        local count = ...
        local start = time.now()
        for _ = 1, count do process.spawn("app:brief", "app:one") end
        return time.now():sub(start):seconds()""",
    "brief": "return 1",
}
FUNCTIONS = {"same": "return ..."}
ELSEWHERE = "return ..."

BARE = {
    "spawn": """local list = {}
        for i = 1, %d do
          list[i] = coroutine.create(function() coroutine.yield() end)
          coroutine.resume(list[i])
        end
        kept = list""",
    "messages": """local queue, first, last = {}, 1, 0
        local sink = coroutine.create(function()
          while true do
            while first <= last do queue[first] = nil first = first + 1 end
            coroutine.yield()
          end
        end)
        for i = 1, %d do
          last = last + 1
          queue[last] = { topic = "number", value = i }
          if i %% 256 == 0 then coroutine.resume(sink) end
        end""",
    "channel": """local sender = coroutine.wrap(function() for i = 1, %d do coroutine.yield(i) end end)
        for i = 1, %d do sender() end""",
    "call": """local call = coroutine.create(function(...) while true do coroutine.yield(...) end end)
        for i = 1, %d do
          coroutine.resume(coroutine.create(function(...) return ... end), i)
        end""",
    "ring": """local nodes, count = {}, %d
        for i = 1, count do
          nodes[i] = coroutine.create(function(token) while true do token = coroutine.yield(token) end end)
        end
        for i = 1, count do coroutine.resume(nodes[i], 1) end""",
}


def lua(kind: str, id: str, source: str, meta: dict[str, Any] | None = None) -> Entry:
    text = f"return {{ main = function(...)\n{source}\nend }}"
    modules = ["funcs", "time", "process"]
    data: dict[str, Any] = {"source": text, "method": "main", "modules": modules}
    return Entry(f"app:{id}", kind, meta or {}, data, Origin.FILE)


def policy(name: str, actions: list[str]) -> Entry:
    rule: dict[str, Any] = {"actions": actions, "resources": ["*"], "effect": "allow"}
    return Entry(f"app:{name}", "security.policy", {}, {"policy": rule}, Origin.FILE)


def entries(more: int) -> Iterator[Entry]:
    yield policy("processes", ["process.*"])
    yield policy("calls", ["funcs.*"])
    for host in ("one", "two"):
        yield Entry(f"app:{host}", "process.host", {}, {}, Origin.FILE)
    for name, source in SOURCES.items():
        yield lua("process.lua", name, source)
    for name, source in FUNCTIONS.items():
        yield lua("function.lua", name, source)
    yield lua("process.lua", "elsewhere", ELSEWHERE, {"default_host": "app:two"})
    for index in range(more):
        yield Entry(f"more:entry{index}", "registry.entry", {}, {"index": index}, Origin.FILE)


class House:
    """A host program with `more` entries beside its own."""

    def __init__(self, more: int = 0) -> None:
        journal = MemoryJournal()
        self.registry = Registry(journal, SystemClock())
        self.registry.load(list(entries(more)))
        engine = Engine()
        engine.rebuild(self.registry.current.entries())
        guard = Guard(engine)
        dispatcher = Dispatcher()
        machine = MachineLimits(memory_bytes=MEMORY)
        self.tasks = Tasks(
            dispatcher, lambda name, deliver: LuaThread(name, LIBRARY, deliver, machine), limits=LIMITS
        )
        self.programs = Programs(self.registry, LIBRARY)
        for commands in (
            ProcessCommands(self.tasks, guard),
            SpawnCommands(self.tasks, guard, self.programs, lambda: self.registry.current),
            FunctionCalls(self.tasks, self.programs, self.registry, guard, journal),
        ):
            for name, handler in commands.handlers().items():
                dispatcher.register(name, handler)
        for host in ("app:one", "app:two"):
            self.tasks.open_host(host)

    async def run(self, name: str, *args: Any, host: str = "app:one") -> Any:
        entry = self.registry.current.get(f"app:{name}")
        assert entry is not None
        task = self.tasks.spawn(self.programs.get(entry), args, host=host, start=Start(WHO))
        return await self.tasks.wait(task)


Work = Callable[[House], Awaitable[Any]]


def within(work: Work, more: int = 0) -> Any:
    async def main() -> Any:
        house = House(more)
        try:
            return await work(house)
        finally:
            await house.tasks.close()

    return asyncio.run(main())


def bare(name: str, count: int) -> float:
    state = new_lua(0)
    source = (BARE[name] % ((count,) * BARE[name].count("%d"))).encode()
    start = time.perf_counter()
    state.execute(source)
    return time.perf_counter() - start


def resident() -> int:
    """Bytes of memory that this process holds."""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


class Report:
    """One line a figure: what, how much, its target, and the same in bare coroutines."""

    def __init__(self, as_json: bool, rounds: int) -> None:
        self._json = as_json
        self.rounds = rounds

    def add(self, what: str, value: float, unit: str, target: str, beside: float | None = None) -> None:
        if self._json:
            row = {"schema": "bench.processes.v1", "what": what, "value": value, "unit": unit}
            print(json.dumps({**row, "target": target, "bare": beside}), flush=True)
            return
        text = "" if beside is None else f"bare {beside:,.6g} {unit}"
        print(f"{what:<58}{value:>12,.4g} {unit:<4} target {target:<14}{text}", flush=True)

    def median(self, work: Callable[[], float]) -> float:
        return median(work() for _ in range(self.rounds))


def memory(report: Report) -> None:
    """The first of all, in a process that has freed nothing yet."""

    async def work(house: House) -> float:
        await house.run("spawner", 10)  # what is loaded once is there
        gc.collect()
        before = resident()
        await house.run("spawner", IDLE)
        gc.collect()
        return (resident() - before) / IDLE / 1024

    report.add("memory of one idle process, all in all", within(work), "KB", "8 KB")


def spawning(report: Report) -> None:
    async def work(house: House) -> float:
        await house.run("spawner", 10)
        start = time.perf_counter()
        await house.run("spawner", IDLE)
        return time.perf_counter() - start

    taken = report.median(lambda: within(work))
    report.add(
        "spawn 10,000 idle processes", taken, "s", "0.15 s", report.median(lambda: bare("spawn", IDLE))
    )


def talking(report: Report) -> None:
    count = 200_000
    for on, target in (("app:one", "400,000/s"), ("app:two", "none")):
        number = count if on == "app:one" else count // 20
        taken = report.median(
            lambda on=on, number=number: within(lambda house: house.run("sender", number, on))  # type: ignore[misc]
        )
        where = "a host" if on == "app:one" else "two hosts"
        beside = number / report.median(lambda number=number: bare("messages", number))  # type: ignore[misc]
        report.add(f"messages between two processes of {where}", number / taken, "/s", target, beside)
    for name, what in (
        ("unbuffered", "channel, unbuffered, between two coroutines"),
        ("buffered", "channel of 64, between two coroutines"),
        ("alone", "channel of 1, send and receive in one coroutine"),
    ):
        taken = report.median(lambda name=name: within(lambda house: house.run(name, count)))  # type: ignore[misc]
        beside = count / report.median(lambda: bare("channel", count))
        report.add(what, count / taken, "/s", "1,000,000/s", beside)


def calling(report: Report) -> None:
    for id, count, target, what in (
        ("app:same", 20_000, "8 us", "funcs.call inside a VM"),
        ("app:elsewhere", 2_000, "150 us", "funcs.call across VMs"),
    ):

        async def work(house: House, id: str = id, count: int = count) -> float:
            await house.run("caller", id, 10)
            taken: float = await house.run("caller", id, count)
            return taken / count * 1e6

        beside = report.median(lambda count=count: bare("call", count)) / count * 1e6  # type: ignore[misc]
        report.add(what, report.median(lambda work=work: within(work)), "us", target, beside)  # type: ignore[misc]


def passing(report: Report) -> None:
    taken = report.median(lambda: within(lambda house: house.run("ring", IDLE)))
    report.add("a token once round a ring of 10,000", taken, "s", "0.1 s", bare("ring", IDLE))


def timers(report: Report) -> None:
    async def work(house: House) -> float:
        late = await house.run("timers", 40, host="app:two")
        busy = asyncio.ensure_future(house.run("busy", 40_000_000))
        beside = await house.run("timers", 80, host="app:two")
        assert not busy.done(), "the other host did not compute for long enough"
        await busy
        worst: float = max(beside) - min(max(late), 0.005)
        return worst * 1e3

    report.add("delay of a timer while another host computes, worst", within(work), "ms", "20 ms")


def growing(report: Report) -> None:
    """The same work with few and with many processes and entries about."""
    works: dict[str, tuple[str, tuple[Any, ...], int]] = {
        "a message": ("sender", (20_000, "app:one"), 20_000),
        "a call inside a VM": ("caller", ("app:same", 5_000), 5_000),
        "a call across VMs": ("caller", ("app:elsewhere", 500), 500),
        "a spawn and its end": ("one_spawn", (2_000,), 2_000),
    }

    async def work(house: House, about: int) -> dict[str, float]:
        await house.run("spawner", about)
        found = {}
        for what, (name, args, count) in works.items():
            await house.run(name, *args)
            rounds = [float(await house.run(name, *args)) / count * 1e6 for _ in range(3)]
            found[what] = median(rounds)
        return found

    few = within(lambda house: work(house, 100), 100)
    many = within(lambda house: work(house, IDLE), IDLE)
    for what in works:
        report.add(
            f"{what}, 10,000 processes and entries about", many[what], "us", f"{few[what]:.2f} with 100"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true", help="one object a line")
    parser.add_argument("parts", nargs="*", help="of: memory spawning talking calling passing timers growing")
    options = parser.parse_args()
    report = Report(options.json, options.rounds)
    for part in (memory, spawning, talking, calling, passing, timers, growing):
        if not options.parts or part.__name__ in options.parts:
            part(report)


if __name__ == "__main__":
    main()
