"""A machine on its own thread: posting, timers, interrupts, heartbeat and stopping."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest
from lua_bench import FakeEntry, bare

from runtime.core.errors import Canceled, PermissionDenied
from runtime.lua.machine import Command, Exited, Interrupt, Kill, Output, Reply, Spawn
from runtime.lua.program import Program, link
from runtime.lua.thread import LuaThread

LIBRARY = bare()


class Outputs:
    """Collects what a thread delivers; `wait` blocks until enough is there."""

    def __init__(self) -> None:
        self._items: list[Output] = []
        self._changed = threading.Condition()

    def deliver(self, outputs: list[Output]) -> None:
        with self._changed:
            self._items.extend(outputs)
            self._changed.notify_all()

    def wait(self, count: int = 1) -> list[Output]:
        with self._changed:
            assert self._changed.wait_for(lambda: len(self._items) >= count, timeout=10), self._items
            return list(self._items)


def program(body: str, origin: str = "file") -> Program:
    data = {"source": f"return function(...)\n{body}\nend", "method": "main", "modules": ["host"]}
    return link(FakeEntry("app:test", data, origin=origin), lambda _: None, LIBRARY)


@pytest.fixture
def outputs() -> Outputs:
    return Outputs()


@pytest.fixture
def thread(outputs: Outputs) -> Iterator[LuaThread]:
    thread = LuaThread("lua", LIBRARY, outputs.deliver)
    thread.start()
    yield thread
    assert thread.stop(5)


def test_outputs_are_delivered_and_replies_taken(thread: LuaThread, outputs: Outputs) -> None:
    thread.post(Spawn("t", program("return (host.call('ask', 1))")))
    (command,) = outputs.wait()
    assert isinstance(command, Command)
    thread.post(Reply("t", command.call, ("answer",)))
    assert outputs.wait(2)[1] == Exited("t", "answer")


def test_timers_fire_without_inputs(thread: LuaThread, outputs: Outputs) -> None:
    thread.post(Spawn("t", program("host.sleep(0.02) return 'awake'")))
    assert outputs.wait()[0] == Exited("t", "awake")


def test_an_interrupt_reaches_what_computes(thread: LuaThread, outputs: Outputs) -> None:
    thread.post(Spawn("t", program("host.cast('running') while true do end")))
    thread.post(Interrupt("t"))
    end = outputs.wait(2)[1]
    assert isinstance(end, Exited)
    assert isinstance(end.error, Canceled)


def test_a_kill_reaches_what_computes(thread: LuaThread, outputs: Outputs) -> None:
    thread.post(Spawn("t", program("while true do pcall(function() while true do end end) end")))
    thread.post(Kill("t", Canceled("stop")))
    end = outputs.wait()[0]
    assert isinstance(end, Exited)
    assert isinstance(end.error, Canceled)


def test_code_born_at_run_time_is_refused(thread: LuaThread, outputs: Outputs) -> None:
    thread.post(Spawn("t", program("return 1", origin="runtime")))
    end = outputs.wait()[0]
    assert isinstance(end, Exited)
    assert isinstance(end.error, PermissionDenied)


def test_the_heartbeat_tells_a_state_that_lives_from_one_that_is_idle(
    thread: LuaThread, outputs: Outputs
) -> None:
    assert thread.heartbeat() is None
    thread.post(Spawn("t", program("while true do end")))
    stop = time.monotonic() + 10
    while thread.heartbeat() is None:
        assert time.monotonic() < stop
    time_of_beat = thread.heartbeat()
    assert time_of_beat is None or time_of_beat < 5
    thread.post(Kill("t", Canceled("stop")))
    outputs.wait()


def test_a_listener_that_fails_does_not_end_the_thread(outputs: Outputs) -> None:
    calls: list[int] = []

    def deliver(items: list[Output]) -> None:
        calls.append(len(items))
        if len(calls) == 1:
            raise RuntimeError("not now")
        outputs.deliver(items)

    thread = LuaThread("lua", LIBRARY, deliver)
    thread.start()
    thread.post(Spawn("a", program("return 1")))
    stop = time.monotonic() + 10
    while not calls:
        assert time.monotonic() < stop
    thread.post(Spawn("b", program("return 2")))
    assert outputs.wait()[0] == Exited("b", 2)
    assert thread.stop(5)
