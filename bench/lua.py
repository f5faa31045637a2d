"""The Lua engine beside bare lupa coroutines in the same run; `python -m bench.lua`, medians of rounds.

Spawning and memory: 10,000 tasks that wait, beside 10,000 bare coroutines. Messages: from the host to a task
and between two of one state, and over a channel inside one. Commands: round trips to the host, alone and
in batches. Limits: a loop with the count hook and without it.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from runtime.lua.library import Library
from runtime.lua.machine import Command, Machine, MachineLimits, Message, Output, Reply, Spawn, TaskLimits
from runtime.lua.module import Module
from runtime.lua.program import Program, link
from runtime.lua.state import new_lua

ROUNDS = 5
TASKS = 10_000
GENEROUS = TaskLimits(running_seconds=60.0, memory_bytes=512 * 1024 * 1024)
BENCH = Module(
    "bench",
    "local h = ... return { call = h.call, subscribe = h.subscribe, post = h.post, sync = h.sync }",
    {"nothing": lambda: None},
)
LIBRARY = Library([BENCH])


@dataclass(frozen=True)
class Entry:
    """An entry as linking sees it."""

    data: dict[str, Any]
    id: str = "bench:entry"
    kind: str = "function.lua"
    origin: str = "file"


def program(body: str) -> Program:
    source = f"return function(...)\n{body}\nend"
    return link(Entry({"source": source, "method": "main", "modules": ["bench"]}), lambda _: None, LIBRARY)


def machine(*, hooks: bool = True) -> Machine:
    return Machine(LIBRARY, limits=MachineLimits(memory_bytes=512 * 1024 * 1024, hooks=hooks))


def run(state: Machine, *inputs: Any) -> list[Output]:
    outputs, due = state.step(inputs)
    while due is not None:
        more, due = state.step(())
        outputs.extend(more)
    return outputs


def seconds(work: Callable[[], Any]) -> float:
    """The median of several rounds."""
    taken = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        work()
        taken.append(time.perf_counter() - started)
    return statistics.median(taken)


def report(what: str, figure: str, beside: str = "") -> None:
    print(f"{what:<52}{figure:>18}   {beside}")


def bench_start() -> None:
    report(
        "a machine, kernel loaded",
        f"{seconds(machine) * 1e3:.2f} ms",
        f"bare {seconds(lambda: new_lua(1 << 27)) * 1e6:.0f} us",
    )


def bench_spawn() -> None:
    idle = program("bench.subscribe('t', 1):receive()")
    kept: list[Machine] = []

    def spawn() -> None:
        state = machine()
        kept[:] = [state]
        run(state, *(Spawn(str(index), idle, (), {}, {"id": "x"}, GENEROUS) for index in range(TASKS)))

    bare = b"""local list = {}
        for i = 1, 10000 do
          list[i] = coroutine.create(function() coroutine.yield() end)
          coroutine.resume(list[i])
        end
        return list"""
    own, other = seconds(spawn), seconds(lambda: new_lua(0).execute(bare))
    memory = kept[0]._state._lua.get_memory_used()
    kept.clear()
    report("spawn 10,000 waiting tasks", f"{own:.3f} s", f"bare coroutines {other:.3f} s")
    report("memory of one of them", f"{memory / TASKS / 1024:.1f} KB")


def bench_messages() -> None:
    count = 100_000
    sink = program(f"local ch = bench.subscribe('t', 1) for _ = 1, {count} do ch:receive() end")

    def from_host() -> None:
        state = machine()
        run(state, Spawn("t", sink, (), {}, {"id": "x"}, GENEROUS))
        message = Message("t", "t", "", (1,))
        for _ in range(count // 1000):
            run(state, *[message] * 1000)

    report("messages from the host to a task", f"{count / seconds(from_host):,.0f} /s")

    pair = program(
        "bench.subscribe('t', 1):receive() local other = ... "
        f"for i = 1, {count} do bench.post(other, 't', '', i) end"
    )

    def between() -> None:
        state = machine()
        spawns = (
            Spawn("a", sink, (), {}, {"id": "x"}, GENEROUS),
            Spawn("b", pair, ("a",), {}, {"id": "x"}, GENEROUS),
        )
        run(state, *spawns, Message("b", "t"))

    report("messages between two tasks of one state", f"{count / seconds(between):,.0f} /s")

    channel = program(
        "local ch = channel.new() "
        f"coroutine.spawn(function() for i = 1, {count} do ch:send(i) end ch:close() end) "
        "while true do local _, ok = ch:receive() if not ok then return end end"
    )
    bare = b"""local sender = coroutine.wrap(function() for i = 1, 100000 do coroutine.yield(i) end end)
        for i = 1, 100000 do sender() end"""
    own = seconds(lambda: run(machine(), Spawn("t", channel, (), {}, {"id": "x"}, GENEROUS)))
    other = seconds(lambda: new_lua(0).execute(bare))
    report(
        "sends over an unbuffered channel",
        f"{count / own:,.0f} /s",
        f"bare resume and yield {count / other:,.0f} /s",
    )


def bench_commands() -> None:
    count = 10_000
    caller = program(f"for i = 1, {count} do bench.call('x', i) end")
    for tasks in (1, 10, 100):

        def answer(tasks: int = tasks) -> None:
            state = machine()
            spawns = [Spawn(str(i), caller, (), {}, {"id": "x"}, GENEROUS) for i in range(tasks)]
            waiting = run(state, *spawns)
            for _ in range(count // tasks - 1):
                replies = [
                    Reply(item.task, item.call, (None,)) for item in waiting if isinstance(item, Command)
                ]
                waiting = run(state, *replies)

        report(f"a command and its answer, {tasks} at once", f"{seconds(answer) / count * 1e6:.1f} us")
    sync = program(f"for i = 1, {count} do bench.sync('nothing') end")
    taken = seconds(lambda: run(machine(), Spawn("t", sync, (), {}, {"id": "x"}, GENEROUS)))
    report("a function of a module, in the same thread", f"{taken / count * 1e6:.1f} us")


LOADS = {
    "a loop of sums": "local s = 0 for i = 1, 5000000 do s = s + i % 7 end return s",
    "calls": "local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end fib(27)",
    "a table": "local t = {0} for i = 2, 1000000 do t[i] = i end for i = 2, #t do t[i] = t[i - 1] + 1 end",
    "strings": "local t = {} for i = 1, 200000 do t[#t + 1] = ('k' .. i) .. i end return #t",
    "objects": "local P = {} P.__index = P function P.new(x) return setmetatable({x = x}, P) end "
    "function P:add(d) self.x = self.x + d return self end "
    "local s = 0 for i = 1, 300000 do s = s + P.new(i):add(1).x end return s",
}


def bench_limits() -> None:
    for name, body in LOADS.items():
        loop = program(body)
        rows = []
        for _ in range(ROUNDS):
            row = []
            for hooks, bell in ((False, False), (True, True), (True, False)):
                limits = MachineLimits(memory_bytes=512 * 1024 * 1024, hooks=hooks, bell=bell)
                state = Machine(LIBRARY, limits=limits)
                started = time.perf_counter()
                run(state, Spawn("t", loop, (), {}, {"id": "x"}, GENEROUS))
                row.append(time.perf_counter() - started)
            rows.append(row)
        off, bell_on, hook_on = (statistics.median(each) for each in zip(*rows, strict=True))
        figures = f"bell {bell_on / off:.2f} x, hook {hook_on / off:.2f} x"
        report(f"limits off: {name}", f"{off * 1e3:.0f} ms", f"on: {figures}")
    for bell in (True, False):
        state = Machine(LIBRARY, limits=MachineLimits(bell=bell))
        late = []
        for _ in range(ROUNDS):
            started = time.perf_counter()
            run(state, Spawn("t", program("while true do end"), (), {}, {"id": "x"}, TaskLimits(0.1)))
            late.append(time.perf_counter() - started - 0.1)
        report(f"from deadline to stop, {'bell' if bell else 'hook'}", f"{max(late) * 1e3:.0f} ms at most")


if __name__ == "__main__":
    for part in (bench_start, bench_spawn, bench_messages, bench_commands, bench_limits):
        part()
