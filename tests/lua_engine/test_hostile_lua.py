"""Each file of tests/hostile is a hostile program; its first lines say what becomes of it.

    -- expect: value JSON             it ends with this value
    -- expect: error KIND [TEXT]      it ends with an error of this kind whose message holds TEXT
    -- expect: timeout                it is stopped within 100 ms of its limit
    -- expect: contained              it ends with any error, or with the value "contained"
    -- limit: SECONDS                 of running (0.1 unless said)

Whatever happens, the task beside it goes on, and the next program finds everything as it should be.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from lua_bench import Bench, bare

from runtime.core.errors import Timeout
from runtime.lua.machine import Exited, Machine, MachineLimits, Message, TaskLimits

FOLDER = Path(__file__).parents[1] / "hostile"
CASES = sorted(FOLDER.rglob("*.lua"))
MARGIN = 0.1  # seconds within which a limit is noticed
SLACK = 0.2  # for a slow machine; what is measured is CPU time, since other tests run beside this one

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


def directive(source: str, name: str) -> str | None:
    for line in source.splitlines():
        if not line.startswith("--"):
            return None
        if line.startswith(f"-- {name}:"):
            return line.split(":", 1)[1].strip()
    return None


def check(end: Exited, expected: str, took: float, limit: float) -> None:
    outcome, _, rest = expected.partition(" ")
    if outcome == "value":
        assert end.error is None, end.error
        assert end.value == json.loads(rest)
    elif outcome == "error":
        kind, _, text = rest.partition(" ")
        assert end.error is not None, end.value
        assert str(end.error.kind) == kind, end.error
        assert text in str(end.error)
    elif outcome == "timeout":
        assert isinstance(end.error, Timeout), end
        assert took < limit + MARGIN + SLACK
    else:
        assert outcome == "contained"
        assert end.error is not None or end.value == "contained", end


@pytest.fixture(scope="module")
def shared() -> Bench:
    library = bare()
    machine = Machine(library, limits=MachineLimits(memory_bytes=32 * 1024 * 1024))
    return Bench(machine, library, answers={"noise": lambda *_: True, "logger.print": lambda *_: True})


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_hostile_lua_is_contained(path: Path, shared: Bench) -> None:
    source = path.read_text(encoding="utf-8")
    expected = directive(source, "expect")
    assert expected is not None, f"{path} says nothing of its outcome"
    limit = float(directive(source, "limit") or 0.1)
    neighbour = shared.spawn(shared.program(f"return function() {NEIGHBOUR} end"))
    shared.step(Message(neighbour, "number", "", (7,)))

    program = shared.program("return function(...)\n" + source + "\nend")
    started = time.thread_time()
    end = shared.run(
        shared.spawn(program, limits=TaskLimits(running_seconds=limit, memory_bytes=24 * 1024 * 1024))
    )
    check(end, expected, time.thread_time() - started, limit)

    shared.step(Message(neighbour, "number", "", (0,)))
    assert shared.ends[neighbour].value == 7, "the task beside it went on"
    assert shared.call(INNOCENT) == "ONE,THREE,TWO3nilnil", "the next program finds everything as it was"


def test_there_are_cases_of_every_kind() -> None:
    kinds = {path.parent.name for path in CASES}
    assert {"escape", "cpu", "memory", "values", "coroutines", "errors", "neighbours"} <= kinds
    assert len(CASES) >= 60
