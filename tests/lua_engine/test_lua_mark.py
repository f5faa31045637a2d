"""While Lua answers nothing the host can say whose code runs, and in what it was seen last."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from lua_bench import FakeEntry

from runtime.lua.library import Library
from runtime.lua.machine import Exited, Machine, Output, Spawn
from runtime.lua.module import Module
from runtime.lua.program import Program, link
from runtime.lua.thread import LuaThread

DEADLINE = 20.0


@dataclass
class Door:
    """A function of the host that holds Lua up until it is let go."""

    inside: threading.Event = field(default_factory=threading.Event)
    let_go: threading.Event = field(default_factory=threading.Event)

    def wait(self) -> bool:
        self.inside.set()
        return self.let_go.wait(DEADLINE)

    def library(self) -> Library:
        lua = "local host = ... return { wait = function() return host.sync('wait') end }"
        return Library([Module("door", lua, {"wait": self.wait})])


def program(library: Library, id: str, body: str) -> Program:
    source = f"return function() {body} end"
    entry = FakeEntry(id, {"source": source, "method": "main", "modules": ["door"]})
    return link(entry, lambda _: None, library)


def spawn(task: str, tried: Program) -> Spawn:
    return Spawn(task, tried, (), {}, {"id": tried.entry, "pid": task, "host": "h"})


@pytest.fixture
def running() -> Iterator[tuple[Door, LuaThread, queue.SimpleQueue[list[Output]]]]:
    door = Door()
    ended: queue.SimpleQueue[list[Output]] = queue.SimpleQueue()
    thread = LuaThread("mark", door.library(), ended.put)
    thread.start()
    yield door, thread, ended
    door.let_go.set()
    assert thread.stop(DEADLINE)


def test_the_entry_and_the_host_s_function_that_run_are_told(running: Any) -> None:
    door, thread, ended = running
    library = door.library()
    quick, slow = (
        program(library, "app:quick", "return 1"),
        program(library, "app:slow", "return door.wait()"),
    )
    assert thread.running() == ("", "")
    thread.post(spawn("1", quick), spawn("2", slow), spawn("3", quick))
    assert door.inside.wait(DEADLINE)
    assert thread.running() == ("app:slow", "the host's function `door.wait`")
    assert thread.heartbeat() is not None
    door.let_go.set()
    ends = ended.get(timeout=DEADLINE)
    assert [end.task for end in ends if isinstance(end, Exited)] == ["1", "2", "3"]
    assert thread.running()[0] == ""


def test_the_place_of_a_long_call_is_told_with_its_function() -> None:
    door = Door()
    library = door.library()
    machine = Machine(library)
    door.let_go.set()
    machine.step(
        [spawn("1", program(library, "app:long", "\nlocal s = ('x'):rep(2000000)\nreturn door.wait()"))]
    )
    number, place = machine._state._place
    assert machine._numbers[number] == "app:long"
    assert place == "`rep` at app:long:2"


def test_a_place_is_told_of_the_program_that_runs_alone() -> None:
    door = Door()
    library = door.library()
    machine = Machine(library)
    machine.step([spawn("1", program(library, "app:long", "return #('x'):rep(2000000)"))])
    assert machine.running() == ("", "")
