"""The bell: what runs on is stopped with it and without it, and sources mean what they meant."""

from __future__ import annotations

import time

import pytest

from runtime.core.errors import Canceled, Error, Timeout
from runtime.lua.bell import find_bell
from runtime.lua.guard import LOOK, guarded
from runtime.lua.library import Library
from runtime.lua.machine import Exited, Machine, MachineLimits, Spawn, TaskLimits
from runtime.lua.program import Program, link
from runtime.registry.entry import Entry

LIBRARY = Library([])
SECONDS = 0.1

ENDLESS = {
    "while": "while true do end",
    "repeat": "repeat until false",
    "numeric for": "for i = 1, math.huge do end",
    "generic for": "for _ in function() return 1 end do end",
    "goto": "::a:: goto a",
    "goto from within": "local n = 0 ::a:: n = n + 1 if n > 0 then goto a end",
    "behind a comment that a carriage return ends": "-- a comment\rwhile true do end",
    "tail call": "local function f() return f() end f()",
    "recursion": "local function f(n) if n < 2 then return n end return f(n - 1) + f(n - 2) end f(90)",
    "in pcall": "while true do pcall(function() while true do end end) end",
    "in xpcall's handler": "xpcall(error, function() while true do end end)",
    "coroutine": "coroutine.wrap(function() while true do end end)()",
    "coroutine in a coroutine": "local wrap = coroutine.wrap "
    "wrap(function() wrap(function() while true do end end)() end)()",
    "coroutines without end": "while true do coroutine.wrap(function() coroutine.yield() end)() end",
    "metamethod": "return setmetatable({}, {__index = function() while true do end end}).x",
    "comparison of a sort": "table.sort({1, 2, 3}, function() while true do end end)",
    "replacement": "('x'):gsub('.', function() while true do end end)",
    "close": "local x <close> = setmetatable({}, {__close = function() while true do end end})",
    "pattern": "('a'):rep(100000):find(('a*'):rep(30) .. 'b')",
    "a function without a loop": "local t = setmetatable({}, {__lt = function() return true end}) "
    "while t < t do end",
}


def program(body: str) -> Program:
    source = f"return {{ handler = function(...)\n{body}\nend }}"
    data = {"source": source, "method": "handler"}
    return link(Entry("app:test", "function.lua", {}, dict(data)), lambda _: None, LIBRARY)


def run(machine: Machine, body: str, seconds: float = 30.0) -> Exited:
    outputs, _ = machine.step([Spawn("t", program(body), limits=TaskLimits(running_seconds=seconds))])
    assert isinstance(outputs[-1], Exited)
    return outputs[-1]


@pytest.fixture(params=[True, False], ids=["bell", "hook"])
def machine(request: pytest.FixtureRequest) -> Machine:
    return Machine(LIBRARY, limits=MachineLimits(bell=request.param))


@pytest.mark.parametrize("body", ENDLESS.values(), ids=ENDLESS)
def test_what_runs_on_is_stopped(machine: Machine, body: str) -> None:
    started = time.monotonic()
    end = run(machine, body, SECONDS)
    assert isinstance(end.error, Timeout)
    assert time.monotonic() - started < 20 * SECONDS  # a loaded machine is slow; the benchmark measures
    assert run(machine, "return 1").value == 1


def test_an_interrupt_can_be_caught(machine: Machine) -> None:
    machine.interrupt("t")
    body = "local ok, err = pcall(function() while true do end end) return {ok, err:kind()}"
    assert run(machine, body).value == [False, "Canceled"]


def test_a_kill_can_not_be_caught(machine: Machine) -> None:
    machine.kill("t")
    assert isinstance(
        run(machine, "while true do pcall(function() while true do end end) end").error, Canceled
    )


@pytest.mark.parametrize(
    "body",
    [
        "local t = {} while true do t[#t + 1] = {#t} end",
        # To collect it takes longer than the bell is silent, so each look finds it rung.
        "local t = {} while true do pcall(function() while true do t = {t} end end) end",
    ],
    ids=["a list", "a chain that pcall guards"],
)
def test_memory_that_grows_is_noticed(machine: Machine, body: str) -> None:
    error = run(machine, body).error
    assert isinstance(error, Error)
    assert "more memory than it may" in error.message


SAME = {
    "strings": "return 'do' .. \"function ()\" .. [[repeat goto]] .. [==[ do ]] ]==] .. 'a\\'do'",
    "comments": "-- do\n--[[ function() ]] return 1 --[==[ do\n]] ]==]",
    "a comment at the end": "return 1 -- do",
    "ends of lines": "-- a\r\nlocal a = 1 -- do\rlocal b = 2\n\rreturn a + b",
    "parameters": "local f = function --[[ ) ]] (a, -- )\n b) return a .. b end return f(1, 2)",
    "methods": "local t = {} function t.a.b() end",
    "continue": "for i = 1, 3 do if i < 3 then goto continue end local x = i ::continue:: end return 'well'",
    "varargs": "return select('#', ...)",
    "an ambiguous call": "local n = 0 local function f() n = n + 1 end do (f)() end return n",
    "a global that is not there": "local x = 1\nnothing()",
    "a field that is not there": "local t = {}\n\nt.a.b = 1",
}


@pytest.mark.parametrize("body", SAME.values(), ids=SAME)
def test_a_source_means_what_it_meant(body: str) -> None:
    with_looks, without = (
        run(Machine(LIBRARY, limits=MachineLimits(bell=bell)), body) for bell in (True, False)
    )
    assert with_looks.value == without.value
    assert str(with_looks.error) == str(without.error)
    if with_looks.error is not None and without.error is not None:
        assert with_looks.error.details == without.error.details


@pytest.mark.parametrize(
    "body",
    [
        "\n".join(f"local a{number} = {number}" for number in range(200)) + "\nwhile true do end",
        "local __bell = 1 while true do end",
    ],
    ids=["as many locals as there may be", "one of the names"],
)
def test_what_can_hold_no_looks_is_stopped_all_the_same(body: str) -> None:
    state = Machine(LIBRARY)
    assert run(state, "return 1").value == 1
    source = f"{body} return {{ handler = function() end }}"
    entry = Entry("app:test", "function.lua", {}, {"source": source, "method": "handler"})
    spawn = Spawn("u", link(entry, lambda _: None, LIBRARY), limits=TaskLimits(running_seconds=SECONDS))
    outputs, _ = state.step([spawn])
    assert isinstance(outputs[-1], Exited)
    assert isinstance(outputs[-1].error, Timeout)


def test_looks_stand_in_bodies_and_before_jumps_and_keep_the_lines() -> None:
    source = "while a do\nb() end repeat\nuntil c for i in d do e() end\nfunction f(g)\nend goto h ::h::"
    found = guarded(source)
    assert found.count(LOOK) == 5
    assert found.count("\n") == source.count("\n") + 1  # and one at its end
    assert guarded(f"{source} __look") == f"{source} __look"


def test_where_no_byte_tells_of_the_bell_there_is_none() -> None:
    import ctypes

    memory = ctypes.create_string_buffer(64)
    place = hex(ctypes.addressof(memory)).encode()
    assert find_bell(memory, lambda _: (place, True)) is None
