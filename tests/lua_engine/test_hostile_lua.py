"""The hostile programs of tests/hostile in a trusted Lua state (see `hostile_cases` for what a file says).

Whatever happens, the task beside it goes on, and the next program finds everything as it should be.
"""

from __future__ import annotations

import time

import pytest
from lua_bench import Bench, bare

from runtime.lua.machine import Machine, MachineLimits, Message, TaskLimits
from tests.hostile.hostile_cases import TRUSTED, Case, fault, read_cases

CASES = [case for case in read_cases() if case.runs_in(TRUSTED)]
MARGIN = 0.1  # seconds within which a limit is noticed
SLACK = 0.4  # for a slow machine; what is measured is CPU time, since other tests run beside this one

NEIGHBOUR = """
    local inbox = host.subscribe("@pid/inbox", 1)
    local count = 0
    while true do
      local value = inbox:receive()
      count = count + value
      if value == 0 then return count end
    end
"""
INNOCENT = """
    local words = {}
    for word in ("one two three"):gmatch("%a+") do words[#words + 1] = word:upper() end
    table.sort(words)
    return table.concat(words, ",") .. string.format("%d", #words)
      .. tostring(("x").nothing) .. tostring(_G.leak)
"""


@pytest.fixture(scope="module")
def shared() -> Bench:
    library = bare()
    machine = Machine(library, limits=MachineLimits(memory_bytes=32 * 1024 * 1024))
    answers = {"noise": lambda *_: True, "logger.print": lambda *_: True, "echo": lambda value: value}
    return Bench(machine, library, answers=answers)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_hostile_lua_is_contained(case: Case, shared: Bench) -> None:
    expected = case.expected(TRUSTED)
    neighbour = shared.spawn(shared.program(f"return function() {NEIGHBOUR} end"))
    shared.step(Message(neighbour, "number", "", (7,)))

    program = shared.program("return function(...)\n" + case.source + "\nend")
    started = time.thread_time()
    end = shared.run(
        shared.spawn(program, limits=TaskLimits(running_seconds=case.limit, memory_bytes=24 * 1024 * 1024))
    )
    took = time.thread_time() - started
    assert fault(expected, end.value, end.error) is None
    if expected == "timeout":
        assert took < case.limit + MARGIN + SLACK

    shared.step(Message(neighbour, "number", "", (0,)))
    assert shared.ends[neighbour].value == 7, "the task beside it went on"
    assert shared.call(INNOCENT) == "ONE,THREE,TWO3nilnil", "the next program finds everything as it was"


def test_there_are_cases_of_every_kind() -> None:
    kinds = {case.kind for case in read_cases()}
    assert {"escape", "cpu", "memory", "values", "coroutines", "errors", "neighbours", "deputy"} <= kinds
    assert len(CASES) >= 120
