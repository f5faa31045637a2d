"""Random Lua and random values through the boundary of a trusted state, in both directions.

Whatever comes: a task ends once and in time, the host raises nothing, nothing of it is left, and no Python
object gets into Lua. `fuzz_plan` says how many cases there are and how one is run again.
"""

from __future__ import annotations

import queue
import random
import re
from typing import Any

import pytest
from fuzz_counts import counts, python_in_lua
from fuzz_lua import MODULES, program
from fuzz_plan import cases, named
from fuzz_values import HUGE, normal, odd, plain

from runtime.core.errors import Error, Invalid
from runtime.lua.library import Library
from runtime.lua.machine import (
    Cast,
    Command,
    Exited,
    MachineLimits,
    Message,
    Output,
    Reply,
    Spawn,
    TaskLimits,
)
from runtime.lua.program import Chunk, Program
from runtime.lua.thread import LuaThread
from tests.lua_engine.lua_bench import bare

LIMITS = MachineLimits(memory_bytes=32 * 1024 * 1024)
TASK = TaskLimits(running_seconds=0.02, total_seconds=0.1, memory_bytes=8 * 1024 * 1024)
PATIENT = TaskLimits(running_seconds=10.0, memory_bytes=8 * 1024 * 1024)
"""Of values that must arrive, however busy the machine is."""
HANGS = 20.0  # seconds: nothing that is stopped after 20 ms takes so long, however busy the machine
WARM = 300  # cases until everything that is kept once is there
ADDRESS = re.compile(r"0x[0-9a-f]{9}")  # of something in memory
ECHO = "return function(...) return ... end"
PASSED_ON = "return function(v) return host.call('echo', v) end"
POSTED = """
return function()
  local inbox = host.subscribe("@pid/inbox", 1)
  return (inbox:receive())
end
"""
INFO = {"id": "app:fuzz", "pid": "{app:host|0x1}", "host": "app:host"}


def chunk(source: str) -> Program:
    """Return a program of any text, without the front end that would refuse what is no Lua."""
    main = Chunk("app:fuzz", source, "fuzz", "main")
    names = tuple((name, name) for name in MODULES)
    return Program("app:fuzz", "main", (), main, names, MODULES, "file").with_key()


class Boundary:
    """A Lua thread as a host has it, and what the tasks in it want of the host."""

    def __init__(self) -> None:
        real = Library.discover()
        own = [bare().get("host"), *(real.get(name) for name in MODULES if name != "host")]
        self._heard: queue.SimpleQueue[list[Output]] = queue.SimpleQueue()
        self.thread = LuaThread("fuzz", Library(own), self._heard.put, LIMITS)
        self.thread.start()
        self._serial = 0

    def run(
        self,
        tried: Program,
        args: tuple[Any, ...],
        dice: random.Random,
        *posts: Any,
        limits: TaskLimits = PATIENT,
    ) -> Exited:
        """Return how a task ends; fail where it does not end, or ends twice."""
        self._serial += 1
        task = f"task{self._serial}"
        self.thread.post(Spawn(task, tried, args, {}, INFO, limits))
        for payload in posts:
            self.thread.post(Message(task, "@pid/inbox", "", (payload,)))
        while True:
            try:
                outputs = self._heard.get(timeout=HANGS)
            except queue.Empty:
                beat = self.thread.heartbeat()
                raise AssertionError(f"a task does not end; the last sign of life was {beat} s ago") from None
            for output in outputs:
                if output.task == task and isinstance(output, Exited):
                    return output
                if isinstance(output, Command):
                    self.thread.post(self._answer(output, dice))
                else:
                    assert isinstance(output, Cast) or output.task != task, output

    def _answer(self, command: Command, dice: random.Random) -> Reply:
        if command.name == "echo":
            return Reply(command.task, command.call, tuple(command.args))
        error = Invalid("no", details={"odd": odd(dice)}) if dice.random() < 0.2 else None
        return Reply(command.task, command.call, (odd(dice), plain(dice)), error)

    @property
    def state(self) -> Any:
        """The Lua state, for a look from below; nothing runs in it between two tasks."""
        return self.thread._machine._state


@pytest.fixture(scope="module")
def boundary() -> Any:
    found = Boundary()
    yield found
    assert found.thread.stop(HANGS)


class Flat:
    """Sees that nothing grows between the cases that warm up and the last one."""

    def __init__(self, boundary: Boundary) -> None:
        self._boundary = boundary
        self._state = boundary.state
        self._first = (counts(), python_in_lua(self._state))

    def check(self) -> None:
        """Compare with the beginning; one Python function is in Lua: the kernel's door."""
        then, (python, references) = self._first
        now = counts()
        assert python == 1
        assert now.descriptors == then.descriptors
        assert now.objects - then.objects < 2000, (then, now)
        state = self._boundary.state
        again, held = python_in_lua(state)
        assert again == 1
        if state is self._state:
            assert held <= references


def test_random_programs_end_in_time_and_leave_nothing(boundary: Boundary) -> None:
    flat, ran = None, 0
    for number, dice in cases("program", 0.4):
        with named("program", number):
            source = program(dice)
            args = (plain(dice), odd_but_plain(dice))
            end = boundary.run(chunk(source), args, dice, limits=TASK)
            assert end.error is None or isinstance(end.error, Error)
            said = end.error.message if end.error else ""
            assert "Traceback" not in said
            assert all(found in source for found in ADDRESS.findall(said)), said
            ran += end.error is None
        if number == WARM:
            flat = Flat(boundary)
    if flat is not None:
        flat.check()
        assert ran > 50, "many programs end well: they do something"


def odd_but_plain(dice: random.Random) -> Any:
    """Return what can be sent."""
    return dice.choice((plain(dice), None, [], {"a": [plain(dice)]}))


@pytest.mark.parametrize(("way", "source"), [("back", ECHO), ("on", PASSED_ON), ("posted", POSTED)])
def test_plain_values_come_back_as_they_went(boundary: Boundary, way: str, source: str) -> None:
    tried = chunk(source)
    flat = None
    for number, dice in cases(f"plain {way}", 0.1):
        with named(f"plain {way}", number):
            value = plain(dice)
            given = ((), (value,)) if way == "posted" else ((value,), ())
            end = boundary.run(tried, given[0], dice, *given[1])
            assert end.error is None, end.error
            assert normal(end.value) == normal(value)
        if number == WARM // 3:
            flat = Flat(boundary)
    if flat is not None:
        flat.check()


def test_odd_values_are_refused_in_words_or_arrive(boundary: Boundary) -> None:
    tried = chunk(PASSED_ON)
    flat, refused = None, 0
    for number, dice in cases("odd", 0.1):
        with named("odd", number):
            value = HUGE(dice) if number % 200 == 199 else odd(dice)
            end = boundary.run(tried, (value,), dice)
            if end.error is not None:
                refused += 1
                assert "object at 0x" not in end.error.message
                assert "secret" not in str(end.error)
        if number == WARM // 3:
            flat = Flat(boundary)
    assert refused > 0
    if flat is not None:
        flat.check()
